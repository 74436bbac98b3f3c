// SPDX-License-Identifier: Apache-2.0
// Tests of capstan.dev/inject-ca-from: several sources, whose bundles are united.
#include "capstan/api/config_map.h"
#include "capstan/testing/temp_dir.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class SourceListTest : public InjectionTest {
 protected:
  void UpdateConfigMap(const std::string& ca_crt) {
    ASSERT_TRUE(
        observer_->Update({}, TypeOf<api::ConfigMap>(), {Own("ns"), "trust"},
                          Moved(cainjector::StoredConfigMap("trust", true, "root.pem", ca_crt))));
  }

  const std::string of_certificate_ = cainjector::NewCaPem();
  const std::string of_config_map_ = cainjector::NewCaPem();
};

TEST_F(SourceListTest, InjectsTheUnionInTheOrderOfTheList) {
  Create({cainjector::StoredSecret(ca_),
          cainjector::StoredConfigMap("trust", true, "root.pem", of_config_map_ + ca_),
          cainjector::StoredCertificate("serving", "serving-tls"),
          cainjector::StoredCertificateSecret(of_certificate_, "serving", "serving-tls")});
  CreateTargets("t", {{cainjector::kInjectCaFromSources,
                       "secret/ns/ca, configmap/ns/trust/root.pem, certificate/ns/serving, "
                       "apiserver"}});
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("t", ca_ + of_config_map_ + of_certificate_ + api_server_ca_));
  PassFence(process);
  EXPECT_EQ(Writes(), 4U);
}

TEST_F(SourceListTest, FollowsTheRotationOfEachSource) {
  Create({cainjector::StoredSecret(ca_),
          cainjector::StoredConfigMap("trust", true, "root.pem", of_config_map_),
          cainjector::StoredCertificate("serving", "serving-tls"),
          cainjector::StoredCertificateSecret(of_certificate_, "serving", "serving-tls")});
  const std::string list = "secret/ns/ca, configmap/ns/trust/root.pem, certificate/ns/serving";
  CreateTargets("t", {{cainjector::kInjectCaFromSources, list}});
  const cainjector::Process process(connection_);
  std::string bundle = ca_ + of_config_map_ + of_certificate_;
  ASSERT_TRUE(AllComeToHold("t", bundle));

  const std::string secret = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(secret));
  ASSERT_TRUE(AllComeToHold("t", bundle += secret));
  const std::string config_map = cainjector::NewCaPem();
  UpdateConfigMap(config_map);
  ASSERT_TRUE(AllComeToHold("t", bundle += config_map));
  const std::string certificate = cainjector::NewCaPem();
  Update("serving-tls", cainjector::StoredCertificateSecret(certificate, "serving", "serving-tls"));
  EXPECT_TRUE(AllComeToHold("t", bundle + certificate));
}

TEST_F(SourceListTest, FollowsReferencedSecretsOfAList) {
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, secret/ns/later"}});
  Create({cainjector::StoredSecret(ca_)});
  const cainjector::Process process(connection_,
                                    {.secret_caching = cainjector::SecretCaching::kReferenced});
  ASSERT_TRUE(AllComeToHold("t", ca_));
  const std::string later = cainjector::NewCaPem();

  Create({cainjector::StoredSecret(later, "later")});
  ASSERT_TRUE(AllComeToHold("t", ca_ + later));
  const std::string rotated = cainjector::NewCaPem();
  Update("later", cainjector::StoredSecret(rotated, "later"));

  EXPECT_TRUE(AllComeToHold("t", ca_ + later + rotated));
}

TEST_F(SourceListTest, ReportsABrokenSourceAndInjectsTheOthers) {
  Create({cainjector::StoredSecret(ca_), cainjector::StoredSecret(of_certificate_, "silent", {})});
  CreateTargets("t", {{cainjector::kInjectCaFromSources,
                       "secret/ns/silent, secret/ns/ca, configmap/ns/absent"}});
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(AllGetEvent(process, "t",
                          "2 of 3 sources failed: secret/ns/silent: NotAllowed: Secret ns/silent "
                          "does not carry the annotation cert-manager.io/allow-direct-injection: "
                          "\"true\"; configmap/ns/absent: SourceNotFound: ConfigMap ns/absent "
                          "does not exist"));
  EXPECT_THAT(Events(process), Contains(HasSubstr("Warning SourcesIncomplete")));
}

TEST_F(SourceListTest, KeepsTheOthersWhenOneSourceIsDeletedAndRecovers) {
  Create({cainjector::StoredSecret(ca_), cainjector::StoredSecret(of_certificate_, "other")});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, secret/ns/other"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllComeToHold("t", ca_ + of_certificate_));

  Delete(cainjector::SecretMetadataType(), "ns/other");
  ASSERT_TRUE(AllGetEvent(process, "t", "secret/ns/other: SourceNotFound"));
  EXPECT_TRUE(AllHold("t", ca_ + of_certificate_));  // a merged bundle keeps what it has
  const std::string renewed = cainjector::NewCaPem();
  Create({cainjector::StoredSecret(renewed, "other")});

  EXPECT_TRUE(AllComeToHold("t", ca_ + of_certificate_ + renewed));
}

TEST_F(SourceListTest, RemovesTheBundleOfADeletedSourceWithoutMerging) {
  Create({cainjector::StoredSecret(ca_), cainjector::StoredSecret(of_certificate_, "other")});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, secret/ns/other"}});
  const cainjector::Process process(connection_, {.merge_bundles = false});
  ASSERT_TRUE(AllComeToHold("t", ca_ + of_certificate_));

  Delete(cainjector::SecretMetadataType(), "ns/other");

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(SourceListTest, WritesNothingWhenEverySourceIsBroken) {
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/a, certificate/ns/b"}}, ca_);
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllGetEvent(process, "t",
                          "all 2 sources failed: secret/ns/a: SourceNotFound: Secret ns/a does "
                          "not exist; certificate/ns/b: SourceNotFound: Certificate ns/b does "
                          "not exist"));
  EXPECT_TRUE(AllHold("t", ca_));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(SourceListTest, ReportsABadItemWithoutARequest) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, secrets/ns/ca"}});
  CreateTargets("empty", {{cainjector::kInjectCaFromSources, ""}});
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllGetEvent(process, "t", "has the bad item \"secrets/ns/ca\"; an item is secret/"));
  EXPECT_TRUE(AllGetEvent(process, "empty", "Warning BadAnnotation"));
  EXPECT_TRUE(AllHold("t", ""));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_F(SourceListTest, ComesAfterEveryOtherAnnotation) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca"},
                      {cainjector::kInjectApiServerCa, "true"}});
  CreateTargets("false", {{cainjector::kInjectCaFromSources, "secret/ns/ca"},
                          {cainjector::kInjectApiServerCa, "false"}});
  const cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("t", api_server_ca_));
  EXPECT_TRUE(AllComeToHold("false", ca_));
}

TEST_F(SourceListTest, NamesADisabledSource) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, certificate/ns/serving"}});
  cainjector::Process process(connection_, {.certificates = false});

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(
      AllGetEvent(process, "t", "certificate/ns/serving: SourceDisabled: Certificates are"));
}

TEST_F(SourceListTest, UnitesTheSystemsCasWithOthers) {
  const testing::TempDir dir;
  const std::string file = dir.Write("cas.crt", "# Root\n" + of_config_map_);
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, system"}});
  CreateTargets("alone", {{cainjector::kInjectCaFromSources, "system"}});
  cainjector::Process process(connection_, {.system_ca_file = file});

  EXPECT_TRUE(AllComeToHold("t", ca_ + of_config_map_));
  EXPECT_TRUE(AllComeToHold("alone", of_config_map_));
}

TEST_F(SourceListTest, ReportsAMissingFileOfTheSystemsCas) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, system"}});
  cainjector::Process process(connection_, {.system_ca_file = "/absent/cas.crt"});

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(AllGetEvent(process, "t", "system: NoCaData: system CAs: open /absent/cas.crt"));
}

}  // namespace
}  // namespace capstan::injection

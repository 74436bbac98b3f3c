// SPDX-License-Identifier: Apache-2.0
// Tests of capstan.dev/inject-ca-from: several sources, whose bundles are united.
#include "capstan/clientgo/api/config_map.h"
#include "capstan/testing/temp_dir.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class SourceListTest : public InjectionTest {
 protected:
  void UpdateConfigMap(const std::string& ca_crt) {
    ASSERT_TRUE(observer_->Update({}, clientgo::api::ConfigMap::Type(), {Own("ns"), "trust"},
                                  Moved(StoredConfigMap("trust", true, "root.pem", ca_crt))));
  }

  const std::string of_certificate_ = NewCaPem();
  const std::string of_config_map_ = NewCaPem();
};

TEST_F(SourceListTest, InjectsTheUnionInTheOrderOfTheList) {
  Create({StoredSecret(ca_), StoredConfigMap("trust", true, "root.pem", of_config_map_ + ca_),
          StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(of_certificate_, "serving", "serving-tls")});
  CreateTargets("t", {{kInjectCaFromSources,
                       "secret/ns/ca, configmap/ns/trust/root.pem, certificate/ns/serving, "
                       "apiserver"}});
  Process process(*client_);

  EXPECT_TRUE(AllComeToHold("t", ca_ + of_config_map_ + of_certificate_ + api_server_ca_));
  PassFence(process);
  EXPECT_EQ(Writes(), 4U);
}

TEST_F(SourceListTest, FollowsTheRotationOfEachSource) {
  Create({StoredSecret(ca_), StoredConfigMap("trust", true, "root.pem", of_config_map_),
          StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(of_certificate_, "serving", "serving-tls")});
  const std::string list = "secret/ns/ca, configmap/ns/trust/root.pem, certificate/ns/serving";
  CreateTargets("t", {{kInjectCaFromSources, list}});
  const Process process(*client_);
  std::string bundle = ca_ + of_config_map_ + of_certificate_;
  ASSERT_TRUE(AllComeToHold("t", bundle));

  const std::string secret = NewCaPem();
  Update("ca", StoredSecret(secret));
  ASSERT_TRUE(AllComeToHold("t", bundle += secret));
  const std::string config_map = NewCaPem();
  UpdateConfigMap(config_map);
  ASSERT_TRUE(AllComeToHold("t", bundle += config_map));
  const std::string certificate = NewCaPem();
  Update("serving-tls", StoredCertificateSecret(certificate, "serving", "serving-tls"));
  EXPECT_TRUE(AllComeToHold("t", bundle + certificate));
}

TEST_F(SourceListTest, FollowsReferencedSecretsOfAList) {
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, secret/ns/later"}});
  Create({StoredSecret(ca_)});
  const Process process(*client_,
                        {.secret_caching = controllers::cainjector::SecretCaching::kReferenced});
  ASSERT_TRUE(AllComeToHold("t", ca_));
  const std::string later = NewCaPem();

  Create({StoredSecret(later, "later")});
  ASSERT_TRUE(AllComeToHold("t", ca_ + later));
  const std::string rotated = NewCaPem();
  Update("later", StoredSecret(rotated, "later"));

  EXPECT_TRUE(AllComeToHold("t", ca_ + later + rotated));
}

TEST_F(SourceListTest, ReportsABrokenSourceAndInjectsTheOthers) {
  Create({StoredSecret(ca_), StoredSecret(of_certificate_, "silent", {})});
  CreateTargets("t",
                {{kInjectCaFromSources, "secret/ns/silent, secret/ns/ca, configmap/ns/absent"}});
  Process process(*client_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(AllGetEvent(process, "t",
                          "2 of 3 sources failed: secret/ns/silent: NotAllowed: Secret ns/silent "
                          "does not carry the annotation cert-manager.io/allow-direct-injection: "
                          "\"true\"; configmap/ns/absent: SourceNotFound: ConfigMap ns/absent "
                          "does not exist"));
  EXPECT_THAT(Events(process), Contains(HasSubstr("Warning SourcesIncomplete")));
}

TEST_F(SourceListTest, KeepsTheOthersWhenOneSourceIsDeletedAndRecovers) {
  Create({StoredSecret(ca_), StoredSecret(of_certificate_, "other")});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, secret/ns/other"}});
  Process process(*client_);
  ASSERT_TRUE(AllComeToHold("t", ca_ + of_certificate_));

  Delete(SecretMetadataType(), "ns/other");
  ASSERT_TRUE(AllGetEvent(process, "t", "secret/ns/other: SourceNotFound"));
  EXPECT_TRUE(AllHold("t", ca_ + of_certificate_));  // a merged bundle keeps what it has
  const std::string renewed = NewCaPem();
  Create({StoredSecret(renewed, "other")});

  EXPECT_TRUE(AllComeToHold("t", ca_ + of_certificate_ + renewed));
}

TEST_F(SourceListTest, RemovesTheBundleOfADeletedSourceWithoutMerging) {
  Create({StoredSecret(ca_), StoredSecret(of_certificate_, "other")});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, secret/ns/other"}});
  const Process process(*client_, {.merge_bundles = false});
  ASSERT_TRUE(AllComeToHold("t", ca_ + of_certificate_));

  Delete(SecretMetadataType(), "ns/other");

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(SourceListTest, WritesNothingWhenEverySourceIsBroken) {
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/a, certificate/ns/b"}}, ca_);
  Process process(*client_);

  EXPECT_TRUE(AllGetEvent(process, "t",
                          "all 2 sources failed: secret/ns/a: SourceNotFound: Secret ns/a does "
                          "not exist; certificate/ns/b: SourceNotFound: Certificate ns/b does "
                          "not exist"));
  EXPECT_TRUE(AllHold("t", ca_));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(SourceListTest, ReportsABadItemWithoutARequest) {
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, secrets/ns/ca"}});
  CreateTargets("empty", {{kInjectCaFromSources, ""}});
  Process process(*client_);

  EXPECT_TRUE(AllGetEvent(process, "t", "has the bad item \"secrets/ns/ca\"; an item is secret/"));
  EXPECT_TRUE(AllGetEvent(process, "empty", "Warning BadAnnotation"));
  EXPECT_TRUE(AllHold("t", ""));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_F(SourceListTest, ComesAfterEveryOtherAnnotation) {
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca"}, {kInjectApiServerCa, "true"}});
  CreateTargets("false", {{kInjectCaFromSources, "secret/ns/ca"}, {kInjectApiServerCa, "false"}});
  const Process process(*client_);

  EXPECT_TRUE(AllComeToHold("t", api_server_ca_));
  EXPECT_TRUE(AllComeToHold("false", ca_));
}

TEST_F(SourceListTest, NamesADisabledSource) {
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, certificate/ns/serving"}});
  Process process(*client_, {.certificates = false});

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(
      AllGetEvent(process, "t", "certificate/ns/serving: SourceDisabled: Certificates are"));
}

TEST_F(SourceListTest, UnitesTheSystemsCasWithOthers) {
  const capstan::testing::TempDir dir;
  const std::string file = dir.Write("cas.crt", "# Root\n" + of_config_map_);
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, system"}});
  CreateTargets("alone", {{kInjectCaFromSources, "system"}});
  Process process(*client_, {.system_ca_file = file});

  EXPECT_TRUE(AllComeToHold("t", ca_ + of_config_map_));
  EXPECT_TRUE(AllComeToHold("alone", of_config_map_));
}

TEST_F(SourceListTest, ReportsAMissingFileOfTheSystemsCas) {
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSources, "secret/ns/ca, system"}});
  Process process(*client_, {.system_ca_file = "/absent/cas.crt"});

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(AllGetEvent(process, "t", "system: NoCaData: system CAs: open /absent/cas.crt"));
}

}  // namespace
}  // namespace capstan::injection

// SPDX-License-Identifier: Apache-2.0
// Tests of the table in cert-manager's e2e suite for cainjector, for all four kinds of target, and
// of further cases of annotations.
#include <array>

#include "capstan/testing/certificates.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class TableTest : public InjectionTest {
 protected:
  // Creates a Certificate "serving" and its Secret "serving-tls".
  void CreateCertificate(const std::string& ca_crt) {
    Create({cainjector::StoredCertificate("serving", "serving-tls"),
            cainjector::StoredCertificateSecret(ca_crt, "serving", "serving-tls")});
  }
  void Reissue(const std::string& ca_crt) {
    Update("serving-tls", cainjector::StoredCertificateSecret(ca_crt, "serving", "serving-tls"));
  }
};

TEST_F(TableTest, InjectsACertificateCreatedAfterItsTarget) {
  CreateTargets("t", {{cainjector::kInjectCaFrom, "ns/serving"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllGetEvent(process, "t", "Certificate ns/serving does not exist"));

  CreateCertificate(ca_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_EQ(Gets("secrets"), 1U);
}

TEST_F(TableTest, DoesNotWriteTargetsWithoutAnnotations) {
  const std::string other = cainjector::NewCaPem();
  CreateTargets("t", {}, other);
  CreateTargets("empty", {});
  cainjector::Process process(connection_);
  PassFence(process);

  EXPECT_TRUE(AllHold("t", other));
  EXPECT_TRUE(AllHold("empty", ""));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(TableTest, AddsAReissuedCertificateToTheOldOne) {
  CreateTargets("t", {{cainjector::kInjectCaFrom, "ns/serving"}});
  CreateCertificate(ca_);
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllComeToHold("t", ca_));
  const std::string reissued = cainjector::NewCaPem();

  Reissue(reissued);

  EXPECT_TRUE(AllComeToHold("t", ca_ + reissued));
  PassFence(process);
  EXPECT_EQ(Writes(), 8U);
}

TEST_F(TableTest, ReplacesTheOldCertificateWithoutMerging) {
  CreateTargets("t", {{cainjector::kInjectCaFrom, "ns/serving"}});
  CreateCertificate(ca_);
  const cainjector::Process process(connection_, {.merge_bundles = false});
  ASSERT_TRUE(AllComeToHold("t", ca_));
  const std::string reissued = cainjector::NewCaPem();

  Reissue(reissued);

  EXPECT_TRUE(AllComeToHold("t", reissued));
}

TEST_F(TableTest, ReportsAnInvalidValueWithoutARequest) {
  const std::vector<std::string> values = {"name", "/name", "ns/", "ns/a/b", "", "/"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    CreateTargets("s" + std::to_string(i), {{cainjector::kInjectCaFromSecret, values[i]}}, ca_);
    CreateTargets("c" + std::to_string(i), {{cainjector::kInjectCaFrom, values[i]}}, ca_);
  }
  cainjector::Process process(connection_);

  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const std::string kind : {"s", "c"}) {
      const std::string name = kind + std::to_string(i);
      EXPECT_TRUE(AllGetEvent(process, name, "is \"" + values[i] + "\", must be"));
      EXPECT_TRUE(AllHold(name, ca_));
    }
  }
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_F(TableTest, InjectsTheApiServersCa) {
  CreateTargets("t", {{cainjector::kInjectApiServerCa, "true"}});
  const cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("t", api_server_ca_));
}

TEST_F(TableTest, InjectsTheApiServersCaOnlyForTrue) {
  CreateTargets("capital", {{cainjector::kInjectApiServerCa, "True"}});
  CreateTargets("false", {{cainjector::kInjectApiServerCa, "false"}});
  cainjector::Process process(connection_);
  PassFence(process);

  EXPECT_TRUE(AllHold("capital", ""));
  EXPECT_TRUE(AllHold("false", ""));
  // The number of Events about the fence varies, because the API server also writes an APIService.
  EXPECT_THAT(Events(process), Each(HasSubstr("fence")));
}

TEST_F(TableTest, InjectsASecretFilledLater) {
  Create({cainjector::StoredSecret("")});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllGetEvent(process, "t", "Secret ns/ca has no data in ca.crt"));

  Update("ca", cainjector::StoredSecret(ca_));

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, InjectsASecretCreatedLater) {
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllGetEvent(process, "t", "Warning SourceNotFound"));

  Create({cainjector::StoredSecret(ca_)});

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, InjectsATargetCreatedLater) {
  Create({cainjector::StoredSecret(ca_)});
  cainjector::Process process(connection_);
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Gets("secrets"), 0U);  // no target refers to the Secret

  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, ReportsASecretThatDoesNotAllowInjection) {
  Create({cainjector::StoredSecret(ca_, "ca", {{cainjector::kAllowDirectInjection, "false"}}),
          cainjector::StoredSecret(ca_, "silent", {})});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  CreateTargets("silent", {{cainjector::kInjectCaFromSecret, "ns/silent"}});
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllGetEvent(process, "t", "allow-direct-injection"));
  EXPECT_TRUE(AllGetEvent(process, "silent", "allow-direct-injection"));
  EXPECT_TRUE(AllHold("t", ""));
  EXPECT_TRUE(AllHold("silent", ""));
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_F(TableTest, InjectsAConfigMap) {
  Create({cainjector::StoredConfigMap("trust", true, "root.pem", ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromConfigMap, "ns/trust/root.pem"}});
  const cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_EQ(Gets("configmaps"), 1U);  // all targets share it
}

TEST_F(TableTest, SelectsTheSourceByPresenceOnly) {
  const std::string of_certificate = cainjector::NewCaPem();
  const std::string of_config_map = cainjector::NewCaPem();
  Create({cainjector::StoredSecret(ca_),
          cainjector::StoredConfigMap("trust", true, "ca.crt", of_config_map)});
  CreateCertificate(of_certificate);
  cainjector::Annotations all = {{cainjector::kInjectCaFromSecret, "ns/ca"},
                                 {cainjector::kInjectCaFrom, "ns/serving"},
                                 {cainjector::kInjectCaFromConfigMap, "ns/trust"},
                                 {cainjector::kInjectApiServerCa, "true"}};
  CreateTargets("four", all);
  CreateTargets("three", {all.begin() + 1, all.end()});
  CreateTargets("two", {all.begin() + 2, all.end()});
  all[0].second = "";  // also hides the later sources
  CreateTargets("empty", all);
  all[0].second = "ns/absent";  // also hides the later sources
  CreateTargets("absent", all);
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("four", ca_));
  EXPECT_TRUE(AllComeToHold("three", of_certificate));
  EXPECT_TRUE(AllComeToHold("two", of_config_map));
  EXPECT_TRUE(AllGetEvent(process, "empty", "must be \"namespace/name\" of a Secret"));
  EXPECT_TRUE(AllGetEvent(process, "absent", "Secret ns/absent does not exist"));
  EXPECT_TRUE(AllHold("empty", ""));
  EXPECT_TRUE(AllHold("absent", ""));
}

TEST_F(TableTest, ReplacesGarbageInTheTarget) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}}, "garbage");
  const cainjector::Process process(connection_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, NeverReplacesABundleByAnInvalidOne) {
  const std::string key = testing::MakeCa({.common_name = "k"})->key_pem;
  const std::vector<std::array<std::string, 3>> bad = {
      {"empty", "", "has no data in ca.crt"},
      {"garbage", "garbage", "there is no PEM block"},
      {"expired", cainjector::NewCaPem(std::chrono::hours(-1)), "has expired"},
      {"oversize", ca_ + std::string(400'000, '\n'), "at most 330000"},
      {"key", ca_ + key, "block 2 is a private key"},
      {"broken", ca_ + ca_.substr(0, ca_.size() / 2), "block 2 is cut off"}};
  for (const auto& [name, ca_crt, text] : bad) {
    Create({cainjector::StoredSecret(ca_crt, name)});
    CreateTargets(name, {{cainjector::kInjectCaFromSecret, "ns/" + name}}, ca_);
    CreateTargets(name + "0", {{cainjector::kInjectCaFromSecret, "ns/" + name}});
  }
  cainjector::Process process(connection_);

  for (const auto& [name, ca_crt, text] : bad) {
    EXPECT_TRUE(AllGetEvent(process, name, text));
    EXPECT_TRUE(AllGetEvent(process, name + "0", text));
    EXPECT_TRUE(AllHold(name, ca_));
    EXPECT_TRUE(AllHold(name + "0", ""));
  }
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(TableTest, ExportsStateAndExpiryAsMetrics) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  CreateTargets("broken", {{cainjector::kInjectCaFromSecret, "ns/absent"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllComeToHold("t", ca_));
  ASSERT_TRUE(AllGetEvent(process, "broken", "SourceNotFound"));
  PassFence(process);

  const std::string metrics = Metrics(process);
  for (const cainjector::Target* target : Targets()) {
    const auto line = [&](const std::string& family, const std::string& name) {
      return family + "{kind=\"" + target->type().kind + "\",name=\"" + TargetName(*target, name) +
             "\"} ";
    };
    EXPECT_THAT(metrics, HasSubstr(line("capstan_injectable_in_sync", "t") + "1\n"));
    EXPECT_THAT(metrics, HasSubstr(line("capstan_injectable_in_sync", "broken") + "0\n"));
    EXPECT_THAT(metrics, HasSubstr(line("capstan_cabundle_expiration_timestamp_seconds", "t")));
    EXPECT_THAT(metrics,
                Not(HasSubstr(line("capstan_cabundle_expiration_timestamp_seconds", "broken"))));
  }
}

}  // namespace
}  // namespace capstan::injection

// SPDX-License-Identifier: Apache-2.0
// The table of cert-manager's e2e suite for cainjector, for all four kinds of targets at once, and
// what it leaves out about annotations.
#include <array>

#include "clientgo/testing/certificates.h"
#include "e2e/injection/fixture.h"

namespace injection {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class TableTest : public InjectionTest {
 protected:
  // A Certificate "serving" and its Secret "serving-tls".
  void CreateCertificate(const std::string& ca_crt) {
    Create({StoredCertificate("serving", "serving-tls"),
            StoredCertificateSecret(ca_crt, "serving", "serving-tls")});
  }
  void Reissue(const std::string& ca_crt) {
    Update("serving-tls", StoredCertificateSecret(ca_crt, "serving", "serving-tls"));
  }
};

TEST_F(TableTest, TargetFirstThenItsCertificate) {
  CreateTargets("t", {{kInjectCaFrom, "ns/serving"}});
  Process process(*client_);
  ASSERT_TRUE(AllAreTold(process, "t", "Certificate ns/serving does not exist"));

  CreateCertificate(ca_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_EQ(Gets("secrets"), 1U);
}

TEST_F(TableTest, WithoutAnAnnotationItIsLeftAlone) {
  const std::string other = NewCaPem();
  CreateTargets("t", {}, other);
  CreateTargets("empty", {});
  Process process(*client_);
  PassFence(process);

  EXPECT_TRUE(AllHold("t", other));
  EXPECT_TRUE(AllHold("empty", ""));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(TableTest, AReissuedCertificateIsAddedToTheOldOne) {
  CreateTargets("t", {{kInjectCaFrom, "ns/serving"}});
  CreateCertificate(ca_);
  Process process(*client_);
  ASSERT_TRUE(AllComeToHold("t", ca_));
  const std::string reissued = NewCaPem();

  Reissue(reissued);

  EXPECT_TRUE(AllComeToHold("t", ca_ + reissued));
  PassFence(process);
  EXPECT_EQ(Writes(), 8U);
}

TEST_F(TableTest, WithoutMergingAReissuedCertificateReplacesTheOldOne) {
  CreateTargets("t", {{kInjectCaFrom, "ns/serving"}});
  CreateCertificate(ca_);
  const Process process(*client_, {.merge_bundles = false});
  ASSERT_TRUE(AllComeToHold("t", ca_));
  const std::string reissued = NewCaPem();

  Reissue(reissued);

  EXPECT_TRUE(AllComeToHold("t", reissued));
}

TEST_F(TableTest, AValueThatNamesNothingIsToldAndCostsNothing) {
  const std::vector<std::string> values = {"name", "/name", "ns/", "ns/a/b", "", "/"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    CreateTargets("s" + std::to_string(i), {{kInjectCaFromSecret, values[i]}}, ca_);
    CreateTargets("c" + std::to_string(i), {{kInjectCaFrom, values[i]}}, ca_);
  }
  Process process(*client_);

  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const std::string kind : {"s", "c"}) {
      const std::string name = kind + std::to_string(i);
      EXPECT_TRUE(AllAreTold(process, name, "is \"" + values[i] + "\", must be"));
      EXPECT_TRUE(AllHold(name, ca_));
    }
  }
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_F(TableTest, TheApiServersCa) {
  CreateTargets("t", {{kInjectApiServerCa, "true"}});
  const Process process(*client_);

  EXPECT_TRUE(AllComeToHold("t", api_server_ca_));
}

TEST_F(TableTest, TheApiServersCaOnlyForExactlyTrue) {
  CreateTargets("capital", {{kInjectApiServerCa, "True"}});
  CreateTargets("false", {{kInjectApiServerCa, "false"}});
  Process process(*client_);
  PassFence(process);

  EXPECT_TRUE(AllHold("capital", ""));
  EXPECT_TRUE(AllHold("false", ""));
  // How many there are of the fence differs: the API server itself also writes an APIService.
  EXPECT_THAT(Events(process), Each(HasSubstr("fence")));
}

TEST_F(TableTest, ASecretThatIsFilledLater) {
  Create({StoredSecret("")});
  CreateTargets("t", {{kInjectCaFromSecret, "ns/ca"}});
  Process process(*client_);
  ASSERT_TRUE(AllAreTold(process, "t", "Secret ns/ca has no data in ca.crt"));

  Update("ca", StoredSecret(ca_));

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, ASecretThatComesLate) {
  CreateTargets("t", {{kInjectCaFromSecret, "ns/ca"}});
  Process process(*client_);
  ASSERT_TRUE(AllAreTold(process, "t", "Warning SourceNotFound"));

  Create({StoredSecret(ca_)});

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, ATargetThatComesLate) {
  Create({StoredSecret(ca_)});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Gets("secrets"), 0U);  // nobody refers to it

  CreateTargets("t", {{kInjectCaFromSecret, "ns/ca"}});

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, ASecretThatDoesNotAllowIt) {
  Create({StoredSecret(ca_, "ca", {{kAllowDirectInjection, "false"}}),
          StoredSecret(ca_, "silent", {})});
  CreateTargets("t", {{kInjectCaFromSecret, "ns/ca"}});
  CreateTargets("silent", {{kInjectCaFromSecret, "ns/silent"}});
  Process process(*client_);

  EXPECT_TRUE(AllAreTold(process, "t", "allow-direct-injection"));
  EXPECT_TRUE(AllAreTold(process, "silent", "allow-direct-injection"));
  EXPECT_TRUE(AllHold("t", ""));
  EXPECT_TRUE(AllHold("silent", ""));
  EXPECT_EQ(Gets("secrets"), 0U);
}

TEST_F(TableTest, AConfigMap) {
  Create({StoredConfigMap("trust", true, "root.pem", ca_)});
  CreateTargets("t", {{kInjectCaFromConfigMap, "ns/trust/root.pem"}});
  const Process process(*client_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_EQ(Gets("configmaps"), 0U);
}

TEST_F(TableTest, PrecedenceIsByPresenceAlone) {
  const std::string of_certificate = NewCaPem();
  const std::string of_config_map = NewCaPem();
  Create({StoredSecret(ca_), StoredConfigMap("trust", true, "ca.crt", of_config_map)});
  CreateCertificate(of_certificate);
  Annotations all = {{kInjectCaFromSecret, "ns/ca"},
                     {kInjectCaFrom, "ns/serving"},
                     {kInjectCaFromConfigMap, "ns/trust"},
                     {kInjectApiServerCa, "true"}};
  CreateTargets("four", all);
  CreateTargets("three", {all.begin() + 1, all.end()});
  CreateTargets("two", {all.begin() + 2, all.end()});
  all[0].second = "";  // hides what comes after it
  CreateTargets("empty", all);
  all[0].second = "ns/absent";  // no less
  CreateTargets("absent", all);
  Process process(*client_);

  EXPECT_TRUE(AllComeToHold("four", ca_));
  EXPECT_TRUE(AllComeToHold("three", of_certificate));
  EXPECT_TRUE(AllComeToHold("two", of_config_map));
  EXPECT_TRUE(AllAreTold(process, "empty", "must be \"namespace/name\" of a Secret"));
  EXPECT_TRUE(AllAreTold(process, "absent", "Secret ns/absent does not exist"));
  EXPECT_TRUE(AllHold("empty", ""));
  EXPECT_TRUE(AllHold("absent", ""));
}

TEST_F(TableTest, GarbageInTheTargetGivesWayToTheBundle) {
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSecret, "ns/ca"}}, "garbage");
  const Process process(*client_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
}

TEST_F(TableTest, WhatIsNoBundleNeverReplacesOne) {
  const std::string key = clientgo::testing::MakeCa({.common_name = "k"})->key_pem;
  const std::vector<std::array<std::string, 3>> bad = {
      {"empty", "", "has no data in ca.crt"},
      {"garbage", "garbage", "there is no PEM block"},
      {"expired", NewCaPem(std::chrono::hours(-1)), "has expired"},
      {"oversize", ca_ + std::string(400'000, '\n'), "at most 330000"},
      {"key", ca_ + key, "block 2 is a private key"},
      {"broken", ca_ + ca_.substr(0, ca_.size() / 2), "block 2 is cut off"}};
  for (const auto& [name, ca_crt, told] : bad) {
    Create({StoredSecret(ca_crt, name)});
    CreateTargets(name, {{kInjectCaFromSecret, "ns/" + name}}, ca_);
    CreateTargets(name + "0", {{kInjectCaFromSecret, "ns/" + name}});
  }
  Process process(*client_);

  for (const auto& [name, ca_crt, told] : bad) {
    EXPECT_TRUE(AllAreTold(process, name, told));
    EXPECT_TRUE(AllAreTold(process, name + "0", told));
    EXPECT_TRUE(AllHold(name, ca_));
    EXPECT_TRUE(AllHold(name + "0", ""));
  }
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(TableTest, ItsStateAndItsExpiryAreMetrics) {
  Create({StoredSecret(ca_)});
  CreateTargets("t", {{kInjectCaFromSecret, "ns/ca"}});
  CreateTargets("broken", {{kInjectCaFromSecret, "ns/absent"}});
  Process process(*client_);
  ASSERT_TRUE(AllComeToHold("t", ca_));
  ASSERT_TRUE(AllAreTold(process, "broken", "SourceNotFound"));
  PassFence(process);

  const std::string metrics = Metrics(process);
  for (const Target* target : Targets()) {
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
}  // namespace injection

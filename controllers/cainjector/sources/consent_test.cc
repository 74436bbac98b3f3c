// SPDX-License-Identifier: Apache-2.0
// Tests of sources that targets of another namespace name.
#include "controllers/cainjector/sources/consent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "capstan/base64.h"
#include "capstan/logging.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/config_map_source.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(AllowsNamespaceTest, ReadsAList) {
  EXPECT_TRUE(AllowsNamespace("shop", "shop"));
  EXPECT_TRUE(AllowsNamespace("team-a, shop ,team-b", "shop"));
  EXPECT_TRUE(AllowsNamespace("*", "shop"));
  for (const char* value : {"", ",", "shopping", "sho", "shop-*", "shop/x", "team-a,team-b"}) {
    EXPECT_FALSE(AllowsNamespace(value, "shop")) << value;
  }
}

class ConsentTest : public ::testing::Test {
 protected:
  // Writes a Secret or a ConfigMap in namespace "them" to the API server. It is in no cache.
  void Put(const std::string& resource, const std::string& name, const std::string& annotations,
           const std::string& data) {
    const bool secret = resource == "secrets";
    cluster_.PutObject("/api/v1/namespaces/them/" + resource + "/" + name,
                       std::string(R"({"kind":")") + (secret ? "Secret" : "ConfigMap") +
                           R"(","metadata":{"namespace":"them","name":")" + name +
                           R"(","uid":"u","resourceVersion":"1","annotations":{)" + annotations +
                           R"(}},"data":{)" + data + "}}");
  }
  void PutSecret(const std::string& name, const std::string& annotations,
                 const std::string& ca_crt) {
    Put("secrets", name, annotations, R"("ca.crt":")" + Base64Encode(ca_crt) + "\"");
  }
  void PutConfigMap(const std::string& name, const std::string& annotations,
                    const std::string& ca_crt) {
    Put("configmaps", name, annotations, R"("ca.crt":)" + Quoted(ca_crt));
  }
  void PutCertificate(const std::string& name, const std::string& secret) {
    certificates_.Upsert(Decode(
        CertManagerCertificate::Type(),
        R"({"kind":"Certificate","metadata":{"namespace":"them","name":")" + name +
            R"(","uid":"u","resourceVersion":"1"},"spec":{"secretName":")" + secret + "\"}}"));
  }
  // Returns what a target in namespace `ns` learns: a bundle, or the reason and the message.
  static std::string Answer(Source& source, const std::string& value, const std::string& ns) {
    const auto outcome = source.Get({}, value, ns);
    if (outcome) return "a bundle";
    return std::string(ToString(outcome.error().reason)) + ": " + outcome.error().message;
  }
  // Returns the answers for these objects, with NAME in place of their names.
  static std::set<std::string> Answers(Source& source, const std::vector<std::string>& names,
                                       const std::string& key = "") {
    std::set<std::string> answers;
    for (const std::string& name : names) {
      std::string answer = Answer(source, "them/" + name + key, "us");
      for (std::size_t at = 0; (at = answer.find("them/" + name)) != std::string::npos;) {
        answer.replace(at, 5 + name.size(), "NAME");
      }
      answers.insert(answer);
    }
    return answers;
  }

  FakeCluster cluster_;
  const std::string ca_ = NewCaPem();
  const std::string into_us_ = R"("capstan.dev/allow-injection-into":"us")";
  const std::string direct_ = R"("cert-manager.io/allow-direct-injection":"true")";
  cache::Indexer certificates_;
  CacheResolver certificate_resolver_{certificates_};
  std::unique_ptr<resolver::Resolver> secrets_ =
      resolver::NewResolver(SecretMetadataType(), {.client = cluster_.client.get()});
  std::unique_ptr<resolver::Resolver> config_maps_ =
      resolver::NewResolver(ConfigMapMetadataType(), {.client = cluster_.client.get()});
  CaCertLoader secret_loader_{*cluster_.client, *secrets_};
  CaCertLoader config_map_loader_{
      *cluster_.client, *config_maps_, {.kind = CaCertLoaderOptions::Kind::kConfigMap}};
  SecretSource secret_{secret_loader_, {}};
  CertificateSource certificate_{certificate_resolver_, secret_loader_, {}};
  ConfigMapSource config_map_{config_map_loader_, {}};
};

TEST_F(ConsentTest, ATargetLearnsNothingAboutSecretsOfAnotherNamespace) {
  PutSecret("plain", "", ca_);
  PutSecret("direct", direct_, ca_);
  PutSecret("for-others", direct_ + R"(,"capstan.dev/allow-injection-into":"other")", ca_);
  PutSecret("empty", direct_, "");
  PutSecret("garbage", direct_, "garbage");

  const auto answers =
      Answers(secret_, {"absent", "plain", "direct", "for-others", "empty", "garbage"});

  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(*answers.begin(), AllOf(HasSubstr("NotShared: Secret NAME is in another namespace"),
                                      HasSubstr("capstan.dev/allow-injection-into"),
                                      HasSubstr("--shared-source-namespaces")));
}

TEST_F(ConsentTest, ATargetLearnsNothingAboutConfigMapsOfAnotherNamespace) {
  PutConfigMap("plain", "", ca_);
  PutConfigMap("for-others", R"("capstan.dev/allow-injection-into":"other")", ca_);
  PutConfigMap("garbage", "", "garbage");

  EXPECT_THAT(Answers(config_map_, {"absent", "plain", "for-others", "garbage"}), SizeIs(1));
  EXPECT_THAT(Answers(config_map_, {"absent", "plain", "garbage"}, "/no-such-key"), SizeIs(1));
  EXPECT_THAT(Answer(config_map_, "them/plain", "us"), HasSubstr("NotShared"));
  EXPECT_EQ(config_map_loader_.Size(), 0U);
}

TEST_F(ConsentTest, ATargetLearnsNothingAboutCertificatesOfAnotherNamespace) {
  PutSecret("serving-tls", R"("cert-manager.io/certificate-name":"serving")", ca_);
  PutCertificate("serving", "serving-tls");
  PutCertificate("no-secret-name", "");
  PutCertificate("bad-secret-name", "..");
  PutCertificate("no-secret", "absent");
  PutCertificate("other", "serving-tls");

  const auto answers = Answers(certificate_, {"absent", "serving", "no-secret-name",
                                              "bad-secret-name", "no-secret", "other"});

  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_THAT(*answers.begin(), HasSubstr("its Secret does not have us in the annotation"));
}

TEST_F(ConsentTest, ASourceThatAllowsTheNamespaceIsUsed) {
  PutSecret("ca", direct_ + "," + into_us_, ca_);
  PutSecret("serving-tls", R"("cert-manager.io/certificate-name":"serving",)" + into_us_, ca_);
  PutCertificate("serving", "serving-tls");
  PutConfigMap("trust", into_us_, ca_);

  EXPECT_EQ(Answer(secret_, "them/ca", "us"), "a bundle");
  EXPECT_EQ(Answer(certificate_, "them/serving", "us"), "a bundle");
  EXPECT_EQ(Answer(config_map_, "them/trust", "us"), "a bundle");
  EXPECT_THAT(Answer(secret_, "them/ca", "others"), HasSubstr("NotShared"));
  EXPECT_THAT(Answer(certificate_, "them/serving", "others"), HasSubstr("NotShared"));
  EXPECT_THAT(Answer(config_map_, "them/trust", "others"), HasSubstr("NotShared"));
}

TEST_F(ConsentTest, ASourceThatAllowsTheNamespaceKeepsItsOtherRules) {
  PutSecret("ca", into_us_, ca_);
  EXPECT_THAT(Answer(secret_, "them/ca", "us"), HasSubstr("NotAllowed"));
  PutConfigMap("trust", into_us_, "garbage");
  EXPECT_THAT(Answer(config_map_, "them/trust", "us"), HasSubstr("InvalidBundle"));
  EXPECT_THAT(Answer(config_map_, "them/trust/key", "us"), HasSubstr("NoCaData"));
}

TEST_F(ConsentTest, ATargetOfTheSameNamespaceOrOfNoneNeedsNoConsent) {
  PutSecret("ca", direct_, ca_);
  PutConfigMap("trust", "", ca_);
  for (const std::string ns : {"them", ""}) {
    EXPECT_EQ(Answer(secret_, "them/ca", ns), "a bundle");
    EXPECT_EQ(Answer(config_map_, "them/trust", ns), "a bundle");
    EXPECT_EQ(Answer(config_map_, "them/absent", ns),
              "SourceNotFound: ConfigMap them/absent does not exist");
  }
}

TEST_F(ConsentTest, SourcesOfSharedNamespacesNeedNoConsent) {
  PutConfigMap("trust", "", ca_);
  for (const std::string& shared : {std::string("them"), std::string("*")}) {
    ConfigMapSource source(config_map_loader_, {.shared_namespaces = {shared}});
    EXPECT_EQ(Answer(source, "them/trust", "us"), "a bundle");
    EXPECT_THAT(Answer(source, "them/absent", "us"), HasSubstr("SourceNotFound"));
  }
}

// The cache lags: the owner has removed the annotation.
TEST_F(ConsentTest, ChecksTheConsentOfTheLoadedObject) {
  PutConfigMap("trust", into_us_, ca_);
  cache::Indexer cache;
  cache.Upsert(Decode(ConfigMapMetadataType(),
                      R"({"kind":"ConfigMap","metadata":{"namespace":"them","name":"trust",)"
                      R"("uid":"u","resourceVersion":"0","annotations":{)" +
                          into_us_ + "}}}"));
  CacheResolver cached(cache);
  CaCertLoader loader(*cluster_.client, cached, {.kind = CaCertLoaderOptions::Kind::kConfigMap});
  ConfigMapSource source(loader, {});
  PutConfigMap("trust", "", ca_);

  EXPECT_THAT(Answer(source, "them/trust", "us"), HasSubstr("NotShared"));
}

}  // namespace
}  // namespace capstan::cainjector

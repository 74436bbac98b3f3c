// SPDX-License-Identifier: Apache-2.0
// Tests of CustomResourceDefinitions: the validation of a conversion webhook's CA bundle.
#include "capstan/base64.h"
#include "capstan/testing/certificates.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr const char* kKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
constexpr const char* kBroken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

class DefinitionsTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    DeleteLater(Path());
  }
  std::string Name() const { return "things." + ns() + ".example.com"; }
  std::string Path() const { return std::string(kDefinitions) + "/" + Name(); }
  Answer Create(const std::string& bundle) const {
    return Post(kDefinitions,
                R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                R"("metadata":{"name":")" +
                    Name() + R"("},"spec":{"group":")" + ns() +
                    R"(.example.com","scope":"Namespaced","names":{"plural":"things",)"
                    R"("kind":"Thing"},"versions":[{"name":"v1","served":false,"storage":true,)"
                    R"("schema":{"openAPIV3Schema":{"type":"object"}}}],"conversion":{)"
                    R"("strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
                    R"("clientConfig":{"url":"https://x.example.com")" +
                    (bundle.empty() ? "" : R"(,"caBundle":")" + Base64Encode(bundle) + "\"") +
                    "}}}}}");
  }
  Answer Change(const std::string& bundle) const {
    return MergePatch(Path(), R"({"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":")" +
                                  Base64Encode(bundle) + R"("}}}}})");
  }
  // Creates a definition and waits until the server validates its bundle. A real server accepts any
  // bundle in a new definition for a short time.
  void CreateAndSettle(const std::string& bundle) const {
    EXPECT_EQ(Create(bundle).code, 201);
    for (int tries = 0; tries < 500 && Change("garbage").code == 200; ++tries) Change(bundle);
  }
  void ExpectRefused(const std::string& bundle, const std::string& why) const {
    EXPECT_REFUSED(Change(bundle),
                   Invalid("CustomResourceDefinition.apiextensions.k8s.io", Name(),
                           "spec.conversion.webhookClientConfig.caBundle", "FieldValueInvalid",
                           "Invalid value: \"" + Base64Encode(bundle) +
                               "\": unable to load root certificates: " + why));
  }

  const std::string ca_ = MakeCa({.common_name = "ca"})->cert_pem;
};

TEST_F(DefinitionsTest, AcceptsAnInvalidBundleInANewDefinition) {
  EXPECT_EQ(Create("garbage").code, 201);
  EXPECT_EQ(Change("other garbage").code, 200);
  EXPECT_EQ(Change(ca_).code, 200);
}

TEST_F(DefinitionsTest, RejectsAnInvalidBundleAfterAValidOrEmptyOne) {
  if (Minor() < 31) {  // these versions do not validate bundles
    EXPECT_EQ(Create(ca_).code, 201);
    EXPECT_EQ(Change("garbage").code, 200);
    return;
  }
  CreateAndSettle(ca_);
  ExpectRefused("garbage", "unable to parse bytes as PEM block");
  ExpectRefused(kKey, "no valid certificate authority data seen");
  ExpectRefused(kBroken, "failed to parse certificate: x509: malformed certificate");

  EXPECT_EQ(Change("").code, 200);
  ExpectRefused("garbage", "unable to parse bytes as PEM block");
}

TEST_F(DefinitionsTest, AcceptsABundleWithAtLeastOneCertificate) {
  if (Minor() < 31) {
    EXPECT_EQ(Create(ca_).code, 201);
  } else {
    CreateAndSettle(ca_);
  }

  EXPECT_EQ(Change(ca_ + kBroken).code, 200);
  EXPECT_EQ(Change(kBroken + ca_).code, 200);
  EXPECT_EQ(Change(ca_ + kKey).code, 200);
  EXPECT_EQ(Change("text\n" + ca_).code, 200);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

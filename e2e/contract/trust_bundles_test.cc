// SPDX-License-Identifier: Apache-2.0
// Tests of ClusterTrustBundles. They are skipped on a server without v1 of the kind.
#include "capstan/logging.h"
#include "capstan/testing/certificates.h"
#include "e2e/contract/broken_rules.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr const char* kCollection = "/apis/certificates.k8s.io/v1/clustertrustbundles";
constexpr const char* kSigner = "example.com/foo";

class TrustBundlesTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    if (Get(kCollection).code == 404) GTEST_SKIP() << "the server has no ClusterTrustBundles";
  }

  static std::string NewCa() { return MakeCa({.common_name = "ca"})->cert_pem; }
  // Returns the path of the bundle, which is deleted when the test ends.
  std::string Path(const std::string& name) {
    const std::string path = std::string(kCollection) + "/" + name;
    DeleteLater(path);
    return path;
  }
  static std::string Json(const std::string& name, const std::string& pem,
                          const std::string& signer = "") {
    return R"({"metadata":{"name":)" + Quoted(name) + R"(},"spec":{)" +
           (signer.empty() ? "" : R"("signerName":)" + Quoted(signer) + ",") + R"("trustBundle":)" +
           Quoted(pem) + "}}";
  }
  Answer Create(const std::string& name, const std::string& pem, const std::string& signer = "") {
    Path(name);
    return Post(kCollection, Json(name, pem, signer));
  }
  Refusal Refused(const std::string& name, const std::string& field, const std::string& message) {
    return RefusalFor("ClusterTrustBundle", "certificates.k8s.io", name,
                      {{"Invalid", field, "Invalid value: " + message}});
  }
  Refusal BadPem(const std::string& why) {
    return Refused(ns(), "spec.trustBundle", "\"<value omitted>\": " + why);
  }
  std::string OfSigner(const std::string& name) const { return "example.com:foo:" + name; }

  const std::string ca_ = NewCa();
};

TEST_F(TrustBundlesTest, StoresABundleAndSelectsItByItsSigner) {
  EXPECT_EQ(Create(ns(), ca_).code, 201);
  EXPECT_EQ(Create(OfSigner(ns()), ca_, kSigner).code, 201);

  const Answer found =
      Get(std::string(kCollection) + "?fieldSelector=spec.signerName%3Dexample.com%2Ffoo");
  EXPECT_THAT(found.body, ::testing::HasSubstr(OfSigner(ns())));
  EXPECT_THAT(found.body, ::testing::Not(::testing::HasSubstr("\"name\":\"" + ns() + "\"")));
}

TEST_F(TrustBundlesTest, RejectsTextThatIsNotABundleOfCas) {
  const auto ca = MakeCa({.common_name = "ca"});
  const auto leaf = MakeCertificate(*ca, {.common_name = "leaf"});
  EXPECT_REFUSED(Create(ns(), ""), BadPem("at least one trust anchor must be provided"));
  EXPECT_REFUSED(Create(ns(), "garbage"), BadPem("at least one trust anchor must be provided"));
  EXPECT_REFUSED(Create(ns(), ca_ + ca_), BadPem("duplicate trust anchor (indices [0 1])"));
  EXPECT_REFUSED(Create(ns(), ca_ + leaf->cert_pem),
                 BadPem("entry 1 does not have the CA bit set"));
  EXPECT_REFUSED(
      Create(ns(), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + ca_),
      BadPem("entry 0 does not parse as X.509"));
}

TEST_F(TrustBundlesTest, RequiresANameThatBeginsWithTheSigner) {
  EXPECT_REFUSED(Create(ns(), ca_, kSigner),
                 Refused(ns(), "metadata.name",
                         Quoted(ns()) + ": ClusterTrustBundle for signerName example.com/foo must "
                                        "be named with prefix example.com:foo:"));
  EXPECT_REFUSED(Create("a:" + ns(), ca_),
                 Refused("a:" + ns(), "metadata.name",
                         Quoted("a:" + ns()) + ": ClusterTrustBundle without signer name must not "
                                               "have \":\" in its name"));
}

TEST_F(TrustBundlesTest, RejectsInvalidSigners) {
  EXPECT_REFUSED(Create("foo:" + ns(), ca_, "foo"),
                 Refused("foo:" + ns(), "spec.signerName",
                         "\"foo\": must be a fully qualified domain and path of the form "
                         "'example.com/signer-name'"));
  EXPECT_REFUSED(Create("com:foo:" + ns(), ca_, "com/foo"),
                 Refused("com:foo:" + ns(), "spec.signerName",
                         "\"com\": should be a domain with at least two segments separated by "
                         "dots"));
}

TEST_F(TrustBundlesTest, KeepsTheSignerOfABundle) {
  Create(OfSigner(ns()), ca_, kSigner);
  const std::string path = Path(OfSigner(ns()));

  EXPECT_EQ(MergePatch(path, R"({"spec":{"trustBundle":)" + Quoted(NewCa()) + "}}").code, 200);
  EXPECT_EQ(MergePatch(path, R"({"spec":{"signerName":null}})").code, 422);
  EXPECT_EQ(MergePatch(path, R"({"spec":{"signerName":"example.com/bar"}})").code, 422);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

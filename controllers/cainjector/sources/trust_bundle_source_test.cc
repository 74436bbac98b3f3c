// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/trust_bundle_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "controllers/cainjector/api/trust_bundle.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TrustBundleSourceTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, const std::string& pem, const std::string& signer = "",
           ClusterTrustBundle::Labels labels = {}) {
    bundles_.push_back(runtime::MakeObject<ClusterTrustBundle>(
        runtime::ObjectIdentity{
            .namespace_ = "", .name = name, .uid = "u", .resource_version = "1"},
        ClusterTrustBundle::Fields{.signer_name = signer,
                                   .trust_bundle = std::make_shared<const std::string>(pem),
                                   .labels = std::move(labels)}));
  }
  // Returns the bundle as PEM, or the failure.
  std::string Get(const std::string& value) {
    const auto bundle = source_.Get({}, value);
    if (bundle) return EncodeBundle((*bundle)->certificates);
    return std::string(ToString(bundle.error().reason)) + ": " + bundle.error().message;
  }

  TrustBundles bundles_;
  TrustBundleSource source_{[this](const std::stop_token& /*stop*/,
                                   std::string_view name_or_signer) -> Expected<TrustBundles> {
    TrustBundles found;
    for (const auto& object : bundles_) {
      const auto& bundle = static_cast<const ClusterTrustBundle&>(*object);
      if (object->name() == name_or_signer || bundle.signer_name() == name_or_signer) {
        found.push_back(object);
      }
    }
    return found;
  }};
  const std::string ca_ = NewCaPem();
  const std::string other_ = NewCaPem();
};

TEST_F(TrustBundleSourceTest, ReadsOneBundleByItsName) {
  Put("roots", ca_);
  Put("others", other_);

  EXPECT_EQ(Get("roots"), ca_);
  EXPECT_EQ(Get("absent"), "SourceNotFound: ClusterTrustBundle absent does not exist");
  EXPECT_TRUE(source_.Get({}, "roots").value()->watched);
}

TEST_F(TrustBundleSourceTest, UnitesTheBundlesOfASignerInTheOrderOfTheirNames) {
  Put("example.com:foo:b", other_ + ca_, "example.com/foo");
  Put("example.com:foo:a", ca_, "example.com/foo");
  Put("example.com:bar:a", NewCaPem(), "example.com/bar");
  Put("roots", NewCaPem());

  EXPECT_EQ(Get("example.com/foo"), ca_ + other_);
}

TEST_F(TrustBundleSourceTest, SelectsBundlesOfASignerByTheirLabels) {
  Put("example.com:foo:a", ca_, "example.com/foo", {{"team", "web"}});
  Put("example.com:foo:b", other_, "example.com/foo", {{"team", "db"}});

  EXPECT_EQ(Get("example.com/foo; team=web"), ca_);
  EXPECT_EQ(Get("example.com/foo; team in (web,db)"), ca_ + other_);
  EXPECT_EQ(Get("example.com/foo; team=x"),
            "SourceNotFound: no ClusterTrustBundle matches example.com/foo; team=x");
  EXPECT_THAT(Get("example.com/none"), HasSubstr("SourceNotFound"));
}

TEST_F(TrustBundleSourceTest, RejectsABundleThatIsNotOneOfCertificates) {
  Put("example.com:foo:a", ca_, "example.com/foo");
  Put("example.com:foo:b", "hush", "example.com/foo");

  EXPECT_THAT(Get("example.com/foo"),
              AllOf(HasSubstr("InvalidBundle: spec.trustBundle of ClusterTrustBundle "
                              "example.com:foo:b: there is no PEM block"),
                    Not(HasSubstr("hush"))));
}

TEST_F(TrustBundleSourceTest, RejectsBadValues) {
  for (const std::string value : {"", "Roots", "roots; a=b", "example.com/foo; a b"}) {
    EXPECT_THAT(Get(value), HasSubstr("BadAnnotation: annotation "
                                      "capstan.dev/inject-ca-from-clustertrustbundle is \"" +
                                      value + "\", must be \"NAME\" of a ClusterTrustBundle"));
  }
}

TEST_F(TrustBundleSourceTest, DescribesANameAndASigner) {
  EXPECT_EQ(source_.Describe("roots"), "ClusterTrustBundle roots");
  EXPECT_EQ(source_.Describe("example.com/foo; a=b"),
            "ClusterTrustBundles of example.com/foo; a=b");
}

TEST(LiveTrustBundlesTest, PrefersTheNewerOfTheServedVersions) {
  const auto list = [](const std::string& pem) {
    return ListJson(R"({"metadata":{"name":"roots","uid":"u","resourceVersion":"1"},)"
                    R"("spec":{"trustBundle":")" +
                    pem + R"("}})");
  };
  const auto found = [](FakeCluster& cluster) {
    const auto find = LiveTrustBundles(*cluster.client);
    const auto bundles = find({}, "roots");
    if (!bundles) {
      const auto bundle = TrustBundleSource(find).Get({}, "roots");
      return std::string(ToString(bundle.error().reason));
    }
    return static_cast<const ClusterTrustBundle&>(*bundles->at(0)).trust_bundle();
  };
  const std::string v1 = "/apis/certificates.k8s.io/v1/clustertrustbundles";
  const std::string v1beta1 = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles";
  const std::string query = "?fieldSelector=metadata.name%3Droots";
  FakeCluster cluster;

  EXPECT_EQ(found(cluster), "SourceUnavailable");
  cluster.PutObject(v1beta1 + query, list("of v1beta1"));
  EXPECT_EQ(found(cluster), "of v1beta1");
  cluster.PutObject(v1 + query, list("of v1"));
  EXPECT_EQ(found(cluster), "of v1");
  cluster.Fail("GET " + v1, 403, "Forbidden", "no RBAC");
  EXPECT_EQ(found(cluster), "SourceUnavailable");
}

}  // namespace
}  // namespace capstan::cainjector

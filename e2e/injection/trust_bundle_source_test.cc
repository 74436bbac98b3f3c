// SPDX-License-Identifier: Apache-2.0
// Tests of ClusterTrustBundles as sources. They are skipped on a server without the kind.
#include <utility>

#include "capstan/api/object_metadata.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/api/trust_bundle.h"
#include "controllers/cainjector/sources/trust_bundle_source.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The rights that the chart adds for this source.
constexpr std::pair<const char*, const char*> kRights[] = {
    {"clusterroles", R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
                     R"("metadata":{"name":"capstan-trust-bundle-source"},"rules":[)"
                     R"({"apiGroups":["certificates.k8s.io"],"resources":["clustertrustbundles"],)"
                     R"("verbs":["list","watch"]}]})"},
    {"clusterrolebindings",
     R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
     R"("metadata":{"name":"capstan-trust-bundle-source"},"roleRef":)"
     R"({"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
     R"("name":"capstan-trust-bundle-source"},"subjects":[)"
     R"({"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"capstan"}]})"}};

class TrustBundleSourceTest : public InjectionTest {
 protected:
  void SetUp() override {
    InjectionTest::SetUp();
    for (const auto* type : {&cainjector::ClusterTrustBundle::TypeV1(),
                             &cainjector::ClusterTrustBundle::TypeV1Beta1()}) {
      if (!observer_->List({}, *type, {}, [](const auto&) {})) continue;
      type_ = type;
      break;
    }
    if (type_ == nullptr) GTEST_SKIP() << "the server has no ClusterTrustBundles";
    for (const auto& [plural, json] : kRights) {
      const auto type = api::MakeMetadataType(
          {.gvr = {"rbac.authorization.k8s.io", "v1", plural}, .kind = "", .annotations = {}});
      const auto created = observer_->Create({}, type, "", json);
      ASSERT_TRUE(created || IsAlreadyExists(created.error())) << created.error().message;
    }
  }
  void TearDown() override {
    for (const std::string& name : bundles_) {
      const auto deleted = observer_->Delete({}, *type_, {"", name});
      EXPECT_TRUE(deleted || IsNotFound(deleted.error())) << deleted.error().message;
    }
    InjectionTest::TearDown();
  }

  // Returns the name of a bundle of the signer.
  std::string OfSigner(const std::string& name) const {
    return "example.com:" + Own("foo") + ":" + name;
  }
  std::string Json(const std::string& name, const std::string& pem,
                   const cainjector::Annotations& labels) {
    const bool has_signer = name.find(':') != std::string::npos;
    return cainjector::StoredTrustBundle(name, pem,
                                         {.signer = has_signer ? signer() : "",
                                          .labels = labels,
                                          .api_version = type_->gvr.ApiVersion()});
  }
  void CreateBundle(const std::string& name, const std::string& pem,
                    const cainjector::Annotations& labels = {}) {
    bundles_.push_back(name);
    const auto created = observer_->Create({}, *type_, "", Json(name, pem, labels));
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  void UpdateBundle(const std::string& name, const std::string& pem,
                    const cainjector::Annotations& labels = {}) {
    const auto updated =
        observer_->Patch({}, *type_, {"", name}, rest::PatchType::kMerge, Json(name, pem, labels));
    ASSERT_TRUE(updated.has_value()) << updated.error().message;
  }
  void DeleteBundle(const std::string& name) {
    ASSERT_TRUE(observer_->Delete({}, *type_, {"", name}).has_value());
  }
  std::string signer() const { return "example.com/" + Own("foo"); }
  static cainjector::CaInjectorOptions Enabled() { return {.cluster_trust_bundles = true}; }

  const runtime::ResourceType* type_ = nullptr;
  const std::string other_ = cainjector::NewCaPem();

 private:
  std::vector<std::string> bundles_;
};

TEST_F(TrustBundleSourceTest, InjectsABundleByItsNameAndFollowsARotation) {
  CreateBundle(Own("roots"), ca_);
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, Own("roots")}});
  const cainjector::Process process(connection_, Enabled());
  ASSERT_TRUE(AllComeToHold("t", ca_));

  UpdateBundle(Own("roots"), other_);

  EXPECT_TRUE(AllComeToHold("t", ca_ + other_));
  EXPECT_EQ(Gets("clustertrustbundles"), 0U);
}

TEST_F(TrustBundleSourceTest, InjectsABundleCreatedLater) {
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, Own("roots")}});
  CreateTargets("s", {{cainjector::kInjectCaFromTrustBundle, signer()}});
  cainjector::Process process(connection_, Enabled());
  ASSERT_TRUE(AllGetEvent(process, "t", "ClusterTrustBundle roots does not exist"));
  ASSERT_TRUE(AllGetEvent(process, "s", "no ClusterTrustBundle matches example.com/foo"));

  CreateBundle(Own("roots"), ca_);
  CreateBundle(OfSigner("a"), other_);

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(AllComeToHold("s", other_));
}

TEST_F(TrustBundleSourceTest, FollowsTheBundlesOfASignerAndTheirLabels) {
  CreateBundle(OfSigner("b"), ca_, {{"team", "web"}});
  CreateBundle(OfSigner("c"), cainjector::NewCaPem(), {{"team", "db"}});
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, signer() + "; team=web"}});
  cainjector::CaInjectorOptions options = Enabled();
  options.merge_bundles = false;
  cainjector::Process process(connection_, options);
  ASSERT_TRUE(AllComeToHold("t", ca_));

  CreateBundle(OfSigner("a"), other_, {{"team", "web"}});
  ASSERT_TRUE(AllComeToHold("t", other_ + ca_)) << "in the order of the names";
  UpdateBundle(OfSigner("b"), ca_, {{"team", "db"}});
  ASSERT_TRUE(AllComeToHold("t", other_));
  DeleteBundle(OfSigner("a"));

  EXPECT_TRUE(AllGetEvent(process, "t", "no ClusterTrustBundle matches example.com/foo; team=web"));
  EXPECT_TRUE(AllHold("t", other_));
}

TEST_F(TrustBundleSourceTest, IsOneOfSeveralSources) {
  Create({cainjector::StoredSecret(ca_)});
  CreateBundle(Own("roots"), other_);
  CreateTargets(
      "t", {{cainjector::kInjectCaFromSources, "secret/ns/ca, clustertrustbundle/" + Own("roots") +
                                                   ", clustertrustbundle/" + signer()}});
  cainjector::Process process(connection_, Enabled());
  ASSERT_TRUE(AllComeToHold("t", ca_ + other_));
  ASSERT_TRUE(AllGetEvent(process, "t", "SourcesIncomplete"));
  const std::string of_signer = cainjector::NewCaPem();

  CreateBundle(OfSigner("a"), of_signer);
  ASSERT_TRUE(AllComeToHold("t", ca_ + other_ + of_signer));
  const std::string rotated = cainjector::NewCaPem();
  UpdateBundle(Own("roots"), rotated);

  EXPECT_TRUE(AllComeToHold("t", ca_ + other_ + of_signer + rotated));
}

TEST_F(TrustBundleSourceTest, ReportsBadValues) {
  CreateTargets("name", {{cainjector::kInjectCaFromTrustBundle, "Roots"}});
  CreateTargets("selector",
                {{cainjector::kInjectCaFromTrustBundle, "example.com/foo; team is web"}});
  cainjector::Process process(connection_, Enabled());

  EXPECT_TRUE(AllGetEvent(process, "name", "is \"Roots\", must be \"NAME\" of a"));
  EXPECT_TRUE(AllGetEvent(process, "selector", "\"team is web\" is not a label selector"));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(TrustBundleSourceTest, IsDisabledByDefaultAndThenCostsNoRequest) {
  CreateBundle(Own("roots"), ca_);
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, Own("roots")}});
  cainjector::Process process(connection_);

  EXPECT_TRUE(AllGetEvent(process, "t",
                          "ClusterTrustBundles are disabled as a source (feature gate "
                          "ClusterTrustBundleSource)"));
  EXPECT_TRUE(AllHold("t", ""));
  EXPECT_EQ(recorder_.Count("GET", {"/clustertrustbundles"}), 0U);
}

TEST_F(TrustBundleSourceTest, WorksWithoutTheKind) {
  recorder_.Refuse("/clustertrustbundles?", 404, "the server could not find the resource");
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, Own("roots")}});
  CreateTargets("s", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_, Enabled());

  EXPECT_TRUE(AllGetEvent(process, "t", "SourceUnavailable"));
  EXPECT_TRUE(AllComeToHold("s", ca_));
  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  EXPECT_THAT(process.ReadyText(), HasSubstr("[i]caches-clustertrustbundles: "));
}

TEST_F(TrustBundleSourceTest, FailsReadyzWithoutRights) {
  recorder_.Refuse("/clustertrustbundles?", 403, "clustertrustbundles is forbidden: no RBAC");
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t",
                {{cainjector::kInjectCaFromSources, "secret/ns/ca, clustertrustbundle/roots"}});
  cainjector::Process process(connection_, Enabled());

  EXPECT_TRUE(AllComeToHold("t", ca_));
  EXPECT_TRUE(AllGetEvent(process, "t", "clustertrustbundle/roots: SourceUnavailable: "));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[-]caches-clustertrustbundles failed"));
}

TEST_F(TrustBundleSourceTest, NeedsOneOfTheTwoVersions) {
  CreateBundle(Own("roots"), ca_);
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, Own("roots")}});
  cainjector::Process process(connection_, Enabled());
  ASSERT_TRUE(AllComeToHold("t", ca_));

  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  EXPECT_THAT(process.ReadyText(), Not(HasSubstr("[i]caches-clustertrustbundles")));
}

// No server here serves both versions, so the other one is the missing one.
TEST_F(TrustBundleSourceTest, ReadsEitherVersionWhenTheOtherIsNotServed) {
  CreateBundle(OfSigner("a"), ca_);
  const auto& other = type_ == &cainjector::ClusterTrustBundle::TypeV1()
                          ? cainjector::ClusterTrustBundle::TypeV1Beta1()
                          : cainjector::ClusterTrustBundle::TypeV1();
  cache::SharedInformerFactory informers(*observer_, cache::FactoryOptions{});
  const auto served = cainjector::NewView(informers, *type_, {{}});
  const auto missing = cainjector::NewView(informers, other, {{}});
  cainjector::AddSignerIndex(*served);
  cainjector::AddSignerIndex(*missing);
  std::stop_source stop;
  informers.Start(stop.get_token());
  ASSERT_TRUE(
      testing::Eventually([&] { return served->HasSynced() && cainjector::NotServed(*missing); }));

  EXPECT_EQ(cainjector::CachedTrustBundles(*served, *missing)({}, signer())->size(), 1U);
  EXPECT_EQ(cainjector::CachedTrustBundles(*missing, *served)({}, OfSigner("a"))->size(), 1U);
  cainjector::TrustBundleSource source(cainjector::CachedTrustBundles(*missing, *missing));
  EXPECT_EQ(source.Get({}, "roots").error().reason, cainjector::Reason::kSourceUnavailable);
  stop.request_stop();
}

}  // namespace
}  // namespace capstan::injection

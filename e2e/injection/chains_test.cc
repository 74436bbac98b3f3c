// SPDX-License-Identifier: Apache-2.0
// Tests of targets that are sources of others: chains, and loops. ConfigMaps and
// ClusterTrustBundles can be both. What needs ClusterTrustBundles is skipped on a server without
// the kind.
#include <utility>

#include "capstan/api/config_map.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"
#include "controllers/cainjector/targets/config_map_target.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

constexpr const char* kChainsRole =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
    R"("metadata":{"name":"capstan-chains"},"rules":[{"apiGroups":["","certificates.k8s.io"],)"
    R"("resources":["configmaps","clustertrustbundles"],"verbs":["get","list","watch","patch"]},)"
    R"({"apiGroups":["certificates.k8s.io"],"resources":["signers"],)"
    R"("resourceNames":["example.com/chains"],"verbs":["attest"]}]})";
constexpr const char* kChainsBinding =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
    R"("metadata":{"name":"capstan-chains"},"roleRef":)"
    R"({"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"capstan-chains"},)"
    R"("subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"capstan"}]})";

constexpr const char* kSigner = "example.com/chains";
constexpr const char* kSignerName = R"("signerName":"example.com/chains",)";

class ChainsTest : public InjectionTest {
 protected:
  void SetUp() override {
    InjectionTest::SetUp();
    version_ = cainjector::FindClusterTrustBundleVersion({}, *observer_).value();
    Grant(kChainsRole, kChainsBinding);
    Create({cainjector::StoredSecret(ca_), cainjector::StoredSecret(other_, "other")});
  }
  void TearDown() override {
    for (const std::string& name : bundles_) {
      const auto deleted = observer_->Delete({}, Bundles().type(), {"", name});
      EXPECT_TRUE(deleted.has_value()) << deleted.error().message;
    }
    InjectionTest::TearDown();
  }

  bool HasBundles() const {
    return observer_->List({}, Bundles().type(), {}, [](const auto&) {}).has_value();
  }
  cainjector::CaInjectorOptions Options(bool merge_bundles = true) const {
    return {.namespaces = {Own("ns")},
            .cluster_trust_bundles = true,
            .kinds = {.config_maps = true,
                      .cluster_trust_bundles = true,
                      .trust_bundle_version = version_},
            .merge_bundles = merge_bundles};
  }
  const cainjector::Target& Bundles() const {
    return cainjector::ClusterTrustBundleTarget(version_);
  }
  std::string ConfigMapRef(const std::string& name) const { return Own("ns") + "/" + Own(name); }

  // Creates a ConfigMap that is target and source.
  void CreateConfigMap(const std::string& name, const cainjector::Annotations& annotations,
                       const std::string& data = "{}") {
    const std::string json =
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + Own(name) +
        R"(","labels":{"inject.capstan.dev/enabled":"true","cache.capstan.dev/enabled":"true"},)" +
        Json(annotations) + R"(},"data":)" + data + "}";
    const auto created = observer_->Create({}, TypeOf<api::ConfigMap>(), Own("ns"), Moved(json),
                                           {.field_manager = "team"});
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  // A name like "example.com:chains:a" is of the signer kSigner.
  void CreateBundle(const std::string& name, const cainjector::Annotations& annotations,
                    const std::string& pem) {
    bundles_.push_back(Own(name));
    const std::string json = R"({"apiVersion":"certificates.k8s.io/)" + version_ +
                             R"(","kind":"ClusterTrustBundle","metadata":{"name":")" + Own(name) +
                             R"(",)" + Json(annotations) + R"(},"spec":{)" +
                             (name.find(':') == std::string::npos ? "" : kSignerName) +
                             R"("trustBundle":)" + Quoted(pem) + "}}";
    const auto created = observer_->Create({}, Bundles().type(), "", Moved(json));
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  // Replaces the annotations.
  void Annotate(const cainjector::Target& target, const std::string& name,
                const cainjector::Annotations& annotations) {
    const runtime::ObjectKey key{target.type().namespaced ? Own("ns") : "", Own(name)};
    for (const std::string& patch : {std::string(R"({"metadata":{"annotations":null}})"),
                                     R"({"metadata":{)" + Json(annotations) + "}}"}) {
      const auto patched =
          observer_->Patch({}, target.type(), key, rest::PatchType::kMerge, Moved(patch));
      ASSERT_TRUE(patched.has_value()) << patched.error().message;
    }
  }
  std::string Held(const cainjector::Target& target, const std::string& name) const {
    const runtime::ObjectKey key{target.type().namespaced ? Own("ns") : "", Own(name)};
    const auto object = observer_->Get({}, target.content_type(), key);
    return object ? target.Bundles(**object).front() : object.error().message;
  }
  bool ComeToHold(const cainjector::Target& target, const std::string& name,
                  const std::string& bundle) const {
    return testing::Eventually([&] { return Held(target, name) == bundle; });
  }
  // Returns whether nothing more is written, although the process reconciles all targets again.
  bool IsStable(cainjector::Process& process) {
    PassFence(process);
    const auto writes = Writes();
    PassFence(process);
    return Writes() == writes;
  }

  std::string version_;
  const std::string other_ = cainjector::NewCaPem();

 private:
  static std::string Json(const cainjector::Annotations& annotations) {
    std::string json;
    for (const auto& [name, value] : annotations) {
      json += (json.empty() ? "" : ",") + Quoted(name) + ":" + Quoted(value);
    }
    return "\"annotations\":{" + json + "}";
  }
  static std::string Quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
    return quoted + "\"";
  }

  std::vector<std::string> bundles_;
};

TEST_F(ChainsTest, ARotationPassesThroughAClusterTrustBundleToAWebhook) {
  if (!HasBundles()) GTEST_SKIP() << "the server has no ClusterTrustBundles";
  CreateBundle("roots", {{cainjector::kInjectCaFromSecret, "ns/ca"}}, ca_);
  CreateTargets("t", {{cainjector::kInjectCaFromTrustBundle, Own("roots")}});
  cainjector::Process process(connection_, Options());
  ASSERT_TRUE(AllComeToHold("t", ca_));

  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));

  EXPECT_TRUE(AllComeToHold("t", ca_ + rotated));
  EXPECT_TRUE(IsStable(process));
}

TEST_F(ChainsTest, TwoConfigMapsThatNameEachOtherAreReportedAndKeepTheirBundles) {
  for (const bool merge_bundles : {true, false}) {
    SCOPED_TRACE(merge_bundles);
    const std::string a = merge_bundles ? "a" : "c";
    const std::string b = merge_bundles ? "b" : "d";
    CreateConfigMap(a, {{cainjector::kInjectCaFromSecret, "ns/ca"}});
    CreateConfigMap(b, {{cainjector::kInjectCaFromSecret, "ns/other"}});
    cainjector::Process process(connection_, Options(merge_bundles));
    ASSERT_TRUE(ComeToHold(cainjector::ConfigMapTarget(), a, ca_));
    ASSERT_TRUE(ComeToHold(cainjector::ConfigMapTarget(), b, other_));

    Annotate(cainjector::ConfigMapTarget(), a,
             {{cainjector::kInjectCaFromConfigMap, ConfigMapRef(b)}});
    const std::string followed = merge_bundles ? ca_ + other_ : other_;
    ASSERT_TRUE(ComeToHold(cainjector::ConfigMapTarget(), a, followed));
    Annotate(cainjector::ConfigMapTarget(), b,
             {{cainjector::kInjectCaFromConfigMap, ConfigMapRef(a)}});

    for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
      EXPECT_TRUE(GetsEvent(process, "Warning BadAnnotation ConfigMap/" + one +
                                         ": the target is a source of itself, through ConfigMap "
                                         "ns/" +
                                         other));
    }
    EXPECT_TRUE(IsStable(process));
    EXPECT_EQ(Held(cainjector::ConfigMapTarget(), a), followed);
    EXPECT_EQ(Held(cainjector::ConfigMapTarget(), b), other_);
  }
}

TEST_F(ChainsTest, ALoopThatIsCorrectedIsInjectedAgain) {
  CreateConfigMap("a", {{cainjector::kInjectCaFromConfigMap, ConfigMapRef("b")}});
  CreateConfigMap("b", {{cainjector::kInjectCaFromConfigMap, ConfigMapRef("c")}});
  CreateConfigMap("c", {{cainjector::kInjectCaFromConfigMap, ConfigMapRef("a")}});
  cainjector::Process process(connection_, Options());
  for (const std::string name : {"a", "b", "c"}) {
    ASSERT_TRUE(GetsEvent(process, "Warning BadAnnotation ConfigMap/" + name));
  }

  Annotate(cainjector::ConfigMapTarget(), "c", {{cainjector::kInjectCaFromSecret, "ns/ca"}});

  for (const std::string name : {"c", "b", "a"}) {
    EXPECT_TRUE(ComeToHold(cainjector::ConfigMapTarget(), name, ca_)) << name;
  }
}

TEST_F(ChainsTest, TwoClusterTrustBundlesThatNameEachOtherLoseNothing) {
  if (!HasBundles()) GTEST_SKIP() << "the server has no ClusterTrustBundles";
  CreateBundle("a", {{cainjector::kInjectCaFromTrustBundle, Own("b")}}, ca_);
  CreateBundle("b", {{cainjector::kInjectCaFromTrustBundle, Own("a")}}, other_);
  cainjector::Process process(connection_, Options());

  for (const auto& [one, other] : {std::pair("a", "b"), std::pair("b", "a")}) {
    EXPECT_TRUE(GetsEvent(process, std::string("Warning BadAnnotation ClusterTrustBundle/") + one +
                                       ": the target is a source of itself, through "
                                       "ClusterTrustBundle " +
                                       other));
  }
  EXPECT_TRUE(IsStable(process));
  EXPECT_EQ(Held(Bundles(), "a"), ca_);
  EXPECT_EQ(Held(Bundles(), "b"), other_);
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(ChainsTest, ABundleMayTakeThoseOfItsOwnSigner) {
  if (!HasBundles()) GTEST_SKIP() << "the server has no ClusterTrustBundles";
  CreateBundle("example.com:chains:a", {{cainjector::kInjectCaFromTrustBundle, kSigner}}, ca_);
  CreateBundle("example.com:chains:b", {}, other_);
  for (const bool merge_bundles : {false, true}) {
    cainjector::Process process(connection_, Options(merge_bundles));

    EXPECT_TRUE(ComeToHold(Bundles(), "example.com:chains:a", ca_ + other_));
    EXPECT_TRUE(IsStable(process));
  }
  EXPECT_EQ(Writes(), 1U);
}

TEST_F(ChainsTest, ALoopOfBothKindsIsReported) {
  if (!HasBundles()) GTEST_SKIP() << "the server has no ClusterTrustBundles";
  CreateBundle("b", {{cainjector::kInjectCaFromConfigMap, ConfigMapRef("a")}}, other_);
  CreateConfigMap(
      "a", {{cainjector::kInjectCaFromSources, "secret/ns/ca, clustertrustbundle/" + Own("b")}});
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(GetsEvent(process,
                        "Warning BadAnnotation ClusterTrustBundle/b: the target is a source of "
                        "itself, through ConfigMap ns/a"));
  EXPECT_TRUE(GetsEvent(process,
                        "Warning SourcesIncomplete ConfigMap/a: 1 of 2 sources failed: "
                        "clustertrustbundle/b: BadAnnotation: the target is a source of itself"));
  EXPECT_TRUE(IsStable(process));
  EXPECT_EQ(Held(cainjector::ConfigMapTarget(), "a"), ca_);
  EXPECT_EQ(Held(Bundles(), "b"), other_);
}

TEST_F(ChainsTest, ATargetThatNamesItselfIsReported) {
  CreateConfigMap("self", {{cainjector::kInjectCaFromConfigMap, ConfigMapRef("self")}});
  cainjector::Process process(connection_, Options());
  EXPECT_TRUE(GetsEvent(
      process, "Warning BadAnnotation ConfigMap/self: the target is a source of itself; name "));
  if (HasBundles()) {
    CreateBundle("self", {{cainjector::kInjectCaFromTrustBundle, Own("self")}}, ca_);
    EXPECT_TRUE(GetsEvent(process, "Warning BadAnnotation ClusterTrustBundle/self: "));
    EXPECT_EQ(Held(Bundles(), "self"), ca_);
  }
  EXPECT_TRUE(IsStable(process));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(ChainsTest, AConfigMapMayTakeAnotherKeyOfItself) {
  std::string escaped;
  for (const char c : ca_) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  CreateConfigMap("self",
                  {{cainjector::kInjectCaFromConfigMap, ConfigMapRef("self") + "/root.pem"}},
                  R"({"root.pem":")" + escaped + "\"}");
  cainjector::Process process(connection_, Options());

  EXPECT_TRUE(ComeToHold(cainjector::ConfigMapTarget(), "self", ca_));
  EXPECT_TRUE(IsStable(process));
  EXPECT_EQ(Writes(), 1U);
}

}  // namespace
}  // namespace capstan::injection

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/source_loops.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/union_source.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"
#include "controllers/cainjector/targets/config_map_target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

// NamedSource returns the same bundle for each value, and remembers that it was read.
class NamedSource final : public Source {
 public:
  NamedSource(std::string_view annotation, std::string_view kind)
      : annotation_(annotation), kind_(kind) {}
  std::string_view annotation() const override { return annotation_; }
  std::string_view kind() const override { return kind_; }
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token /*stop*/, std::string_view value,
                                                std::string_view target_namespace) override {
    read += std::string(value) + ";";
    last_target_namespace = target_namespace;
    if (value == "ns/absent") return Fail(Reason::kSourceNotFound, "it does not exist");
    return MakeSourceBundle("test", pem);
  }
  const std::string pem = NewCaPem();
  std::string read;
  std::string last_target_namespace;

 private:
  const std::string_view annotation_;
  const std::string_view kind_;
};

class SourceLoopsTest : public ::testing::Test {
 protected:
  // Adds a target with one annotation, and returns it. A ConfigMap is "namespace/name".
  runtime::ObjectPtr Add(const Target& target, const std::string& key, std::string_view annotation,
                         const std::string& value, const std::string& data_key = "ca.crt") {
    const auto slash = key.find('/');
    const std::string ns = slash == std::string::npos ? "" : key.substr(0, slash);
    auto object =
        Decode(target.type(), R"({"apiVersion":"v1","kind":"x","metadata":{"name":")" +
                                  key.substr(slash + 1) + R"(","namespace":")" + ns +
                                  R"(","uid":"u","resourceVersion":"1","annotations":{")" +
                                  std::string(annotation) + R"(":")" + value +
                                  R"(","capstan.dev/inject-ca-key":")" + data_key + "\"}}}");
    targets_[{SourceAnnotationOf(target), key}] = object;
    return object;
  }
  runtime::ObjectPtr AddConfigMap(const std::string& key, const std::string& from,
                                  const std::string& data_key = "ca.crt") {
    return Add(ConfigMapTarget(), key, kInjectCaFromConfigMap, from, data_key);
  }
  tl::expected<SourceBundlePtr, Failure> Get(const Target& target,
                                             const runtime::ObjectPtr& object) {
    return loops_.Get({}, target, *object, SelectSource(*object, sources_));
  }
  // Returns "" for a bundle, or the failure.
  std::string FailureOf(const Target& target, const runtime::ObjectPtr& object) {
    const auto bundle = Get(target, object);
    if (bundle) return "";
    EXPECT_FALSE(bundle.error().watched);
    return std::string(ToString(bundle.error().reason)) + ": " + bundle.error().message;
  }

  std::map<std::pair<std::string_view, std::string>, runtime::ObjectPtr> targets_;
  NamedSource secrets_{kInjectCaFromSecret, "Secret"};
  NamedSource config_maps_{kInjectCaFromConfigMap, "ConfigMap"};
  NamedSource bundles_{kInjectCaFromTrustBundle, "ClusterTrustBundle"};
  UnionSource union_{{&secrets_, &config_maps_, &bundles_}, {}};
  const std::vector<Source*> sources_ = {&secrets_, &config_maps_, &bundles_, &union_};
  const SourceLoops::FindTarget find_ = [this](const std::stop_token&, std::string_view annotation,
                                               const std::string& key) -> runtime::ObjectPtr {
    const auto found = targets_.find({annotation, key});
    return found == targets_.end() ? nullptr : found->second;
  };
  const SourceLoops loops_{sources_, find_};
};

TEST_F(SourceLoopsTest, RejectsATargetThatNamesItself) {
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("ns/a", "ns/a")),
            "BadAnnotation: the target is a source of itself; name another source");
  const auto& bundles = ClusterTrustBundleTarget("v1beta1");
  EXPECT_EQ(FailureOf(bundles, Add(bundles, "a", kInjectCaFromTrustBundle, "a")),
            "BadAnnotation: the target is a source of itself; name another source");
  EXPECT_EQ(config_maps_.read + bundles_.read, "");
}

TEST_F(SourceLoopsTest, FollowsTargetsOfBothKindsAndLists) {
  const auto& bundles = ClusterTrustBundleTarget("v1");
  const auto a = AddConfigMap("ns/a", "ns/b/pem");
  const auto b = Add(ConfigMapTarget(), "ns/b", kInjectCaFromTrustBundle, "c", "pem");
  Add(bundles, "c", kInjectCaFromSources, "secret/ns/ca, configmap/ns/a");

  EXPECT_EQ(FailureOf(ConfigMapTarget(), a),
            "BadAnnotation: the target is a source of itself, through ConfigMap ns/b, "
            "ClusterTrustBundle c; name another source");
  EXPECT_EQ(FailureOf(ConfigMapTarget(), b),
            "BadAnnotation: the target is a source of itself, through ClusterTrustBundle c, "
            "ConfigMap ns/a; name another source");
}

TEST_F(SourceLoopsTest, PassesTheNamespaceOfTheTarget) {
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("shop/a", "ns/b")), "");
  EXPECT_EQ(config_maps_.last_target_namespace, "shop");
}

// The message would name them.
TEST_F(SourceLoopsTest, DoesNotFollowTargetsOfAnotherNamespaceWithoutTheirConsent) {
  const auto ours = AddConfigMap("us/a", "them/b");
  AddConfigMap("them/b", "us/a");
  EXPECT_EQ(FailureOf(ConfigMapTarget(), ours), "");

  const SourceLoops shared(sources_, find_, {"us", "them"});
  EXPECT_FALSE(shared.Get({}, ConfigMapTarget(), *ours, SelectSource(*ours, sources_)).has_value());
}

TEST_F(SourceLoopsTest, AcceptsAChainAndATargetBesideALoop) {
  AddConfigMap("ns/a", "ns/b");
  AddConfigMap("ns/b", "ns/a");
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("ns/c", "ns/a")), "");
  Add(ConfigMapTarget(), "ns/d", kInjectCaFromSecret, "ns/ca");
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("ns/e", "ns/d")), "");
}

TEST_F(SourceLoopsTest, DistinguishesTheKeysOfAConfigMap) {
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("ns/a", "ns/a/root.pem")), "");
  AddConfigMap("ns/b", "ns/c", "other");  // nobody reads what is written here
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("ns/c", "ns/b")), "");
}

TEST_F(SourceLoopsTest, LeavesOutTheItemOfAList) {
  AddConfigMap("ns/b", "ns/a");
  const auto a = Add(ConfigMapTarget(), "ns/a", kInjectCaFromSources,
                     "configmap/ns/b, secret/ns/absent, secret/ns/ca");

  const auto bundle = Get(ConfigMapTarget(), a);

  ASSERT_TRUE(bundle.has_value()) << bundle.error().message;
  EXPECT_EQ(EncodeBundle((*bundle)->certificates), secrets_.pem);
  EXPECT_EQ((*bundle)->incomplete.value().message,
            "2 of 3 sources failed: configmap/ns/b: BadAnnotation: the target is a source of "
            "itself, through ConfigMap ns/b; name another source; secret/ns/absent: "
            "SourceNotFound: it does not exist");
  EXPECT_EQ(config_maps_.read, "");
}

TEST_F(SourceLoopsTest, FailsWhenNoItemOfAListIsLeft) {
  const auto a = Add(ConfigMapTarget(), "ns/a", kInjectCaFromSources, "configmap/ns/a");
  EXPECT_EQ(FailureOf(ConfigMapTarget(), a),
            "BadAnnotation: the target is a source of itself; name another source");
  const auto b =
      Add(ConfigMapTarget(), "ns/b", kInjectCaFromSources, "configmap/ns/b, secret/ns/absent");
  EXPECT_EQ(FailureOf(ConfigMapTarget(), b),
            "BadAnnotation: all 2 sources failed: configmap/ns/b: BadAnnotation: the target is a "
            "source of itself; name another source; secret/ns/absent: SourceNotFound: it does not "
            "exist");
}

TEST_F(SourceLoopsTest, ShortensALongLoop) {
  constexpr int kLength = 5000;
  for (int i = 1; i < kLength; ++i) {
    AddConfigMap("ns/" + std::to_string(i), "ns/" + std::to_string((i + 1) % kLength));
  }
  EXPECT_EQ(FailureOf(ConfigMapTarget(), AddConfigMap("ns/0", "ns/1")),
            "BadAnnotation: the target is a source of itself, through ConfigMap ns/1, ConfigMap "
            "ns/2, ConfigMap ns/3, ConfigMap ns/4, ConfigMap ns/5, ...; name another source");
}

}  // namespace
}  // namespace capstan::cainjector

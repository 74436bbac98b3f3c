// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/testing/fakes.h"

namespace capstan::readinessgate {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(NodeConditionGateTest, ComparesConditionOfOwnNode) {
  FakeClusterReader cluster;
  EXPECT_EQ(EvaluateGate("node-condition:NetworkUnavailable=False", {}, cluster).message,
            "node not yet observed by informer");
  cluster.SetNode(R"({"type":"NetworkUnavailable","status":"True"})");
  EXPECT_EQ(EvaluateGate("node-condition:NetworkUnavailable=false", {}, cluster).message,
            R"(node condition NetworkUnavailable is "True", want "False")");
  EXPECT_EQ(EvaluateGate("node-condition:Ready", {}, cluster).message,
            R"(node condition "Ready" not yet present)");
  cluster.SetNode(R"({"type":"NetworkUnavailable","status":"False"})");
  EXPECT_TRUE(EvaluateGate("node-condition:NetworkUnavailable=False", {}, cluster).open);
  EXPECT_FALSE(EvaluateGate("node-condition:NetworkUnavailable", {}, cluster).open);
}

TEST(NodeConditionGateTest, ReportsWhyNodeIsUnknown) {
  FakeClusterReader cluster;
  EXPECT_EQ(EvaluateGate("node-condition:Ready", {}, cluster).message,
            "node not yet observed by informer");
  cluster.Fail("cannot list nodes: forbidden");

  const Verdict verdict = EvaluateGate("node-condition:Ready", {}, cluster);

  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.reason, "NodeUnknown");
  EXPECT_EQ(verdict.message, "cannot list nodes: forbidden");
}

TEST(NodeConditionGateTest, NeedsOnlyTheNode) {
  GateNeeds needs;
  MustParse("pod-condition:A")->AddNeeds(needs);
  EXPECT_FALSE(needs.node);
  MustParse("node-condition:A")->AddNeeds(needs);
  EXPECT_TRUE(needs.node);
  EXPECT_TRUE(needs.annotations.empty() && needs.labels.empty() && needs.config_maps.empty());
}

TEST(NodeConditionGateTest, RejectsInvalidCondition) {
  EXPECT_EQ(ErrorOf("node-condition:=True"), "node-condition: condition type must not be empty");
  EXPECT_EQ(ErrorOf("node-condition:Ready=yes"),
            R"(node-condition: invalid status "yes"; must be True, False, or Unknown)");
  EXPECT_EQ(ErrorOf("node-condition: Ready"),
            R"(node-condition: " Ready" is no condition's type: " " is not allowed)");
}

TEST(ConfigMapGateTest, ChecksObjectOrItsKey) {
  FakeClusterReader cluster;
  EXPECT_EQ(EvaluateGate("configmap:trust/bundle", {}, cluster).message,
            "ConfigMap trust/bundle does not exist yet");
  cluster.SetConfigMap("trust", "bundle", {{"ca.crt", "PEM"}, {"empty", ""}});
  EXPECT_TRUE(EvaluateGate("configmap:trust/bundle", {}, cluster).open);
  EXPECT_TRUE(EvaluateGate("configmap:trust/bundle:ca.crt", {}, cluster).open);
  const Verdict empty = EvaluateGate("configmap:trust/bundle:empty", {}, cluster);
  EXPECT_FALSE(empty.open);
  EXPECT_EQ(empty.reason, "ConfigMapKeyAbsent");
  EXPECT_EQ(empty.message,
            R"(ConfigMap trust/bundle does not yet have key "empty" with a non-empty value)");
  EXPECT_FALSE(EvaluateGate("configmap:trust/bundle:none", {}, cluster).open);
  EXPECT_FALSE(EvaluateGate("configmap:other/bundle", {}, cluster).open);
}

TEST(ConfigMapGateTest, ReportsWhyConfigMapIsUnknown) {
  FakeClusterReader cluster;
  cluster.Fail("cannot list configmaps in namespace trust: forbidden");

  const Verdict verdict = EvaluateGate("configmap:trust/bundle", {}, cluster);

  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.reason, "ConfigMapUnknown");
  EXPECT_EQ(verdict.message,
            "cannot tell yet whether ConfigMap trust/bundle exists: cannot list configmaps in "
            "namespace trust: forbidden");
}

TEST(ConfigMapGateTest, NeedsTheConfigMap) {
  GateNeeds needs;
  MustParse("configmap:trust/bundle:ca.crt")->AddNeeds(needs);

  EXPECT_THAT(needs.config_maps, ::testing::ElementsAre("trust/bundle"));
}

TEST(ConfigMapGateTest, RejectsInvalidReference) {
  EXPECT_EQ(ErrorOf("configmap:bundle"),
            R"(configmap: expected <namespace>/<name>[:<key>], got "bundle")");
  EXPECT_THAT(ErrorOf("configmap:/bundle"), HasSubstr(R"("" is no namespace's name: it is empty)"));
  EXPECT_THAT(ErrorOf("configmap:a.b/bundle"), HasSubstr("is no namespace's name"));
  EXPECT_THAT(ErrorOf("configmap:" + std::string(64, 'a') + "/b"), HasSubstr("longer than 63"));
  EXPECT_THAT(ErrorOf("configmap:A/bundle"), HasSubstr("is no namespace's name"));
  EXPECT_THAT(ErrorOf("configmap:a/"), HasSubstr(R"("" is no ConfigMap's name: it is empty)"));
  EXPECT_THAT(ErrorOf("configmap:a/b/c"), HasSubstr("is no ConfigMap's name"));
  EXPECT_THAT(ErrorOf("configmap:a/../b"), HasSubstr("is no ConfigMap's name"));
  for (const std::string key : {"", ".", "..", "..data", "a/b", "a b", "a:b"}) {
    EXPECT_THAT(ErrorOf("configmap:a/b:" + key), HasSubstr("is no key of a ConfigMap")) << key;
  }
}

std::string Uid(int number) { return "uid-" + std::to_string(number); }

// Evaluates the gate for `pods` new pods, starting with number `first`. Returns how many pass.
int Passing(const Gate& gate, int first, int pods, Clock::TimePoint now) {
  static const auto none = std::make_shared<const api::PackedStringMap::Keys>();
  const FakeClusterReader cluster;
  int open = 0;
  for (int i = first; i < first + pods; ++i) {
    const std::string uid = Uid(i);
    const auto pod = runtime::MakeObject<Pod>(
        {.namespace_ = "ns", .name = "n", .uid = uid, .resource_version = "7"},
        Pod::Fields{.annotations = {none, nullptr}, .labels = {none, nullptr}});
    open += gate.Evaluate({.pod = *pod, .cluster = cluster, .now = now}).open ? 1 : 0;
  }
  return open;
}

TEST(RateGateTest, AllowsBurstAndThenTheRate) {
  const auto gate = MustParse("rate:5/1s");
  const Clock::TimePoint start(hours(100));

  EXPECT_EQ(Passing(*gate, 0, 20, start), 5);
  EXPECT_EQ(Passing(*gate, 20, 20, start + milliseconds(199)), 0);
  EXPECT_EQ(Passing(*gate, 40, 20, start + milliseconds(200)), 1);
  EXPECT_EQ(Passing(*gate, 60, 20, start + milliseconds(1000)), 4);
  EXPECT_EQ(Passing(*gate, 80, 20, start + hours(1)), 5);
}

TEST(RateGateTest, SpreadsOpeningsWhenNIsOne) {
  const auto gate = MustParse("rate:1/200ms");
  const Clock::TimePoint start(hours(100));
  std::vector<int> passed;
  passed.reserve(10);
  for (int step = 0; step < 10; ++step) {
    passed.push_back(Passing(*gate, 100 * step, 10, start + milliseconds(100 * step)));
  }

  EXPECT_THAT(passed, ::testing::ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0));
}

TEST(RateGateTest, StaysOpenForPodThatPassed) {
  const auto gate = MustParse("rate:1/1h");
  const Clock::TimePoint start(hours(100));

  EXPECT_TRUE(EvaluateGate(*gate, {.uid = "a"}, FakeClusterReader(), start).open);
  EXPECT_TRUE(EvaluateGate(*gate, {.uid = "a"}, FakeClusterReader(), start).open);
  // A pod of the same name is another pod.
  EXPECT_FALSE(EvaluateGate(*gate, {.uid = "b"}, FakeClusterReader(), start).open);
  EXPECT_TRUE(EvaluateGate(*gate, {.uid = "a"}, FakeClusterReader(), start + milliseconds(1)).open);
}

TEST(RateGateTest, ReturnsTimeOfNextToken) {
  const auto gate = MustParse("rate:2/1m");
  const Clock::TimePoint start(hours(100));
  Passing(*gate, 0, 2, start);

  const Verdict early = EvaluateGate(*gate, {.uid = "a"}, FakeClusterReader(), start);
  const Verdict late =
      EvaluateGate(*gate, {.uid = "a"}, FakeClusterReader(), start + std::chrono::seconds(29));

  EXPECT_EQ(early.reason, "RateLimited");
  EXPECT_EQ(early.recheck, start + std::chrono::seconds(30));
  EXPECT_EQ(late.recheck, early.recheck);
  // The text is stable, so a waiting pod causes no writes.
  EXPECT_EQ(early.message, "waits for its turn: at most 2 pods each 1m0s");
  EXPECT_EQ(late.message, early.message);
  EXPECT_TRUE(EvaluateGate(*gate, {.uid = "a"}, FakeClusterReader(), *early.recheck).open);
}

TEST(RateGateTest, TakesTokenOnlyWhenOtherGatesAreOpen) {
  const auto set = ParseGateSet("", {"rate:1/1h", "pod-ip:any", "rate:1/1h"}).value();
  const FakeClusterReader cluster;
  const auto evaluate = [&](const PodJson& json) {
    const auto pod = MakePod(json);
    return Evaluate(*set, {.pod = *pod, .cluster = cluster, .now = Clock::TimePoint(hours(1))});
  };

  const Evaluation waiting = evaluate({.uid = "a"});
  EXPECT_FALSE(waiting.open);
  EXPECT_EQ(waiting.results[0].verdict.reason, "WaitsForOthers");
  EXPECT_EQ(waiting.Reasons(), "pod has no any address yet");
  EXPECT_EQ(waiting.recheck, std::nullopt);

  const std::string ip = R"("status":{"podIPs":[{"ip":"10.0.0.7"}]})";
  EXPECT_TRUE(evaluate({.members = ip, .uid = "b"}).open);  // "a" took no token
  const Evaluation second = evaluate({.members = ip, .uid = "a"});
  EXPECT_FALSE(second.open);
  EXPECT_EQ(second.recheck, Clock::TimePoint(hours(2)));
  EXPECT_EQ(second.results[2].verdict.reason, "WaitsForOthers");
}

TEST(RateGateTest, RemembersBoundedNumberOfPods) {
  const auto gate = MustParse("rate:10000/1ms");
  const Clock::TimePoint start(hours(100));
  EXPECT_EQ(Passing(*gate, 0, 5000, start), 5000);
  EXPECT_EQ(Passing(*gate, 5000, 5000, start), 5000);

  // The oldest pod is forgotten, and needs a token again.
  EXPECT_TRUE(EvaluateGate(*gate, {.uid = Uid(9999)}, FakeClusterReader(), start).open);
  EXPECT_FALSE(EvaluateGate(*gate, {.uid = Uid(0)}, FakeClusterReader(), start).open);
}

TEST(RateGateTest, RejectsInvalidRate) {
  EXPECT_EQ(ErrorOf("rate:5"),
            R"(rate: expected <n>/<duration>, such as 5/1s, got "5": the duration must be from )"
            "1ms to 24h");
  for (const std::string value : {"0/1s", "-1/1s", "+1/1s", " 1/1s", "1.5/1s", "x/1s", "/1s",
                                  "10001/1s", "99999999999999999999/1s"}) {
    EXPECT_THAT(ErrorOf("rate:" + value), HasSubstr("n must be a number from 1 to 10000")) << value;
  }
  for (const std::string value : {"1/", "1/1", "1/0", "1/-1s", "1/s", "1/999us", "1/24h1ns",
                                  "1/1s/1s", "1/1 s", "1/300000h"}) {
    EXPECT_THAT(ErrorOf("rate:" + value), HasSubstr("the duration must be from 1ms to 24h"))
        << value;
  }
  EXPECT_NE(MustParse("rate:10000/1ms"), nullptr);
  EXPECT_NE(MustParse("rate:1/24h"), nullptr);
}

}  // namespace
}  // namespace capstan::readinessgate

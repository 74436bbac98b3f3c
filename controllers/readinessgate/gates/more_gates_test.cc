// SPDX-License-Identifier: Apache-2.0
// Gates on labels, the node, ConfigMaps, and how often pods may pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/gates/gate_testing.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Clock;
using clientgo::util::ErrorReason;
using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

PodJson WithLabels(const std::string& labels) { return {.metadata = R"("labels":)" + labels}; }

TEST(PodLabelGateTest, WantsTheLabelOrItsValue) {
  EXPECT_TRUE(Ask("pod-label:app", WithLabels(R"({"app":"web"})")).open);
  EXPECT_TRUE(Ask("pod-label:app", WithLabels(R"({"app":""})")).open);
  EXPECT_TRUE(Ask("pod-label:app=web", WithLabels(R"({"app":"web"})")).open);
  EXPECT_TRUE(Ask("pod-label:app=", WithLabels(R"({"app":""})")).open);
  EXPECT_FALSE(Ask("pod-label:app=web", WithLabels(R"({"app":"Web"})")).open);
  EXPECT_FALSE(Ask("pod-label:app=", WithLabels(R"({"app":"web"})")).open);
  EXPECT_FALSE(Ask("pod-label:app", WithLabels(R"({"App":"web"})")).open);
  EXPECT_FALSE(Ask("pod-label:app", WithLabels(R"({"app":7})")).open);
  EXPECT_FALSE(Ask("pod-label:app", WithLabels("null")).open);
  EXPECT_FALSE(Ask("pod-label:app", {}).open);
}

TEST(PodLabelGateTest, SaysWhatItFound) {
  EXPECT_EQ(Ask("pod-label:a.b/c=d", {}).message, R"(pod does not yet have label "a.b/c")");
  EXPECT_EQ(Ask("pod-label:app=web", WithLabels(R"({"app":"db"})")).message,
            R"(pod label "app" is "db", want "web")");
}

TEST(PodLabelGateTest, RefusesWhatIsNoLabel) {
  EXPECT_EQ(ErrorOf("pod-label:a b"), R"(pod-label: "a b" is no label's key: " " is not allowed)");
  EXPECT_EQ(ErrorOf("pod-label:=web"), R"(pod-label: "" is no label's key: its name is empty)");
  EXPECT_EQ(ErrorOf("pod-label:app=a=b"),
            R"(pod-label: "a=b" is no label's value: "=" is not allowed)");
  EXPECT_THAT(ErrorOf("pod-label:app=" + std::string(64, 'a')), HasSubstr("longer than 63"));
}

TEST(NodeConditionGateTest, ComparesTheConditionOfTheOwnNode) {
  FakeWorld world;
  EXPECT_EQ(Ask("node-condition:NetworkUnavailable=False", {}, world).message,
            "node not yet observed by informer");
  world.SetNode(R"({"type":"NetworkUnavailable","status":"True"})");
  EXPECT_EQ(Ask("node-condition:NetworkUnavailable=false", {}, world).message,
            R"(node condition NetworkUnavailable is "True", want "False")");
  EXPECT_EQ(Ask("node-condition:Ready", {}, world).message,
            R"(node condition "Ready" not yet present)");
  world.SetNode(R"({"type":"NetworkUnavailable","status":"False"})");
  EXPECT_TRUE(Ask("node-condition:NetworkUnavailable=False", {}, world).open);
  EXPECT_FALSE(Ask("node-condition:NetworkUnavailable", {}, world).open);
}

TEST(NodeConditionGateTest, SaysWhyTheNodeCannotBeRead) {
  FakeWorld world;
  EXPECT_EQ(Ask("node-condition:Ready", {}, world).message, "node not yet observed by informer");
  world.Fail("cannot list nodes: forbidden");

  const Verdict verdict = Ask("node-condition:Ready", {}, world);

  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.reason, "NodeUnknown");
  EXPECT_EQ(verdict.message, "cannot list nodes: forbidden");
}

TEST(NodeConditionGateTest, NeedsTheNodeAndNothingElse) {
  GateNeeds needs;
  MustParse("pod-condition:A")->AddNeeds(needs);
  EXPECT_FALSE(needs.node);
  MustParse("node-condition:A")->AddNeeds(needs);
  EXPECT_TRUE(needs.node);
  EXPECT_TRUE(needs.annotations.empty() && needs.labels.empty() && needs.config_maps.empty());
}

TEST(NodeConditionGateTest, RefusesWhatIsNoCondition) {
  EXPECT_EQ(ErrorOf("node-condition:=True"), "node-condition: condition type must not be empty");
  EXPECT_EQ(ErrorOf("node-condition:Ready=yes"),
            R"(node-condition: invalid status "yes"; must be True, False, or Unknown)");
  EXPECT_EQ(ErrorOf("node-condition: Ready"),
            R"(node-condition: " Ready" is no condition's type: " " is not allowed)");
}

TEST(ConfigMapGateTest, WantsTheObjectOrAKeyOfIt) {
  FakeWorld world;
  EXPECT_EQ(Ask("configmap:trust/bundle", {}, world).message,
            "ConfigMap trust/bundle does not exist yet");
  world.SetConfigMap("trust", "bundle", {{"ca.crt", "PEM"}, {"empty", ""}});
  EXPECT_TRUE(Ask("configmap:trust/bundle", {}, world).open);
  EXPECT_TRUE(Ask("configmap:trust/bundle:ca.crt", {}, world).open);
  const Verdict empty = Ask("configmap:trust/bundle:empty", {}, world);
  EXPECT_FALSE(empty.open);
  EXPECT_EQ(empty.reason, "ConfigMapKeyAbsent");
  EXPECT_EQ(empty.message,
            R"(ConfigMap trust/bundle does not yet have key "empty" with a non-empty value)");
  EXPECT_FALSE(Ask("configmap:trust/bundle:none", {}, world).open);
  EXPECT_FALSE(Ask("configmap:other/bundle", {}, world).open);
}

TEST(ConfigMapGateTest, SaysWhenNobodyCanTell) {
  FakeWorld world;
  world.Fail("cannot list configmaps in namespace trust: forbidden");

  const Verdict verdict = Ask("configmap:trust/bundle", {}, world);

  EXPECT_FALSE(verdict.open);
  EXPECT_EQ(verdict.reason, "ConfigMapUnknown");
  EXPECT_EQ(verdict.message,
            "cannot tell yet whether ConfigMap trust/bundle exists: cannot list configmaps in "
            "namespace trust: forbidden");
}

TEST(ConfigMapGateTest, NeedsThatObject) {
  GateNeeds needs;
  MustParse("configmap:trust/bundle:ca.crt")->AddNeeds(needs);

  EXPECT_THAT(needs.config_maps, ::testing::ElementsAre("trust/bundle"));
}

TEST(ConfigMapGateTest, RefusesWhatIsNoConfigMap) {
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

// How many of `pods` new ones, starting with `first`, pass now.
int Passing(const Gate& gate, int first, int pods, Clock::TimePoint now) {
  static const auto none = std::make_shared<const clientgo::api::KeptStrings::Keys>();
  const FakeWorld world;
  int open = 0;
  for (int i = first; i < first + pods; ++i) {
    const std::string uid = Uid(i);
    const clientgo::api::Pod pod(
        {.namespace_ = "ns", .name = "n", .uid = uid, .resource_version = "7"},
        {.annotations = {none, nullptr}, .labels = {none, nullptr}});
    open += gate.Evaluate({.pod = pod, .world = world, .now = now}).open ? 1 : 0;
  }
  return open;
}

TEST(RateGateTest, LetsABurstPassAndThenSoManyInTheTime) {
  const auto gate = MustParse("rate:5/1s");
  const Clock::TimePoint start(hours(100));

  EXPECT_EQ(Passing(*gate, 0, 20, start), 5);
  EXPECT_EQ(Passing(*gate, 20, 20, start + milliseconds(199)), 0);
  EXPECT_EQ(Passing(*gate, 40, 20, start + milliseconds(200)), 1);
  EXPECT_EQ(Passing(*gate, 60, 20, start + milliseconds(1000)), 4);
  EXPECT_EQ(Passing(*gate, 80, 20, start + hours(1)), 5);
}

TEST(RateGateTest, SpreadsOpeningsWhenItsNumberIsOne) {
  const auto gate = MustParse("rate:1/200ms");
  const Clock::TimePoint start(hours(100));
  std::vector<int> passed;
  passed.reserve(10);
  for (int step = 0; step < 10; ++step) {
    passed.push_back(Passing(*gate, 100 * step, 10, start + milliseconds(100 * step)));
  }

  EXPECT_THAT(passed, ::testing::ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0));
}

TEST(RateGateTest, APodPassesOnceAndStaysOpen) {
  const auto gate = MustParse("rate:1/1h");
  const Clock::TimePoint start(hours(100));

  EXPECT_TRUE(Ask(*gate, {.uid = "a"}, FakeWorld(), start).open);
  EXPECT_TRUE(Ask(*gate, {.uid = "a"}, FakeWorld(), start).open);
  // A pod of the same name is another pod.
  EXPECT_FALSE(Ask(*gate, {.uid = "b"}, FakeWorld(), start).open);
  EXPECT_TRUE(Ask(*gate, {.uid = "a"}, FakeWorld(), start + milliseconds(1)).open);
}

TEST(RateGateTest, SaysWhenToLookAgain) {
  const auto gate = MustParse("rate:2/1m");
  const Clock::TimePoint start(hours(100));
  Passing(*gate, 0, 2, start);

  const Verdict early = Ask(*gate, {.uid = "a"}, FakeWorld(), start);
  const Verdict late = Ask(*gate, {.uid = "a"}, FakeWorld(), start + std::chrono::seconds(29));

  EXPECT_EQ(early.reason, "RateLimited");
  EXPECT_EQ(early.recheck, start + std::chrono::seconds(30));
  EXPECT_EQ(late.recheck, early.recheck);
  // It is the same for as long as it waits: no write for the passing of time.
  EXPECT_EQ(early.message, "waits for its turn: at most 2 pods each 1m0s");
  EXPECT_EQ(late.message, early.message);
  EXPECT_TRUE(Ask(*gate, {.uid = "a"}, FakeWorld(), *early.recheck).open);
}

TEST(RateGateTest, IsAskedOnlyWhenAllOthersAreOpen) {
  const auto set = ParseGateSet("", {"rate:1/1h", "pod-ip:any", "rate:1/1h"}).value();
  const FakeWorld world;
  const auto evaluate = [&](const PodJson& json) {
    const auto pod = MakePod(json);
    return Evaluate(*set, {.pod = *pod, .world = world, .now = Clock::TimePoint(hours(1))});
  };

  const Evaluation waiting = evaluate({.uid = "a"});
  EXPECT_FALSE(waiting.open);
  EXPECT_EQ(waiting.results[0].verdict.reason, "WaitsForOthers");
  EXPECT_EQ(waiting.Reasons(), "pod has no any address yet");
  EXPECT_EQ(waiting.recheck, std::nullopt);

  const std::string ip = R"("status":{"podIPs":[{"ip":"10.0.0.7"}]})";
  EXPECT_TRUE(evaluate({.members = ip, .uid = "b"}).open);  // "a" took nothing
  const Evaluation second = evaluate({.members = ip, .uid = "a"});
  EXPECT_FALSE(second.open);
  EXPECT_EQ(second.recheck, Clock::TimePoint(hours(2)));
  EXPECT_EQ(second.results[2].verdict.reason, "WaitsForOthers");
}

TEST(RateGateTest, RemembersABoundedNumberOfPods) {
  const auto gate = MustParse("rate:10000/1ms");
  const Clock::TimePoint start(hours(100));
  EXPECT_EQ(Passing(*gate, 0, 5000, start), 5000);
  EXPECT_EQ(Passing(*gate, 5000, 5000, start), 5000);

  // It is the oldest that is forgotten, and has to pass again.
  EXPECT_TRUE(Ask(*gate, {.uid = Uid(9999)}, FakeWorld(), start).open);
  EXPECT_FALSE(Ask(*gate, {.uid = Uid(0)}, FakeWorld(), start).open);
}

TEST(RateGateTest, RefusesWhatIsNoRate) {
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
}  // namespace controllers::readinessgate

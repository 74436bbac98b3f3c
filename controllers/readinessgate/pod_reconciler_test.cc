// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pod_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/runtime/json_writer.h"
#include "capstan/testing/fake_clock.h"
#include "clientgo/record/testing/event_lines.h"
#include "controllers/readinessgate/testing/fakes.h"

namespace capstan::readinessgate {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class PodReconcilerTest : public ::testing::Test, public PodOutputSink {
 protected:
  PodReconcilerTest() { rules_.default_gates = ParseGateSet("", {"pod-annotation:x"}).value(); }

  PassResult Run(const std::vector<CachedPod>& pods) { return RunWith(reconciler_, pods); }
  PassResult RunWith(PodReconciler& reconciler, const std::vector<CachedPod>& pods) {
    outputs_.clear();
    PodReconciler::Pods cached;
    for (const CachedPod& pod : pods) cached.push_back(MakeCachedPod(pod));
    return reconciler.ReconcileAll(cached, {.rules = rules_, .cluster = cluster_});
  }
  PodReconciler MakeReconciler() {
    return {options_, {.events = events_, .metrics = gate_metrics_, .outputs = *this}};
  }
  // PodOutputSink.
  void SetOutput(const Pod& pod, PodOutput wanted) override {
    if (during_pass_) during_pass_();
    const bool differs = HeldBy(pod, options_.outputs) != wanted;
    (differs ? outputs_ : taken_back_).push_back(std::move(wanted));
  }
  void Forget(std::string_view key) override { forgotten_.emplace_back(key); }
  // Returns the pod after `output` was written to it.
  static CachedPod Carrying(const PodOutput& output, CachedPod pod) {
    pod.annotations += pod.annotations.empty() ? "" : ",";
    runtime::JsonWriter writer;
    writer.String(output.status.value_or(""));
    pod.annotations += R"("readiness.capstan.dev/status":)" + writer.text();
    if (output.ready)
      pod.annotations += R"(,"readiness.capstan.dev/ready":")" + *output.ready + '"';
    return pod;
  }

  testing::FakeClock clock_;
  AgentOptions options_{.node_name = "a", .version = "1", .clock = clock_};
  record::EventLines events_;
  metrics::Metrics metrics_{{.version = "0", .commit = "0"}};
  GateMetrics gate_metrics_{metrics_};
  FakeClusterReader cluster_;
  GateRules rules_;
  std::vector<PodOutput> outputs_;     // that differ from the pod, in the last pass
  std::vector<PodOutput> taken_back_;  // that the pod already carries
  std::vector<std::string> forgotten_;
  std::function<void()> during_pass_;
  PodReconciler reconciler_ = MakeReconciler();
};

const CachedPod kClosed{};
const CachedPod kReady{.version = "8", .annotations = R"("x":"y")"};

TEST_F(PodReconcilerTest, ClosedPodGetsStatusWithoutReadyKey) {
  Run({kClosed});

  ASSERT_EQ(outputs_.size(), 1U);
  EXPECT_EQ(outputs_[0].ready, std::nullopt);
  EXPECT_THAT(*outputs_[0].status, HasSubstr(R"("state":"Pending")"));
  EXPECT_THAT(*outputs_[0].status, HasSubstr("pod does not yet have annotation"));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("capstan_gate_pending{gate=\"pod-annotation:x\"} 1"));
}

TEST_F(PodReconcilerTest, ReadyValueNamesThePod) {
  Run({kClosed});
  clock_.Step(3s);
  Run({kReady});

  ASSERT_EQ(outputs_.size(), 1U);
  EXPECT_THAT(*outputs_[0].ready, StartsWith("v1.0f1e2d3c."));
  EXPECT_THAT(*outputs_[0].status, HasSubstr(R"("state":"Open")"));
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_gate_pending{")));
}

// A webhook may hold the write.
TEST_F(PodReconcilerTest, ReportedWaitEndsWhenThePodCarriesTheReadyKey) {
  Run({kClosed});
  clock_.Step(3s);
  Run({kReady});
  const PodOutput opened = outputs_.at(0);
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_gate_wait_seconds_count 1")));
  clock_.Step(8s);

  Run({Carrying(opened, {.version = "9", .annotations = kReady.annotations})});
  Run({Carrying(opened, {.version = "10", .annotations = kReady.annotations})});

  EXPECT_THAT(metrics_.Serialize(), HasSubstr("capstan_gate_wait_seconds_sum 11\n"));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("capstan_gate_wait_seconds_count 1\n"));
}

TEST_F(PodReconcilerTest, ReconcilesOnePodBetweenPasses) {
  Run({kClosed});
  outputs_.clear();

  const PassResult result =
      reconciler_.ReconcileOne(*MakeCachedPod(kReady), {.rules = rules_, .cluster = cluster_});

  EXPECT_FALSE(result.idle);
  ASSERT_EQ(outputs_.size(), 1U);
  EXPECT_THAT(*outputs_[0].ready, StartsWith("v1.0f1e2d3c."));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("capstan_gate_pending{gate=\"pod-annotation:x\"} 1"))
      << "as of the last pass";
  EXPECT_FALSE(reconciler_.Seen().at(0).open);
  Run({kReady});
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_gate_pending{")));
  EXPECT_TRUE(reconciler_.Seen().at(0).open);
}

TEST_F(PodReconcilerTest, OpenPodStaysOpenWhenItsGateCloses) {
  Run({kReady});
  const PodOutput opened = outputs_.at(0);
  Run({Carrying(opened, {.version = "9"})});  // without "x"

  EXPECT_THAT(outputs_, IsEmpty());
}

TEST_F(PodReconcilerTest, RestartNeitherClosesNorRewritesPods) {
  Run({kClosed});
  const CachedPod pending = Carrying(outputs_.at(0), {.version = "9"});
  Run({kReady});
  const CachedPod open = Carrying(outputs_.at(0), {.version = "10"});
  clock_.Step(1h);

  PodReconciler restarted = MakeReconciler();
  RunWith(restarted, {pending});
  EXPECT_THAT(outputs_, IsEmpty());
  PodReconciler again = MakeReconciler();
  RunWith(again, {open});
  EXPECT_THAT(outputs_, IsEmpty());
}

// Happens during a rolling update and right after one.
TEST_F(PodReconcilerTest, AdoptsEqualOutputOfAnotherAgent) {
  options_.version = "2";
  PodReconciler other = MakeReconciler();
  RunWith(other, {kClosed});
  const PodOutput pending = outputs_.at(0);
  clock_.Step(1s);
  options_.version = "1";

  Run({kClosed});
  EXPECT_NE(outputs_.at(0), pending) << "it has another time, and another writer";
  Run({Carrying(pending, {.version = "9"})});
  EXPECT_THAT(outputs_, IsEmpty());

  Run({Carrying(pending, {.version = "10", .annotations = R"("x":"y")"})});
  const PodOutput opened = outputs_.at(0);
  PodOutput earlier = opened;
  earlier.ready = "v1.0f1e2d3c.1";
  Run({Carrying(earlier, {.version = "11"})});
  EXPECT_THAT(outputs_, IsEmpty());
}

// Flags change during an update, or two releases are on one node.
TEST_F(PodReconcilerTest, LeavesTheStatusOfAnotherAgentWithOtherGates) {
  const auto our_gates = rules_.default_gates;
  const auto their_gates = ParseGateSet("", {"pod-annotation:x", "pod-ip:any"}).value();
  Run({kClosed});
  const PodOutput ours = outputs_.at(0);
  rules_.default_gates = their_gates;
  PodReconciler other = MakeReconciler();
  RunWith(other, {Carrying(ours, {.version = "9"})});
  const PodOutput theirs = outputs_.at(0);
  ASSERT_NE(theirs, ours) << "the agent that starts last writes its status once";

  for (const char* version : {"10", "11"}) {
    rules_.default_gates = our_gates;
    Run({Carrying(theirs, {.version = version})});
    EXPECT_THAT(outputs_, IsEmpty()) << version;
    rules_.default_gates = their_gates;
    RunWith(other, {Carrying(theirs, {.version = version})});
    EXPECT_THAT(outputs_, IsEmpty()) << version;
  }

  rules_.default_gates = our_gates;
  Run({Carrying(theirs, {.version = "12", .annotations = kReady.annotations})});
  ASSERT_EQ(outputs_.size(), 1U) << "our gates have changed";
  EXPECT_THAT(*outputs_[0].ready, StartsWith("v1.0f1e2d3c."));
}

TEST_F(PodReconcilerTest, ReplacesTheStatusOfAnEarlierAgentWithOtherGates) {
  Run({kClosed});
  const PodOutput earlier = outputs_.at(0);
  rules_.default_gates = ParseGateSet("", {"pod-ip:any"}).value();
  PodReconciler restarted = MakeReconciler();

  for (const char* version : {"9", "10"}) {  // the kubelet changes the pod before the write
    RunWith(restarted, {Carrying(earlier, {.version = version})});
    ASSERT_EQ(outputs_.size(), 1U) << version;
    EXPECT_THAT(*outputs_[0].status, HasSubstr("pod-ip:any"));
  }
}

TEST_F(PodReconcilerTest, CorrectsDifferentStatus) {
  Run({kClosed});
  PodOutput other = outputs_.at(0);
  other.status->replace(other.status->find("Pending"), 7, "Latched");

  Run({Carrying(other, {.version = "9"})});

  ASSERT_EQ(outputs_.size(), 1U);
  EXPECT_THAT(*outputs_[0].status, HasSubstr("Pending"));
}

// After a downgrade from a version with another status format.
TEST_F(PodReconcilerTest, KeepsOpenPodWithStatusOfAnotherVersion) {
  Run({{.annotations = R"("readiness.capstan.dev/ready":"v1.0f1e2d3c.1",)"
                       R"("readiness.capstan.dev/status":"{\"v\":2}")"}});

  EXPECT_THAT(outputs_, IsEmpty());
}

// An output that waits for a retry must not be written when it is outdated.
TEST_F(PodReconcilerTest, TakesOutputBackWhenPodHasIt) {
  Run({kClosed});
  const PodOutput pending = outputs_.at(0);

  Run({Carrying(pending, {.version = "9"})});
  Run({Carrying(pending, {.version = "10"})});

  EXPECT_THAT(taken_back_, ElementsAre(pending));
}

TEST_F(PodReconcilerTest, RenamedGateSetHoldsOnlyPendingPods) {
  rules_.named["old"] = ParseGateSet("old", {"pod-annotation:x"}).value();
  const std::string choice = R"("readiness.capstan.dev/gate-set":"old")";
  Run({{.annotations = choice + R"(,"x":"y")"}});
  const CachedPod open = Carrying(outputs_.at(0), {.version = "9", .annotations = choice});
  rules_.named["new"] = rules_.named.extract("old").mapped();

  Run({open});
  EXPECT_THAT(outputs_, IsEmpty());

  PodReconciler reconciler = MakeReconciler();
  RunWith(reconciler, {{.annotations = choice + R"(,"x":"y")"}});
  EXPECT_EQ(outputs_.at(0).ready, std::nullopt);
  EXPECT_THAT(*outputs_.at(0).status, HasSubstr("UnknownGateSet"));
}

TEST_F(PodReconcilerTest, RemovesReadyValueThatDoesNotNameThePod) {
  for (const std::string value : {"v1.ffffffff.1767312000", "False", "true", " ", "pending"}) {
    PodReconciler reconciler = MakeReconciler();
    const CachedPod copied{.annotations = R"("readiness.capstan.dev/ready":")" + value + '"'};

    RunWith(reconciler, {copied});

    ASSERT_EQ(outputs_.size(), 1U) << value;
    EXPECT_EQ(outputs_[0].ready, std::nullopt) << value;
  }
}

TEST_F(PodReconcilerTest, ClosesSuccessorOfAnOpenPod) {
  Run({kReady});
  Run({{.version = "20", .uid = "ffffffff-0000"}});

  ASSERT_EQ(outputs_.size(), 1U);
  EXPECT_EQ(outputs_[0].ready, std::nullopt);
}

TEST_F(PodReconcilerTest, DoesNotWritePodThatIsBeingDeleted) {
  CachedPod deleting = kReady;
  deleting.metadata = R"(,"deletionTimestamp":"2026-01-02T00:00:00Z")";

  Run({deleting});

  EXPECT_THAT(outputs_, IsEmpty());
}

TEST_F(PodReconcilerTest, UsesGateSetThatThePodNames) {
  rules_.named["never"] = ParseGateSet("never", {"pod-annotation:y"}).value();
  CachedPod pod = kReady;
  pod.annotations += R"(,"readiness.capstan.dev/gate-set":"never")";

  Run({pod});

  EXPECT_EQ(outputs_.at(0).ready, std::nullopt);
  EXPECT_THAT(*outputs_.at(0).status, HasSubstr("pod-annotation:y"));
}

TEST_F(PodReconcilerTest, StatusReportsUnknownGateSet) {
  CachedPod pod = kReady;
  pod.annotations += R"(,"readiness.capstan.dev/gate-set":"none")";

  Run({pod});

  EXPECT_EQ(outputs_.at(0).ready, std::nullopt);
  EXPECT_THAT(*outputs_.at(0).status, HasSubstr("UnknownGateSet"));
}

TEST_F(PodReconcilerTest, OpensPodWithoutGatesAtOnce) {
  rules_.default_gates = nullptr;

  Run({kClosed});

  ASSERT_EQ(outputs_.size(), 1U);
  EXPECT_THAT(*outputs_[0].ready, StartsWith("v1.0f1e2d3c."));
  EXPECT_THAT(*outputs_[0].status, HasSubstr(R"("state":"Open")"));
  EXPECT_THAT(*outputs_[0].status, HasSubstr(R"("reason":"NoGates")"));
  EXPECT_THAT(events_.events(), IsEmpty());
}

TEST_F(PodReconcilerTest, ReportsClosedPodWithoutGatesOnce) {
  rules_.default_gates = nullptr;
  rules_.pods_without_gates = PodsWithoutGates::kClosed;

  Run({kClosed});
  clock_.Step(2min);
  Run({kClosed});

  EXPECT_EQ(outputs_.at(0).ready, std::nullopt);
  EXPECT_THAT(*outputs_.at(0).status, HasSubstr(R"("state":"Error")"));
  EXPECT_THAT(*outputs_.at(0).status, HasSubstr(R"("reason":"NoGates")"));
  EXPECT_THAT(events_.events(), ElementsAre(StartsWith("Warning NoGates Pod/n: the pod names no")));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("capstan_gate_pending{gate=\"gate-set\"} 1"));
}

TEST_F(PodReconcilerTest, ReportsGateSetOfOtherNamespacesAtOnce) {
  const auto theirs = ParseGateSet("theirs", {"pod-annotation:x"}).value();
  rules_.named["theirs"] =
      std::make_shared<const GateSet>("theirs", theirs->gates(), GateSet::Namespaces{"team-a"});
  CachedPod pod = kReady;
  pod.annotations += R"(,"readiness.capstan.dev/gate-set":"theirs")";

  Run({pod});

  EXPECT_EQ(outputs_.at(0).ready, std::nullopt);
  EXPECT_THAT(*outputs_.at(0).status, HasSubstr("GateSetNotAllowed"));
  EXPECT_THAT(events_.events(), ElementsAre(StartsWith("Warning GateSetNotAllowed Pod/n: ")));
}

// A status page must never wait, because its thread also serves /livez.
TEST_F(PodReconcilerTest, SeenDoesNotWaitForAPass) {
  Run({kClosed});
  std::vector<PodReconciler::SeenPod> seen;
  during_pass_ = [&] { seen = reconciler_.Seen(); };

  Run({kReady});

  ASSERT_EQ(seen.size(), 1U) << "what the pass before knew";
  EXPECT_FALSE(seen[0].open);
  EXPECT_TRUE(reconciler_.Seen().at(0).open);
}

TEST_F(PodReconcilerTest, ReportsPodThatWaitsTooLongOnce) {
  EXPECT_EQ(Run({kClosed}).due, clock_.Now() + 1min);
  clock_.Step(59s);
  Run({kClosed});
  EXPECT_THAT(events_.events(), IsEmpty());
  clock_.Step(1s);
  Run({kClosed});
  Run({kClosed});

  EXPECT_THAT(events_.events(),
              ElementsAre("Warning GatesPending Pod/n: no certificate is asked for since 1m0s: pod "
                          "does not yet have annotation \"x\" with a non-empty value"));
}

TEST_F(PodReconcilerTest, PassWithoutChangesIsIdle) {
  EXPECT_FALSE(Run({kClosed}).idle) << "a pod that was not there";
  EXPECT_TRUE(Run({kClosed}).idle);
  EXPECT_FALSE(Run({kReady}).idle) << "a gate has opened";
  EXPECT_TRUE(Run({kReady}).idle);
  EXPECT_FALSE(Run({}).idle) << "a pod is gone";
  EXPECT_THAT(forgotten_, ElementsAre("ns/n"));
}

TEST_F(PodReconcilerTest, WritesConditionTrueOrFalse) {
  options_.outputs = {.annotation = false, .condition = true};
  PodReconciler reconciler = MakeReconciler();

  RunWith(reconciler, {kClosed});
  EXPECT_EQ(outputs_.at(0), (PodOutput{.condition = "False"}));
  RunWith(reconciler, {kReady});
  EXPECT_EQ(outputs_.at(0), (PodOutput{.condition = "True"}));

  PodReconciler restarted = MakeReconciler();
  RunWith(restarted,
          {{.version = "9",
            .conditions = R"({"type":"readiness.capstan.dev/CertGates","status":"True"})"}});
  EXPECT_THAT(outputs_, IsEmpty());
}

}  // namespace
}  // namespace capstan::readinessgate

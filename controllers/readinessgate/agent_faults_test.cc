// SPDX-License-Identifier: Apache-2.0
// The agent while the API server fails, refuses requests or has another agent as a client.
#include <gmock/gmock.h>

#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "controllers/readinessgate/testing/agent_on_server.h"

namespace capstan::readinessgate {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class AgentFaultsTest : public AgentOnServer {
 protected:
  // Injects a fault for patches of pod `name`.
  void Fault(const std::string& name, testing::apiserver::Fault fault) {
    fault.match = {.verb = "patch", .resource = "pods", .name = name};
    server_.InjectFault(std::move(fault));
  }
  std::uint64_t Patches(int code) const {
    std::uint64_t count = 0;
    for (const auto& one : server_.Requests()) {
      if (one.request.verb == "patch" && one.code == code) count += one.count;
    }
    return count;
  }
  using AgentOnServer::Patches;
};

constexpr char kOpen[] = R"(,"annotations":{"x":"y"})";

TEST_F(AgentFaultsTest, RetriesPatchAfterEachKindOfFailure) {
  struct Case {
    const char* name;
    testing::apiserver::Fault fault;
  };
  const std::vector<Case> cases = {
      {"token-rotated", {.code = 401}},
      {"forbidden", {.code = 403}},
      {"conflict", {.code = 409}},
      {"policy", {.code = 422, .message = "ValidatingAdmissionPolicy 'p' denied request"}},
      {"throttled", {.code = 429, .retry_after = 1s}},
      {"broken", {.code = 500, .count = 2}},
      {"unavailable", {.code = 503}},
      {"timeout", {.code = 504}},
      {"balancer", {.action = testing::apiserver::FaultAction::kPlainText, .code = 502}},
      {"closed", {.action = testing::apiserver::FaultAction::kClose}},
      {"garbage", {.action = testing::apiserver::FaultAction::kGarbage}},
      {"cut", {.action = testing::apiserver::FaultAction::kCut, .bytes = 10}},
  };
  for (const Case& c : cases) {
    Fault(c.name, c.fault);
    CreatePod(c.name, kOpen);
  }

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  for (const Case& c : cases)
    EXPECT_TRUE(testing::Eventually([&] { return IsOpen(c.name); })) << c.name;
  const std::string metrics = agent.metrics.Serialize();
  for (const char* result : {"denied", "conflict", "error", "written"}) {
    EXPECT_THAT(metrics, HasSubstr("capstan_gate_writes_total{result=\"" + std::string(result)));
  }
}

// A tenant's webhook is slow for the pods of its namespace.
TEST_F(AgentFaultsTest, OpensPodsOfOtherNamespacesWhileOneNamespaceHoldsItsPatches) {
  const std::string theirs = "/api/v1/namespaces/slow/pods";
  ASSERT_EQ(http_->Post("/api/v1/namespaces", R"({"metadata":{"name":"slow"}})").code, 201);
  server_.InjectFault({.match = {.verb = "patch", .resource = "pods", .namespace_ = "slow"},
                       .action = testing::apiserver::FaultAction::kHang,
                       .count = -1});
  for (int i = 0; i < 30; ++i) {
    CreatePod("p" + std::to_string(i), kOpen, "csi.cert-manager.io", "a", theirs);
  }
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return agent.agent.Pods().size() == 30; }));

  CreatePod("p", kOpen);

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

// Nothing waits for a status, so it must not delay a pod that opens.
TEST_F(AgentFaultsTest, OpensPodWhileStatusesOfItsNamespaceAreSlow) {
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  CreatePod("first", kOpen);
  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("first"); }));
  for (const char* name : {"waits-1", "waits-2", "waits-3"}) {
    Fault(name, {.action = testing::apiserver::FaultAction::kHang, .count = -1});
    CreatePod(name);
  }
  ASSERT_TRUE(testing::Eventually([&] { return agent.agent.Pods().size() == 4; }));

  CreatePod("p", kOpen);

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, DropsReplacedPodAndOpensItsSuccessor) {
  Fault("p", {.code = 422, .message = "metadata.uid: Invalid value: \"u\": field is immutable"});
  Fault("gone", {.code = 404});
  CreatePod("p", kOpen);
  CreatePod("gone", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return Patches() == 2; }));

  Delete("p");
  CreatePod("p", kOpen);

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, WritesReadyKeyAndEventWhenStatusDoesNotFit) {
  Fault("p", {.code = 422,
              .message = "metadata.annotations: Too long: may not be more than 262144 bytes"});
  CreatePod("p", kOpen);

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
  EXPECT_EQ(Annotation("p", kStatusKey), "");
  EXPECT_THAT(agent.events.events(), Contains(HasSubstr("AnnotationsTooLong Pod/p")));
}

// The gate does not depend on the pod, so only our own patches change its version.
TEST_F(AgentFaultsTest, SendsOnePatchAtATimeForAPod) {
  Fault("p", {.action = testing::apiserver::FaultAction::kDelay, .delay = 400ms});
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"configmap:ns/c"}));
  ASSERT_TRUE(testing::Eventually([&] {
    return agent.metrics.Serialize().find("capstan_gate_pending{") != std::string::npos;
  }));

  http_->Post(kSets, R"({"metadata":{"name":"c"}})");

  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
  EXPECT_TRUE(HasStatus("p", "Open"));
  EXPECT_EQ(Patches(409), 0U) << "the second patch uses the version of the first one";
  EXPECT_LE(Patches(), 2U);
}

TEST_F(AgentFaultsTest, DoesNotRepeatPatchWhoseResponseIsLost) {
  Fault("p", {.action = testing::apiserver::FaultAction::kCut, .bytes = 10});
  CreatePod("p", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));

  CreatePod("marker", kOpen);
  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("marker"); }));
  Clock::Real().SleepFor({}, 600ms);  // longer than the first retry

  EXPECT_EQ(Patches(), 2U);
}

TEST_F(AgentFaultsTest, StopsPromptlyDuringPatchAndWritesInTheNextRun) {
  Fault("p", {.action = testing::apiserver::FaultAction::kHang, .count = -1});
  CreatePod("p", kOpen);
  auto agent = std::make_unique<RunningAgent>(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return Patches() == 1; }));
  auto& clock = Clock::Real();
  const auto stopped = clock.Now();

  agent.reset();

  EXPECT_LT(clock.Now() - stopped, 10s) << "a patch without a response takes longer";
  EXPECT_FALSE(IsOpen("p"));
  server_.ClearFaults();
  const RunningAgent next(*client_, Gates({"pod-annotation:x"}));
  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

// Happens during a rolling update. The second agent has another version.
TEST_F(AgentFaultsTest, TwoAgentsOnANodeDoNotFight) {
  CreatePod("open", kOpen);
  CreatePod("pending");
  AgentOptions other = Gates({"pod-annotation:x"});
  other.version = "2";
  const RunningAgent first(*client_, Gates({"pod-annotation:x"}));
  const RunningAgent second(*client_, other);
  ASSERT_TRUE(testing::Eventually([&] {
    return IsOpen("open") && HasStatus("pending", "Pending") && first.agent.Ready() &&
           second.agent.Ready();
  }));

  Annotate("pending", R"("x":"y")");
  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("pending"); }));
  auto& clock = Clock::Real();
  clock.SleepFor({}, 500ms);  // conflicting writes would have happened by now
  const auto settled = Patches();
  clock.SleepFor({}, 1500ms);  // longer than the first restoration after a change by others

  EXPECT_EQ(Patches(), settled);
  for (const RunningAgent* agent : {&first, &second}) {
    EXPECT_EQ(agent->metrics.Serialize().find("changed-by-others"), std::string::npos);
  }
  EXPECT_TRUE(IsOpen("open") && IsOpen("pending"));
}

// Their flags differ during an update, or two releases are on one node.
TEST_F(AgentFaultsTest, TwoAgentsWithDifferentGatesDoNotFight) {
  CreatePod("p");
  const RunningAgent first(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "Pending"); }));
  const RunningAgent second(*client_, Gates({"pod-annotation:x", "pod-ip:any"}));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "pod-ip:any"); }));

  // The first restoration of a status would come within two seconds.
  EXPECT_TRUE(testing::Consistently([&] { return Patches(200) == 2; }, 2500ms));

  EXPECT_TRUE(HasStatus("p", "pod-ip:any"));
}

TEST_F(AgentFaultsTest, RetriesForbiddenListAndReportsItInReadyz) {
  for (const char* verb : {"list", "watch"}) {
    server_.InjectFault({.match = {.verb = verb, .resource = "pods"}, .code = 403, .count = -1});
  }
  CreatePod("p", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return AllRequests() > 0; }));
  EXPECT_FALSE(agent.agent.Ready().has_value());

  server_.ClearFaults();

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p") && agent.agent.Ready().has_value(); }));
}

TEST_F(AgentFaultsTest, StartsBeforeTheApiServer) {
  CreatePod("p", kOpen);
  server_.Stop();
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  Clock::Real().SleepFor({}, 100ms);
  EXPECT_FALSE(agent.agent.Ready().has_value());

  ASSERT_TRUE(server_.Start().has_value());

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, ContinuesAfterRestartOfTheApiServer) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "Pending"); }));

  server_.Stop();
  ASSERT_TRUE(server_.Start().has_value());
  Annotate("p", R"("x":"y")");

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, MissesNothingWhenVersionOfWatchExpires) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "Pending"); }));

  server_.InjectFault({.match = {.verb = "watch", .resource = "pods"},
                       .action = testing::apiserver::FaultAction::kErrorEvent,
                       .code = 410});
  server_.CompactWatchWindow();
  server_.CutWatches();
  Annotate("p", R"("x":"y")");

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

constexpr char kOther[] = "/api/v1/namespaces/other/configmaps";

std::string WithSet(const std::string& name) {
  return R"(,"annotations":{"x":"y","readiness.capstan.dev/gate-set":")" + name + "\"}";
}

class AgentRefusedCachesTest : public AgentOnServer {
 protected:
  void Refuse(testing::apiserver::RequestMatch match, int code = 403) {
    for (const char* verb : {"list", "watch"}) {
      match.verb = verb;
      server_.InjectFault({.match = match, .code = code, .message = "no right", .count = -1});
    }
  }
  static AgentOptions WithSets(const std::vector<std::string>& specs) {
    AgentOptions options = Gates(specs);
    options.gate_sets = {.namespace_ = "ns", .name = "sets"};
    return options;
  }
  static std::string WhyNotReady(const RunningAgent& agent) {
    const auto ready = agent.agent.Ready();
    return ready ? "ready" : ready.error().message;
  }
};

TEST_F(AgentRefusedCachesTest, DeniedConfigMapStopsOnlyPodsThatNeedIt) {
  WriteSets(R"({"plain":"pod-annotation:x\n","bundle":"pod-annotation:x\nconfigmap:other/c\n"})");
  Refuse({.resource = "configmaps", .namespace_ = "other", .name = "c"});
  CreatePod("plain", WithSet("plain"));
  CreatePod("bundle", WithSet("bundle"));
  const RunningAgent agent(*client_, WithSets({}));

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("plain"); }));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("bundle", "ConfigMapUnknown"); }));
  EXPECT_TRUE(HasStatus("bundle", "cannot list configmaps in namespace other: forbidden"))
      << Annotation("bundle", kStatusKey);
  EXPECT_FALSE(IsOpen("bundle"));
  EXPECT_THAT(WhyNotReady(agent), HasSubstr("cache of configmaps/other/c is not synced"));
  EXPECT_THAT(WhyNotReady(agent), Not(HasSubstr("pods")));

  server_.ClearFaults();
  http_->Post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  ASSERT_EQ(http_->Post(kOther, R"({"metadata":{"name":"c"}})").code, 201);

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("bundle"); })) << "without a restart";
  EXPECT_TRUE(testing::Eventually([&] { return agent.agent.Ready().has_value(); }));
}

TEST_F(AgentRefusedCachesTest, DefaultGatesWorkWhenGateSetsAreDenied) {
  WriteSets(R"({"plain":"pod-annotation:x\n"})");
  Refuse({.resource = "configmaps"});
  CreatePod("default", kOpen);
  CreatePod("named", WithSet("plain"));
  const RunningAgent agent(*client_, WithSets({"pod-annotation:x"}));

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("default"); }));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("named", "GateSetsUnknown"); }));
  EXPECT_TRUE(HasStatus("named", "cannot list configmaps in namespace ns: forbidden"))
      << Annotation("named", kStatusKey);
  EXPECT_FALSE(IsOpen("named"));
  EXPECT_THAT(WhyNotReady(agent), HasSubstr("cache of configmaps/ns/sets is not synced"));

  server_.ClearFaults();

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("named"); })) << "without a restart";
  EXPECT_TRUE(testing::Eventually([&] { return agent.agent.Ready().has_value(); }));
}

TEST_F(AgentRefusedCachesTest, StatusNamesDeniedNode) {
  Refuse({.resource = "nodes"});
  CreatePod("p", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x", "node-condition:Ready"}));

  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "NodeUnknown"); }));
  EXPECT_TRUE(HasStatus("p", "cannot list nodes: forbidden")) << Annotation("p", kStatusKey);
}

TEST_F(AgentRefusedCachesTest, ReadyzNamesDeniedPods) {
  Refuse({.resource = "pods"});
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  EXPECT_TRUE(testing::Eventually([&] {
    return WhyNotReady(agent).find("cache of pods is not synced") != std::string::npos &&
           WhyNotReady(agent).find("no right") != std::string::npos;
  })) << WhyNotReady(agent);
}

// A list that hangs is not a denial.
TEST_F(AgentRefusedCachesTest, WaitsFiveSecondsForCacheWithoutResponse) {
  WriteSets(R"({"plain":"pod-annotation:x\n","bundle":"configmap:other/c\n"})");
  for (const char* verb : {"list", "watch"}) {
    server_.InjectFault(
        {.match = {.verb = verb, .resource = "configmaps", .namespace_ = "other", .name = "c"},
         .action = testing::apiserver::FaultAction::kHang,
         .count = -1});
  }
  CreatePod("plain", WithSet("plain"));
  CreatePod("bundle", WithSet("bundle"));
  testing::FakeClock clock;
  AgentOptions options = WithSets({});
  const AgentOptions with_clock{.node_name = options.node_name,
                                .gate_sets = options.gate_sets,
                                .loop_mode = LoopMode::kFixed,
                                .version = "1",
                                .clock = clock};
  const RunningAgent agent(*client_, with_clock);

  ASSERT_TRUE(testing::Eventually([&] {
    if (clock.HasWaiters()) clock.Step(100ms);
    return IsOpen("plain");
  }));

  EXPECT_TRUE(testing::Eventually([&] {
    if (clock.HasWaiters()) clock.Step(100ms);
    return HasStatus("bundle", "configmaps in namespace other have not been read yet");
  })) << Annotation("bundle", kStatusKey);
}

}  // namespace
}  // namespace capstan::readinessgate

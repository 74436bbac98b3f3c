// SPDX-License-Identifier: Apache-2.0
// What the agent does when the API server, or another agent, is in its way.
#include <gmock/gmock.h>

#include "controllers/readinessgate/agent_on_server_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using clientgo::testing::apiserver::FaultAction;
using ::testing::Contains;
using ::testing::HasSubstr;

class AgentFaultsTest : public AgentOnServer {
 protected:
  // For patches of pod `name`.
  void Fault(const std::string& name, clientgo::testing::apiserver::Fault fault) {
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

TEST_F(AgentFaultsTest, WritesAgainWhateverTheServerAnswered) {
  struct Case {
    const char* name;
    clientgo::testing::apiserver::Fault fault;
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
      {"balancer", {.action = FaultAction::kPlainText, .code = 502}},
      {"closed", {.action = FaultAction::kClose}},
      {"garbage", {.action = FaultAction::kGarbage}},
      {"cut", {.action = FaultAction::kCut, .bytes = 10}},
  };
  for (const Case& c : cases) {
    Fault(c.name, c.fault);
    CreatePod(c.name, kOpen);
  }

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  for (const Case& c : cases) EXPECT_TRUE(Eventually([&] { return IsOpen(c.name); })) << c.name;
  const std::string metrics = agent.metrics.Serialize();
  for (const char* result : {"denied", "conflict", "error", "written"}) {
    EXPECT_THAT(metrics, HasSubstr("capstan_gate_writes_total{result=\"" + std::string(result)));
  }
}

TEST_F(AgentFaultsTest, PodThatWasReplacedIsDroppedAndItsSuccessorIsNot) {
  Fault("p", {.code = 422, .message = "metadata.uid: Invalid value: \"u\": field is immutable"});
  Fault("gone", {.code = 404});
  CreatePod("p", kOpen);
  CreatePod("gone", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return Patches() == 2; }));

  Delete("p");
  CreatePod("p", kOpen);

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, WithoutRoomForTheStatusTheKeyIsWrittenAndAnEventTellsIt) {
  Fault("p", {.code = 422,
              .message = "metadata.annotations: Too long: may not be more than 262144 bytes"});
  CreatePod("p", kOpen);

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  ASSERT_TRUE(Eventually([&] { return IsOpen("p"); }));
  EXPECT_EQ(Annotation("p", kStatusKey), "");
  EXPECT_THAT(agent.events.events(), Contains(HasSubstr("AnnotationsTooLong Pod/p")));
}

// The gate opens by something other than the pod, so nothing but our own patches moves its version.
TEST_F(AgentFaultsTest, OnePatchOfAPodIsInFlightAndTheLatestWishFollows) {
  Fault("p", {.action = FaultAction::kDelay, .delay = 400ms});
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"configmap:ns/c"}));
  ASSERT_TRUE(Eventually([&] {
    return agent.metrics.Serialize().find("capstan_gate_pending{") != std::string::npos;
  }));

  http_->Post(kSets, R"({"metadata":{"name":"c"}})");

  ASSERT_TRUE(Eventually([&] { return IsOpen("p"); }));
  EXPECT_TRUE(HasStatus("p", "Open"));
  EXPECT_EQ(Patches(409), 0U) << "the second knows the version that the first one made";
  EXPECT_LE(Patches(), 2U);
}

TEST_F(AgentFaultsTest, PatchWhoseAnswerIsLostIsNotWrittenTwice) {
  Fault("p", {.action = FaultAction::kCut, .bytes = 10});
  CreatePod("p", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return IsOpen("p"); }));

  CreatePod("marker", kOpen);
  ASSERT_TRUE(Eventually([&] { return IsOpen("marker"); }));
  clientgo::util::Clock::Real().SleepFor({}, 600ms);  // longer than the first retry

  EXPECT_EQ(Patches(), 2U);
}

TEST_F(AgentFaultsTest, StopDuringAPatchIsPromptAndTheNextRunWritesIt) {
  Fault("p", {.action = FaultAction::kHang, .count = -1});
  CreatePod("p", kOpen);
  auto agent = std::make_unique<RunningAgent>(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return Patches() == 1; }));
  auto& clock = clientgo::util::Clock::Real();
  const auto asked = clock.Now();

  agent.reset();

  EXPECT_LT(clock.Now() - asked, 10s) << "a patch that nobody answers takes longer";
  EXPECT_FALSE(IsOpen("p"));
  server_.ClearFaults();
  const RunningAgent next(*client_, Gates({"pod-annotation:x"}));
  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

// As during a rolling update; the second is another version of the program.
TEST_F(AgentFaultsTest, TwoAgentsOnANodeAgree) {
  CreatePod("open", kOpen);
  CreatePod("pending");
  AgentOptions other = Gates({"pod-annotation:x"});
  other.version = "2";
  const RunningAgent first(*client_, Gates({"pod-annotation:x"}));
  const RunningAgent second(*client_, other);
  ASSERT_TRUE(Eventually([&] {
    return IsOpen("open") && HasStatus("pending", "Pending") && first.agent.Ready() &&
           second.agent.Ready();
  }));

  Annotate("pending", R"("x":"y")");
  ASSERT_TRUE(Eventually([&] { return IsOpen("pending"); }));
  auto& clock = clientgo::util::Clock::Real();
  clock.SleepFor({}, 500ms);  // what they disagreed on would have been written by now
  const auto settled = Patches();
  clock.SleepFor({}, 1500ms);  // longer than a first answer to a change by others takes

  EXPECT_EQ(Patches(), settled);
  for (const RunningAgent* agent : {&first, &second}) {
    EXPECT_EQ(agent->metrics.Serialize().find("changed-by-others"), std::string::npos);
  }
  EXPECT_TRUE(IsOpen("open") && IsOpen("pending"));
}

TEST_F(AgentFaultsTest, ListThatIsRefusedIsToldInReadyzAndAskedForAgain) {
  for (const char* verb : {"list", "watch"}) {
    server_.InjectFault({.match = {.verb = verb, .resource = "pods"}, .code = 403, .count = -1});
  }
  CreatePod("p", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return AllRequests() > 0; }));
  EXPECT_FALSE(agent.agent.Ready().has_value());

  server_.ClearFaults();

  EXPECT_TRUE(Eventually([&] { return IsOpen("p") && agent.agent.Ready().has_value(); }));
}

TEST_F(AgentFaultsTest, StartsBeforeTheApiServer) {
  CreatePod("p", kOpen);
  server_.Stop();
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  clientgo::util::Clock::Real().SleepFor({}, 100ms);
  EXPECT_FALSE(agent.agent.Ready().has_value());

  ASSERT_TRUE(server_.Start().has_value());

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, GoesOnAfterTheApiServerRestarted) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "Pending"); }));

  server_.Stop();
  ASSERT_TRUE(server_.Start().has_value());
  Annotate("p", R"("x":"y")");

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentFaultsTest, WatchWhoseVersionExpiredLosesNothing) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "Pending"); }));

  server_.InjectFault({.match = {.verb = "watch", .resource = "pods"},
                       .action = FaultAction::kErrorEvent,
                       .code = 410});
  server_.CompactWatchWindow();
  server_.CutWatches();
  Annotate("p", R"("x":"y")");

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

}  // namespace
}  // namespace controllers::readinessgate

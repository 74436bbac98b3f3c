// SPDX-License-Identifier: Apache-2.0
// What the agent does when the API server refuses one of its caches: the gates that need it wait
// and say why, and everything else goes on.
#include <gmock/gmock.h>

#include "clientgo/testing/fake_clock.h"
#include "controllers/readinessgate/agent_on_server_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using clientgo::testing::apiserver::FaultAction;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kOpen[] = R"(,"annotations":{"x":"y"})";
constexpr char kOther[] = "/api/v1/namespaces/other/configmaps";

std::string WithSet(const std::string& name) {
  return R"(,"annotations":{"x":"y","readiness.capstan.dev/gate-set":")" + name + "\"}";
}

class AgentRefusedCachesTest : public AgentOnServer {
 protected:
  void Refuse(clientgo::testing::apiserver::RequestMatch match, int code = 403) {
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

TEST_F(AgentRefusedCachesTest, RefusedConfigMapStopsOnlyThePodsThatNeedIt) {
  WriteSets(R"({"plain":"pod-annotation:x\n","bundle":"pod-annotation:x\nconfigmap:other/c\n"})");
  Refuse({.resource = "configmaps", .namespace_ = "other", .name = "c"});
  CreatePod("plain", WithSet("plain"));
  CreatePod("bundle", WithSet("bundle"));
  const RunningAgent agent(*client_, WithSets({}));

  EXPECT_TRUE(Eventually([&] { return IsOpen("plain"); }));
  ASSERT_TRUE(Eventually([&] { return HasStatus("bundle", "ConfigMapUnknown"); }));
  EXPECT_TRUE(HasStatus("bundle", "cannot list configmaps in namespace other: forbidden"))
      << Annotation("bundle", kStatusKey);
  EXPECT_FALSE(IsOpen("bundle"));
  EXPECT_THAT(WhyNotReady(agent), HasSubstr("cache of configmaps/other/c is not synced"));
  EXPECT_THAT(WhyNotReady(agent), Not(HasSubstr("pods")));

  server_.ClearFaults();
  http_->Post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  ASSERT_EQ(http_->Post(kOther, R"({"metadata":{"name":"c"}})").code, 201);

  EXPECT_TRUE(Eventually([&] { return IsOpen("bundle"); })) << "without a restart";
  EXPECT_TRUE(Eventually([&] { return agent.agent.Ready().has_value(); }));
}

TEST_F(AgentRefusedCachesTest, DefaultGatesWorkWhenTheGateSetsAreRefused) {
  WriteSets(R"({"plain":"pod-annotation:x\n"})");
  Refuse({.resource = "configmaps"});
  CreatePod("default", kOpen);
  CreatePod("named", WithSet("plain"));
  const RunningAgent agent(*client_, WithSets({"pod-annotation:x"}));

  EXPECT_TRUE(Eventually([&] { return IsOpen("default"); }));
  ASSERT_TRUE(Eventually([&] { return HasStatus("named", "GateSetsUnknown"); }));
  EXPECT_TRUE(HasStatus("named", "cannot list configmaps in namespace ns: forbidden"))
      << Annotation("named", kStatusKey);
  EXPECT_FALSE(IsOpen("named"));
  EXPECT_THAT(WhyNotReady(agent), HasSubstr("cache of configmaps/ns/sets is not synced"));

  server_.ClearFaults();

  EXPECT_TRUE(Eventually([&] { return IsOpen("named"); })) << "without a restart";
  EXPECT_TRUE(Eventually([&] { return agent.agent.Ready().has_value(); }));
}

TEST_F(AgentRefusedCachesTest, RefusedNodeIsNamedInThePodsStatus) {
  Refuse({.resource = "nodes"});
  CreatePod("p", kOpen);
  const RunningAgent agent(*client_, Gates({"pod-annotation:x", "node-condition:Ready"}));

  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "NodeUnknown"); }));
  EXPECT_TRUE(HasStatus("p", "cannot list nodes: forbidden")) << Annotation("p", kStatusKey);
}

TEST_F(AgentRefusedCachesTest, RefusedPodsAreNamedInReadyz) {
  Refuse({.resource = "pods"});
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  EXPECT_TRUE(Eventually([&] {
    return WhyNotReady(agent).find("cache of pods is not synced") != std::string::npos &&
           WhyNotReady(agent).find("no right") != std::string::npos;
  })) << WhyNotReady(agent);
}

// A list that hangs, or that the server ends with an error of its own, is no refusal.
TEST_F(AgentRefusedCachesTest, CacheWithoutAnAnswerIsWaitedForOnlySoLong) {
  WriteSets(R"({"plain":"pod-annotation:x\n","bundle":"configmap:other/c\n"})");
  for (const char* verb : {"list", "watch"}) {
    server_.InjectFault(
        {.match = {.verb = verb, .resource = "configmaps", .namespace_ = "other", .name = "c"},
         .action = FaultAction::kHang,
         .count = -1});
  }
  CreatePod("plain", WithSet("plain"));
  CreatePod("bundle", WithSet("bundle"));
  clientgo::testing::FakeClock clock;
  AgentOptions options = WithSets({});
  const AgentOptions with_clock{.node_name = options.node_name,
                                .gate_sets = options.gate_sets,
                                .loop_mode = LoopMode::kFixed,
                                .version = "1",
                                .clock = clock};
  const RunningAgent agent(*client_, with_clock);

  ASSERT_TRUE(Eventually([&] {
    if (clock.HasWaiters()) clock.Step(100ms);
    return IsOpen("plain");
  }));

  EXPECT_TRUE(Eventually([&] {
    if (clock.HasWaiters()) clock.Step(100ms);
    return HasStatus("bundle", "configmaps in namespace other have not been read yet");
  })) << Annotation("bundle", kStatusKey);
}

}  // namespace
}  // namespace controllers::readinessgate

// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/agent.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>

#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "controllers/readinessgate/testing/agent_on_server.h"
#include "controllers/readinessgate/testing/runtime_event_sender.h"

namespace capstan::readinessgate {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AgentTest : public AgentOnServer {};

TEST_F(AgentTest, OpensPodWhenGateOpens) {
  CreatePod("p");
  RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "Pending"); }));
  EXPECT_FALSE(IsOpen("p"));

  Annotate("p", R"("x":"y")");

  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
  EXPECT_THAT(Annotation("p", kReadyKey), StartsWith("v1."));
  EXPECT_TRUE(HasStatus("p", "Open")) << "in the same patch";
  EXPECT_TRUE(testing::Eventually([&] { return agent.agent.Ready().has_value(); }));
  EXPECT_EQ(Patches(), 3U) << "one of them is the test's";
}

TEST_F(AgentTest, SendsNoRequestWithoutGates) {
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  server_.ResetRequests();
  {
    const RunningAgent agent(*client_, Gates({}));
    EXPECT_TRUE(agent.agent.Ready().has_value());
    Clock::Real().SleepFor({}, 300ms);
  }

  EXPECT_EQ(AllRequests(), 0U);
}

TEST_F(AgentTest, EvaluationSendsNoRequest) {
  constexpr int kPodCount = 100;
  CreatePods(kPodCount);
  testing::FakeClock clock;  // avoids waiting for passes in real time
  AgentOptions options{
      .node_name = "a",
      .default_gates =
          ParseGateSet("", {"pod-annotation:x", "node-condition:Ready", "configmap:ns/c"}).value(),
      .loop_mode = LoopMode::kFixed,
      .clock = clock};
  RunningAgent agent(*client_, options);
  const auto evaluations = [&] {
    const std::string text = agent.metrics.Serialize();
    const std::string line = "capstan_gate_evaluations_total{result=\"closed\"} ";
    const auto at = text.find(line);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + line.size()));
  };
  ASSERT_TRUE(testing::Eventually([&] {
    clock.Step(100ms);
    return Patches() == kPodCount;
  })) << "each pod gets a status";
  const auto before = AllRequests();
  const int first = evaluations();

  ASSERT_TRUE(testing::Eventually([&] {
    if (clock.HasWaiters()) clock.Step(100ms);
    return evaluations() >= first + 10000;
  }));

  EXPECT_EQ(AllRequests(), before) << "10,000 evaluations and no request";
}

TEST_F(AgentTest, IgnoresOtherPods) {
  CreatePod("elsewhere", R"(,"annotations":{"x":"y"})", "csi.cert-manager.io", "b");
  CreatePod("other-driver", R"(,"annotations":{"x":"y"})", "disk.example.com");
  CreatePod("mirror", R"(,"annotations":{"x":"y","kubernetes.io/config.mirror":"h"})");
  CreatePod("finished", R"(,"annotations":{"x":"y"})");
  http_->Patch(Path("finished") + "/status", "merge-patch+json",
               R"({"status":{"phase":"Succeeded"}})");
  http_->Post(kPods, R"({"metadata":{"name":"no-volume","annotations":{"x":"y"}},"spec":)"
                     R"({"nodeName":"a","containers":[{"name":"c","image":"i"}]}})");
  CreatePod("ours", R"(,"annotations":{"x":"y"})");

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("ours"); }));
  for (const char* name : {"elsewhere", "other-driver", "mirror", "finished", "no-volume"}) {
    EXPECT_EQ(Annotation(name, kReadyKey) + Annotation(name, kStatusKey), "") << name;
  }
}

TEST_F(AgentTest, RestartWritesNothing) {
  CreatePod("open", R"(,"annotations":{"x":"y"})");
  CreatePod("closed");
  {
    const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
    ASSERT_TRUE(
        testing::Eventually([&] { return IsOpen("open") && HasStatus("closed", "Pending"); }));
  }
  Annotate("open", R"("x":null)");  // its gate would be closed now
  const auto before = Patches();

  RunningAgent again(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return again.agent.Ready().has_value(); }));
  CreatePod("marker");
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("marker", "Pending"); }));

  EXPECT_TRUE(IsOpen("open"));
  EXPECT_EQ(Patches(), before + 1) << "that of the marker";
}

TEST_F(AgentTest, ClosesSuccessorOfTheSameName) {
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
  const std::string value = Annotation("p", kReadyKey);

  Delete("p");
  CreatePod("p", R"(,"annotations":{"readiness.capstan.dev/ready":")" + value + "\"}");

  EXPECT_TRUE(testing::Eventually([&] { return !IsOpen("p") && HasStatus("p", "Pending"); }));
}

TEST_F(AgentTest, ReadsGateSetsAgainAndIgnoresInvalidEdit) {
  WriteSets(R"({"mesh":"pod-annotation:y\n"})");
  CreatePod("p", R"(,"annotations":{"readiness.capstan.dev/gate-set":"mesh","z":"1"})");
  AgentOptions options = Gates({});
  options.gate_sets = {.namespace_ = "ns", .name = "sets"};
  const RunningAgent agent(*client_, options);
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "pod-annotation:y"); }));

  WriteSets(R"({"mesh":"pod-anotation:z\n"})");
  ASSERT_TRUE(testing::Eventually([&] { return !agent.events.events().empty(); }));
  EXPECT_THAT(agent.events.events(), Contains(HasSubstr("InvalidGateSets ConfigMap/sets")));
  EXPECT_FALSE(IsOpen("p"));
  EXPECT_TRUE(HasStatus("p", "pod-annotation:y")) << "the last good set stays";

  // Needs an annotation that was not cached so far.
  WriteSets(R"({"mesh":"pod-annotation:z\n"})");
  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentTest, ListsAgainAfterRandomPartOfSpreadWhenGateSetsChange) {
  WriteSets(R"({"mesh":"pod-annotation:y\n"})");
  CreatePod("p", R"(,"annotations":{"readiness.capstan.dev/gate-set":"mesh","z":"1"})");
  testing::FakeClock clock;
  const AgentOptions options{.node_name = "a",
                             .gate_sets = {{.namespace_ = "ns", .name = "sets"}},
                             .loop_mode = LoopMode::kFixed,
                             .relist_spread = 100s,
                             .random = [] { return 0.5; },
                             .version = "1",
                             .clock = clock};
  const RunningAgent agent(*client_, options);
  const auto eventually = [&](const std::function<bool()>& condition) {
    return testing::Eventually([&] {
      if (clock.HasWaiters()) clock.Step(100ms);
      return condition();
    });
  };
  const auto lists = [&] {
    return server_.CountRequests({.verb = "watch", .resource = "pods", .user_agent = "agent"});
  };
  ASSERT_TRUE(eventually([&] { return HasStatus("p", "pod-annotation:y"); }));
  ASSERT_EQ(lists(), 1U);

  WriteSets(R"({"mesh":"pod-annotation:z\n"})");
  const std::string read_twice = "capstan_gate_set_reloads_total{result=\"success\"} 2";
  ASSERT_TRUE(
      eventually([&] { return agent.metrics.Serialize().find(read_twice) != std::string::npos; }));
  const auto changed = clock.Now();
  ASSERT_TRUE(eventually([&] { return clock.Now() - changed > 45s; }));
  EXPECT_EQ(lists(), 1U);

  EXPECT_TRUE(eventually([&] { return lists() == 2; }));
  EXPECT_TRUE(eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentTest, MandatoryGateAppliesToDefaultAndNamedSets) {
  WriteSets(R"({"weak":"pod-annotation:x\n"})");
  AgentOptions options = Gates({"pod-annotation:x"});
  options.gate_sets = {.namespace_ = "ns", .name = "sets"};
  options.mandatory_gates = ParseGateSet("", {"pod-annotation:m"}).value();
  CreatePod("default", R"(,"annotations":{"x":"y"})");
  CreatePod("named", R"(,"annotations":{"x":"y","readiness.capstan.dev/gate-set":"weak"})");
  const RunningAgent agent(*client_, options);

  for (const char* name : {"default", "named"}) {
    ASSERT_TRUE(testing::Eventually([&] { return HasStatus(name, "pod-annotation:m"); })) << name;
    EXPECT_FALSE(IsOpen(name)) << name;
    Annotate(name, R"("m":"1")");
    EXPECT_TRUE(testing::Eventually([&] { return IsOpen(name); })) << name;
  }
}

TEST_F(AgentTest, MandatoryGatesApplyToPodsWithoutOtherGates) {
  AgentOptions options = Gates({});
  options.mandatory_gates = ParseGateSet("", {"pod-annotation:m"}).value();
  CreatePod("p");
  const RunningAgent agent(*client_, options);

  EXPECT_TRUE(testing::Eventually([&] { return HasStatus("p", "pod-annotation:m"); }));
  EXPECT_FALSE(IsOpen("p"));
}

TEST_F(AgentTest, OpensConfigMapGateWhenConfigMapIsCreated) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"configmap:ns/bundle:ca.crt"}));
  ASSERT_TRUE(testing::Eventually([&] { return HasStatus("p", "Pending"); }));

  http_->Post(kSets, R"({"metadata":{"name":"bundle"},"data":{"ca.crt":"pem"}})");

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
  EXPECT_EQ(server_.CountRequests({.verb = "get", .resource = "configmaps", .user_agent = "agent"}),
            0U);
}

TEST_F(AgentTest, KeepsConditionsOfOthers) {
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  http_->Patch(Path("p") + "/status", "strategic-merge-patch+json",
               R"({"status":{"conditions":[{"type":"Initialized","status":"True"}]}})");
  AgentOptions options = Gates({"pod-annotation:x"});
  options.outputs = {.annotation = true, .condition = true};
  const RunningAgent agent(*client_, options);

  ASSERT_TRUE(testing::Eventually([&] {
    const std::string body = http_->Get(Path("p")).body;
    return body.find("readiness.capstan.dev/CertGates") != std::string::npos;
  }));
  EXPECT_THAT(http_->Get(Path("p")).body, HasSubstr("Initialized"));
  EXPECT_TRUE(IsOpen("p"));
}

TEST_F(AgentTest, OpensFiveHundredPodsWithOnePatchEach) {
  constexpr int kPodCount = 500;
  CreatePods(kPodCount, R"(,"annotations":{"x":"y"})");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  ASSERT_TRUE(testing::Eventually([&] { return Patches() == kPodCount; }));

  CreatePod("marker", R"(,"annotations":{"x":"y"})");
  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("marker"); }));
  EXPECT_EQ(Patches(), kPodCount + 1U);
}

TEST_F(AgentTest, ForgetsPodThatLeavesTheNode) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  const auto pending = [&] {
    return agent.metrics.Serialize().find("capstan_gate_pending{") != std::string::npos;
  };
  ASSERT_TRUE(testing::Eventually(pending));

  Delete("p");  // A Pod keeps its node. A new one of the same name can be on another.
  CreatePod("p", "", "csi.cert-manager.io", "b");

  EXPECT_TRUE(testing::Eventually([&] { return !pending(); }));
}

constexpr char kTimerWakeups[] = R"(capstan_loop_wakeups_total{cause="timer"})";

class AgentRuntimeEventsTest : public AgentOnServer {
 protected:
  AgentOptions EventOnly() {
    return {.node_name = "a",
            .default_gates = ParseGateSet("", {"pod-annotation:x"}).value(),
            .loop_mode = LoopMode::kEventOnly,
            .clock = clock_};
  }
  // There is no notification when the caches have synced, so the agent polls every 100 ms.
  bool BecomesReady(const RunningAgent& agent) {
    return testing::Eventually([&] {
      clock_.Step(100ms);
      return agent.agent.Ready().has_value();
    });
  }
  static double Value(const RunningAgent& agent, const std::string& series) {
    const std::string text = agent.metrics.Serialize();
    const std::size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }
  static bool Shows(const RunningAgent& agent, const std::string& line) {
    return agent.metrics.Serialize().find(line + "\n") != std::string::npos;
  }

  testing::FakeClock clock_;
  testing::TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
};

TEST_F(AgentRuntimeEventsTest, OpensNoSocketWithoutAPath) {
  const RunningAgent agent(*client_, EventOnly());
  ASSERT_TRUE(BecomesReady(agent));

  EXPECT_NE(access(path_.c_str(), F_OK), 0);
  EXPECT_TRUE(
      testing::Eventually([&] { return Shows(agent, "capstan_loop_interval_seconds 10"); }));
}

// The time stands still, so no pass follows the first one.
TEST_F(AgentRuntimeEventsTest, OpensPodsWithoutWaitingForTheNextPass) {
  const std::vector<std::string> names = {"p", "q", "r"};
  for (const std::string& name : names) CreatePod(name);
  const RunningAgent agent(*client_, EventOnly());
  ASSERT_TRUE(BecomesReady(agent));
  ASSERT_TRUE(testing::Eventually([&] {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return HasStatus(name, "Pending"); });
  }));

  for (const std::string& name : names) {
    Annotate(name, R"("x":"y")");
    ASSERT_TRUE(testing::Eventually([&] { return IsOpen(name); })) << name;
  }
}

TEST_F(AgentRuntimeEventsTest, RunsPassAndCountsAfterRuntimeEvent) {
  AgentOptions options = EventOnly();
  options.runtime_events_socket = path_;
  {
    const RunningAgent agent(*client_, options);
    ASSERT_TRUE(BecomesReady(agent));

    RuntimeEventSender(path_).Send(RuntimeEventType::kCreated);

    EXPECT_TRUE(testing::Eventually([&] {
      clock_.Step(10ms);
      return Shows(agent, R"(capstan_loop_wakeups_total{cause="runtime-event"} 1)") &&
             Shows(agent, R"(capstan_cri_events_total{type="created"} 1)");
    }));
  }
  EXPECT_NE(access(path_.c_str(), F_OK), 0) << "it is removed at the end";
}

TEST_F(AgentRuntimeEventsTest, RunsPassEverySecondWithoutTheBroker) {
  AgentOptions options = EventOnly();
  options.runtime_events_socket = path_;
  const RunningAgent agent(*client_, options);
  ASSERT_TRUE(BecomesReady(agent));
  ASSERT_TRUE(testing::Eventually([&] {
    return Value(agent, "capstan_loop_interval_seconds") == 1;
  })) << "no heartbeat has arrived yet";

  const RuntimeEventSender broker(path_);
  broker.Send(RuntimeEventType::kStreamUp);
  broker.Send(RuntimeEventType::kCreated);  // causes a pass, which also sees the heartbeat
  ASSERT_TRUE(testing::Eventually([&] {
    clock_.Step(10ms);
    return Value(agent, "capstan_loop_interval_seconds") > 1;
  })) << "while the heartbeat counts";

  for (int second = 0; second < 5; ++second) {
    const double before = Value(agent, kTimerWakeups);
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(second == 0 ? 3s : 1s);  // the heartbeat has expired, and no other arrives
    EXPECT_TRUE(testing::Eventually([&] { return Value(agent, kTimerWakeups) > before; }))
        << second;
    EXPECT_TRUE(
        testing::Eventually([&] { return Value(agent, "capstan_loop_interval_seconds") == 1; }));
  }
}

}  // namespace
}  // namespace capstan::readinessgate

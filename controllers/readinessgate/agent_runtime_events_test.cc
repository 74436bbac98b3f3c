// SPDX-License-Identifier: Apache-2.0
// The agent and the socket for runtime events, with a test in the place of the broker.
#include <gmock/gmock.h>
#include <unistd.h>

#include "clientgo/testing/fake_clock.h"
#include "clientgo/testing/temp_dir.h"
#include "controllers/readinessgate/agent_on_server_for_test.h"
#include "controllers/readinessgate/testing/runtime_event_sender.h"

namespace controllers::readinessgate {
namespace {

using testing::RuntimeEventSender;
using namespace std::chrono_literals;

constexpr char kTimerWakeups[] = R"(capstan_loop_wakeups_total{cause="timer"})";

class AgentRuntimeEventsTest : public AgentOnServer {
 protected:
  AgentOptions EventOnly() {
    return {.node_name = "a",
            .default_gates = ParseGateSet("", {"pod-annotation:x"}).value(),
            .loop_mode = LoopMode::kEventOnly,
            .clock = clock_};
  }
  // Nothing tells when the caches are synced: the loop looks every 100 ms of its clock.
  bool BecomesReady(const RunningAgent& agent) {
    return Eventually([&] {
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

  clientgo::testing::FakeClock clock_;
  clientgo::testing::TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
};

TEST_F(AgentRuntimeEventsTest, WithoutAPathNoSocketIsOpened) {
  const RunningAgent agent(*client_, EventOnly());
  ASSERT_TRUE(BecomesReady(agent));

  EXPECT_NE(access(path_.c_str(), F_OK), 0);
  EXPECT_TRUE(Eventually([&] { return Shows(agent, "capstan_loop_interval_seconds 10"); }));
}

TEST_F(AgentRuntimeEventsTest, AnEventWakesTheLoopAndIsCounted) {
  AgentOptions options = EventOnly();
  options.runtime_events_socket = path_;
  {
    const RunningAgent agent(*client_, options);
    ASSERT_TRUE(BecomesReady(agent));

    RuntimeEventSender(path_).Send(RuntimeEventType::kCreated);

    EXPECT_TRUE(Eventually([&] {
      clock_.Step(10ms);
      return Shows(agent, R"(capstan_loop_wakeups_total{cause="runtime-event"} 1)") &&
             Shows(agent, R"(capstan_cri_events_total{type="created"} 1)");
    }));
  }
  EXPECT_NE(access(path_.c_str(), F_OK), 0) << "it is removed at the end";
}

// Also in the middle of a long sleep.
TEST_F(AgentRuntimeEventsTest, WithoutTheBrokerTheLoopLooksEverySecond) {
  AgentOptions options = EventOnly();
  options.runtime_events_socket = path_;
  const RunningAgent agent(*client_, options);
  ASSERT_TRUE(BecomesReady(agent));
  ASSERT_TRUE(Eventually([&] { return Value(agent, "capstan_loop_interval_seconds") == 1; }))
      << "nobody has said anything yet";

  const RuntimeEventSender broker(path_);
  broker.Send(RuntimeEventType::kStreamUp);
  broker.Send(RuntimeEventType::kCreated);  // makes a pass, and that one knows of both
  ASSERT_TRUE(Eventually([&] {
    clock_.Step(10ms);
    return Value(agent, "capstan_loop_interval_seconds") > 1;
  })) << "as long as the broker's word counts";

  for (int second = 0; second < 5; ++second) {
    const double before = Value(agent, kTimerWakeups);
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(second == 0 ? 3s : 1s);  // its word has run out, then no more is heard
    EXPECT_TRUE(Eventually([&] { return Value(agent, kTimerWakeups) > before; })) << second;
    EXPECT_TRUE(Eventually([&] { return Value(agent, "capstan_loop_interval_seconds") == 1; }));
  }
}

}  // namespace
}  // namespace controllers::readinessgate

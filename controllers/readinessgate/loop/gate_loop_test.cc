// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/loop/gate_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <vector>

#include "clientgo/testing/fake_clock.h"
#include "clientgo/util/thread.h"
#include "controllers/readinessgate/loop/simulated_clock_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using clientgo::util::Clock;
using std::chrono::milliseconds;

// A loop in simulated time that writes down when it passed, and why, until `until`.
struct Recorded {
  SimulatedClock clock;
  std::vector<milliseconds> passes;
  std::vector<WakeCause> causes;
  std::vector<milliseconds> intervals;
  std::stop_source stop;
  GateLoop loop;
  std::function<PassResult()> pass = [] { return PassResult{}; };

  explicit Recorded(milliseconds until, LoopMode mode = LoopMode::kAdaptive)
      : loop(
            [this, until] {
              const auto now = std::chrono::duration_cast<milliseconds>(clock.Elapsed());
              if (now > until) {
                stop.request_stop();
                return PassResult{};
              }
              passes.push_back(now);
              return pass();
            },
            {.mode = mode,
             .clock = clock,
             .on_wakeup = [this](WakeCause cause) { causes.push_back(cause); },
             .on_interval = [this](milliseconds interval) { intervals.push_back(interval); }}) {}
  void Run() { loop.Run(stop.get_token()); }
};

using Times = std::vector<milliseconds>;

TEST(GateLoopTest, IdlePassesStartWhenTheTableSays) {
  Recorded recorded(6s);

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 100ms, 200ms, 300ms, 500ms, 800ms, 1200ms, 1700ms, 2300ms,
                                    3000ms, 3800ms, 4700ms, 5700ms}));
}

// After each number of idle passes in a row: 20 ms into the sleep, and at its last moment.
TEST(GateLoopTest, EventWakesTheSleepingLoopAtOnceAndStartsTheRowAgain) {
  const Times row = {0ms,    100ms,  200ms,  300ms,  500ms,  800ms, 1200ms,
                     1700ms, 2300ms, 3000ms, 3800ms, 4700ms, 5700ms};
  for (std::size_t idle = 1; idle + 1 < row.size(); ++idle) {
    for (const milliseconds event : {row[idle] + 20ms, row[idle + 1] - 1ms}) {
      Recorded recorded(event + 650ms);
      recorded.clock.At(event, [&] { recorded.loop.Wake(WakeCause::kPod); });

      recorded.Run();

      Times expected(row.begin(), row.begin() + static_cast<Times::difference_type>(idle) + 1);
      expected.push_back(event);
      // The pass ahead of the pace is made up for by the sleep after it.
      const milliseconds next = std::max(event + 100ms, row[idle] + 200ms);
      for (const milliseconds later : {0ms, 100ms, 200ms, 400ms}) {
        if (next + later <= event + 650ms) expected.push_back(next + later);
      }
      EXPECT_EQ(recorded.passes, expected) << event.count();
    }
  }
}

TEST(GateLoopTest, EventsOfTheHundredMillisecondsAfterAnEventsPassShareOne) {
  Recorded recorded(550ms, LoopMode::kEventOnly);
  for (const milliseconds event : {240ms, 270ms, 339ms}) {
    recorded.clock.At(event, [&] { recorded.loop.Wake(WakeCause::kPod); });
  }

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 240ms, 340ms}));
}

// However they fall between the passes of the timer.
TEST(GateLoopTest, NoEventsMakeMoreThanTenPassesASecond) {
  for (const LoopMode mode : {LoopMode::kAdaptive, LoopMode::kFixed, LoopMode::kEventOnly}) {
    for (milliseconds period = 1ms; period <= 300ms; period += 7ms) {
      Recorded recorded(60s - 1ms, mode);
      for (milliseconds at = period; at < 60s; at += period) {
        recorded.clock.At(at, [&] { recorded.loop.Wake(WakeCause::kPod); });
      }

      recorded.Run();

      EXPECT_LE(recorded.passes.size(), 601U) << period.count();
      for (std::size_t i = 11; i < recorded.passes.size(); ++i) {
        // Ten and the one that is ahead.
        ASSERT_GE(recorded.passes[i] - recorded.passes[i - 11], 1s) << period.count();
      }
    }
  }
}

TEST(GateLoopTest, ThousandEventsASecondMakeTenPasses) {
  Recorded recorded(999ms, LoopMode::kEventOnly);
  for (int i = 0; i < 1000; ++i) {
    recorded.clock.At(milliseconds(i), [&] { recorded.loop.Wake(WakeCause::kPod); });
  }

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 10U);
}

TEST(GateLoopTest, EventDuringAPassIsServedByAnother) {
  Recorded recorded(250ms, LoopMode::kEventOnly);
  recorded.pass = [&] {
    if (recorded.passes.size() == 1) recorded.loop.Wake(WakeCause::kNode);
    return PassResult{};
  };

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 100ms}));
  EXPECT_EQ(recorded.causes[1], WakeCause::kNode);
}

// No moment between a pass and the sleep loses a wake-up: each is followed by a pass.
TEST(GateLoopTest, NoWakeUpIsLostAtAnyMoment) {
  clientgo::testing::FakeClock clock;
  std::atomic<int> requested = 0;
  std::atomic<int> served = 0;
  GateLoop loop(
      [&] {
        served = requested.load();
        return PassResult{};
      },
      {.mode = LoopMode::kEventOnly, .clock = clock});
  const std::jthread runner =
      clientgo::util::StartThread("loop", [&](std::stop_token stop) { loop.Run(stop); });

  for (int i = 1; i <= 2000; ++i) {
    requested = i;
    loop.Wake(WakeCause::kPod);
    // Only the hundred milliseconds between two passes: never so far that the safety pass runs.
    while (served != i) {
      if (clock.HasWaiters()) clock.Step(1ms);
    }
  }

  EXPECT_EQ(served, 2000);
}

TEST(GateLoopTest, FailingWriteIsNeverIdle) {
  Recorded recorded(5s);
  recorded.pass = [&] { return PassResult{.idle = false}; };

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 51U);
  for (const milliseconds interval : recorded.intervals) EXPECT_LE(interval, 100ms);
}

TEST(GateLoopTest, RetryThatFallsDueIsNotSleptOver) {
  Recorded recorded(9999ms, LoopMode::kEventOnly);
  recorded.pass = [&] {
    PassResult result;
    if (recorded.passes.size() == 1) result.due = SimulatedClock::kStart + 250ms;
    return result;
  };

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 250ms}));
  EXPECT_EQ(recorded.intervals.front(), 250ms);
}

TEST(GateLoopTest, WhatIsOverdueDoesNotSpinTheLoop) {
  Recorded recorded(950ms, LoopMode::kEventOnly);
  recorded.pass = [&] { return PassResult{.due = SimulatedClock::kStart}; };

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 10U);
}

TEST(GateLoopTest, SuspendedProcessDoesNotCatchUp) {
  Recorded recorded(1h + 10s);
  recorded.clock.At(5s, [&] { recorded.clock.Jump(1h); });

  recorded.Run();

  const auto after = std::count_if(recorded.passes.begin(), recorded.passes.end(),
                                   [](milliseconds at) { return at >= 1h; });
  EXPECT_EQ(after, 6) << "one when it runs again, then one a second";
}

TEST(GateLoopTest, WallClockSetByAnHourChangesNothing) {
  for (const auto jump : {1h, -1h}) {
    Recorded recorded(6s);
    recorded.clock.At(2s, [&] { recorded.clock.JumpWall(jump); });

    recorded.Run();

    EXPECT_EQ(recorded.passes.size(), 13U);
  }
}

TEST(GateLoopTest, TellsWhyItWokeAndHowLongItSleeps) {
  Recorded recorded(450ms);
  recorded.clock.At(350ms, [&] { recorded.loop.Wake(WakeCause::kConfigMap); });

  recorded.Run();

  EXPECT_EQ(std::vector<WakeCause>(recorded.causes.begin(), recorded.causes.begin() + 5),
            (std::vector{WakeCause::kStart, WakeCause::kTimer, WakeCause::kTimer, WakeCause::kTimer,
                         WakeCause::kConfigMap}));
  EXPECT_EQ(recorded.intervals[3], 200ms);
  EXPECT_EQ(ToString(WakeCause::kConfigMap), "configmap");
}

TEST(GateLoopTest, StopEndsTheSleep) {
  clientgo::testing::FakeClock clock;
  std::latch passed(1);
  GateLoop loop(
      [&] {
        passed.count_down();
        return PassResult{};
      },
      {.mode = LoopMode::kEventOnly, .clock = clock});
  std::jthread runner =
      clientgo::util::StartThread("loop", [&](std::stop_token stop) { loop.Run(stop); });
  passed.wait();

  runner.request_stop();
  runner.join();

  EXPECT_FALSE(clock.HasWaiters());
}

}  // namespace
}  // namespace controllers::readinessgate

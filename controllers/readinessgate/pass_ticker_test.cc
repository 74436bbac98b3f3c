// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pass_ticker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <limits>
#include <map>
#include <ostream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/fake_clock.h"
#include "capstan/thread.h"

namespace capstan::readinessgate {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(AdaptiveIntervalTest, GrowsAfterThirdIdlePassUpToOneSecond) {
  const std::vector<int> expected = {100, 100, 100, 100, 200, 300,  400,
                                     500, 600, 700, 800, 900, 1000, 1000};

  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(AdaptiveInterval(static_cast<int>(n)), milliseconds(expected[n])) << n;
  }
}

TEST(AdaptiveIntervalTest, StaysAtOneSecond) {
  EXPECT_EQ(AdaptiveInterval(1'000'000), milliseconds(1000));
  EXPECT_EQ(AdaptiveInterval(std::numeric_limits<int>::max()), milliseconds(1000));
}

// SimulatedClock is the time of one thread that only waits. A wait jumps to its deadline, or to an
// earlier scripted event, which then runs. So a day takes as long as its events. Not thread-safe.
class SimulatedClock final : public Clock {
 public:
  // The time at the start.
  static constexpr TimePoint kStart{std::chrono::hours(1000)};

  TimePoint Now() const override { return now_; }
  WallTime WallNow() const override {
    return WallTime(std::chrono::duration_cast<WallTime::duration>(now_.time_since_epoch())) +
           wall_offset_;
  }

  // Runs `event` during a wait that reaches `after`, counted from the start. Events of one time run
  // in the order of the calls.
  void At(Duration after, std::function<void()> event) {
    events_.emplace(kStart + after, std::move(event));
  }
  // Simulates that the process was suspended or stopped.
  void Jump(Duration duration) { now_ += duration; }
  // Simulates that the wall clock was set.
  void JumpWall(Duration duration) {
    wall_offset_ += std::chrono::duration_cast<WallTime::duration>(duration);
  }
  Duration Elapsed() const { return now_ - kStart; }

  bool WaitUntil(Mutex& mu, CondVar&, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu) {
    while (!ready() && !stop.stop_requested() && now_ < deadline) {
      const auto next = events_.begin();
      if (next == events_.end() || next->first > deadline) {
        now_ = deadline;
        break;
      }
      now_ = std::max(now_, next->first);
      const std::function<void()> event = std::move(next->second);
      events_.erase(next);
      mu.unlock();
      event();
      mu.lock();
    }
    return ready();
  }

 private:
  TimePoint now_ = kStart;
  WallTime::duration wall_offset_{};
  std::multimap<TimePoint, std::function<void()>> events_;
};

// Runs passes until `stop`, as the agent does.
void RunPasses(PassTicker& ticker, const std::stop_token& stop, const std::function<void()>& pass) {
  while (!stop.stop_requested()) {
    ticker.BeginPass();
    pass();
    ticker.EndPass({});
    ticker.Wait(stop);
  }
}

// Recorded runs passes in simulated time until `until`, and records when and why they start.
struct Recorded {
  explicit Recorded(milliseconds until_time, LoopMode mode = LoopMode::kAdaptive)
      : until(until_time), ticker(mode, clock) {}
  void Run() {
    for (;;) {
      const WakeCause cause = ticker.BeginPass();
      const auto now = std::chrono::duration_cast<milliseconds>(clock.Elapsed());
      if (now > until) return;
      causes.push_back(cause);
      passes.push_back(now);
      intervals.push_back(ticker.EndPass(pass()));
      for (auto pods = ticker.Wait({}); !pods.empty(); pods = ticker.Wait({})) {
        at_once.emplace_back(std::chrono::duration_cast<milliseconds>(clock.Elapsed()), pods);
      }
    }
  }

  const milliseconds until;
  SimulatedClock clock;
  PassTicker ticker;
  std::function<PassResult()> pass = [] { return PassResult{}; };
  std::vector<milliseconds> passes;
  std::vector<WakeCause> causes;
  std::vector<milliseconds> intervals;
  std::vector<std::pair<milliseconds, std::vector<std::string>>> at_once;
};

using Times = std::vector<milliseconds>;

TEST(PassTickerTest, IdlePassesFollowTheTable) {
  Recorded recorded(6s);

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 100ms, 200ms, 300ms, 500ms, 800ms, 1200ms, 1700ms, 2300ms,
                                    3000ms, 3800ms, 4700ms, 5700ms}));
}

// Tested after each number of idle passes in a row, 20 ms into the sleep and at its last moment.
TEST(PassTickerTest, EventStartsPassAtOnceAndResetsTheInterval) {
  const Times row = {0ms,    100ms,  200ms,  300ms,  500ms,  800ms, 1200ms,
                     1700ms, 2300ms, 3000ms, 3800ms, 4700ms, 5700ms};
  for (std::size_t idle = 1; idle + 1 < row.size(); ++idle) {
    for (const milliseconds event : {row[idle] + 20ms, row[idle + 1] - 1ms}) {
      Recorded recorded(event + 650ms);
      recorded.clock.At(event, [&] { recorded.ticker.Wake(WakeCause::kPod); });

      recorded.Run();

      Times expected(row.begin(), row.begin() + static_cast<Times::difference_type>(idle) + 1);
      expected.push_back(event);
      // The sleep after a pass ahead of the pace is longer.
      const milliseconds next = std::max(event + 100ms, row[idle] + 200ms);
      for (const milliseconds later : {0ms, 100ms, 200ms, 400ms}) {
        if (next + later <= event + 650ms) expected.push_back(next + later);
      }
      EXPECT_EQ(recorded.passes, expected) << event.count();
    }
  }
}

TEST(PassTickerTest, EventsWithin100MillisecondsShareOnePass) {
  Recorded recorded(550ms, LoopMode::kEventOnly);
  for (const milliseconds event : {240ms, 270ms, 339ms}) {
    recorded.clock.At(event, [&] { recorded.ticker.Wake(WakeCause::kPod); });
  }

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 240ms, 340ms}));
}

TEST(PassTickerTest, PodsThatWaitForASharedPassAreReturnedAtOnce) {
  Recorded recorded(550ms, LoopMode::kEventOnly);
  const auto event = [&](milliseconds at, const char* pod) {
    recorded.clock.At(at, [&recorded, pod] { recorded.ticker.Wake(WakeCause::kPod, pod); });
  };
  event(240ms, "ns/a");  // its pass is not shared
  event(270ms, "ns/b");
  event(339ms, "ns/a");

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 240ms, 340ms}));
  EXPECT_THAT(recorded.at_once,
              ElementsAre(Pair(270ms, ElementsAre("ns/b")), Pair(339ms, ElementsAre("ns/a"))));
}

TEST(PassTickerTest, EventsOfAPodDuringAPassAreReturnedOnce) {
  Recorded recorded(250ms, LoopMode::kEventOnly);
  recorded.pass = [&] {
    if (recorded.passes.size() > 1) return PassResult{};
    for (int i = 0; i < 100; ++i) recorded.ticker.Wake(WakeCause::kPod, "ns/a");
    return PassResult{};
  };

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 100ms}));
  EXPECT_THAT(recorded.at_once, ElementsAre(Pair(0ms, ElementsAre("ns/a"))));
}

TEST(PassTickerTest, PodIsReturnedAtMostFourTimesBetweenTwoPasses) {
  Recorded recorded(999ms, LoopMode::kEventOnly);
  for (int i = 0; i < 1000; ++i) {
    recorded.clock.At(milliseconds(i), [&] { recorded.ticker.Wake(WakeCause::kPod, "ns/a"); });
  }

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 10U);
  EXPECT_EQ(recorded.at_once.size(), 40U);
}

// Tested with events at all offsets from the passes of the timer.
TEST(PassTickerTest, EventsCauseAtMostTenPassesASecond) {
  for (const LoopMode mode : {LoopMode::kAdaptive, LoopMode::kFixed, LoopMode::kEventOnly}) {
    for (milliseconds period = 1ms; period <= 300ms; period += 7ms) {
      Recorded recorded(60s - 1ms, mode);
      for (milliseconds at = period; at < 60s; at += period) {
        recorded.clock.At(at, [&] { recorded.ticker.Wake(WakeCause::kPod); });
      }

      recorded.Run();

      EXPECT_LE(recorded.passes.size(), 601U) << period.count();
      for (std::size_t i = 11; i < recorded.passes.size(); ++i) {
        // Ten, and one pass ahead of the pace.
        ASSERT_GE(recorded.passes[i] - recorded.passes[i - 11], 1s) << period.count();
      }
    }
  }
}

TEST(PassTickerTest, ThousandEventsASecondCauseTenPasses) {
  Recorded recorded(999ms, LoopMode::kEventOnly);
  for (int i = 0; i < 1000; ++i) {
    recorded.clock.At(milliseconds(i), [&] { recorded.ticker.Wake(WakeCause::kPod); });
  }

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 10U);
}

TEST(PassTickerTest, EventDuringAPassCausesAnother) {
  Recorded recorded(250ms, LoopMode::kEventOnly);
  recorded.pass = [&] {
    if (recorded.passes.size() == 1) recorded.ticker.Wake(WakeCause::kNode);
    return PassResult{};
  };

  recorded.Run();

  EXPECT_EQ(recorded.passes, (Times{0ms, 100ms}));
  EXPECT_EQ(recorded.causes[1], WakeCause::kNode);
}

// A wake-up at any moment between a pass and the sleep is followed by a pass.
TEST(PassTickerTest, NoWakeUpIsLost) {
  testing::FakeClock clock;
  std::atomic<int> requested = 0;
  std::atomic<int> served = 0;
  PassTicker ticker(LoopMode::kEventOnly, clock);
  const std::jthread runner = StartThread("passes", [&](const std::stop_token& stop) {
    RunPasses(ticker, stop, [&] { served = requested.load(); });
  });

  for (int i = 1; i <= 2000; ++i) {
    requested = i;
    ticker.Wake(WakeCause::kPod);
    // Advances the 100 ms between two passes, never so far that the safety pass runs.
    while (served != i) {
      if (clock.HasWaiters()) clock.Step(1ms);
    }
  }

  EXPECT_EQ(served, 2000);
}

TEST(PassTickerTest, PassThatIsNotIdleKeepsTheShortInterval) {
  Recorded recorded(5s);
  recorded.pass = [&] { return PassResult{.idle = false}; };

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 51U);
  for (const milliseconds interval : recorded.intervals) EXPECT_LE(interval, 100ms);
}

TEST(PassTickerTest, RunsPassWhenRetryIsDue) {
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

TEST(PassTickerTest, OverdueRetryDoesNotSpin) {
  Recorded recorded(950ms, LoopMode::kEventOnly);
  recorded.pass = [&] { return PassResult{.due = SimulatedClock::kStart}; };

  recorded.Run();

  EXPECT_EQ(recorded.passes.size(), 10U);
}

TEST(PassTickerTest, SuspendedProcessDoesNotCatchUp) {
  Recorded recorded(1h + 10s);
  recorded.clock.At(5s, [&] { recorded.clock.Jump(1h); });

  recorded.Run();

  const auto after = std::count_if(recorded.passes.begin(), recorded.passes.end(),
                                   [](milliseconds at) { return at >= 1h; });
  EXPECT_EQ(after, 6) << "one when it runs again, then one a second";
}

TEST(PassTickerTest, IgnoresChangeOfTheWallClock) {
  for (const auto jump : {1h, -1h}) {
    Recorded recorded(6s);
    recorded.clock.At(2s, [&] { recorded.clock.JumpWall(jump); });

    recorded.Run();

    EXPECT_EQ(recorded.passes.size(), 13U);
  }
}

TEST(PassTickerTest, ReturnsCauseAndInterval) {
  Recorded recorded(450ms);
  recorded.clock.At(350ms, [&] { recorded.ticker.Wake(WakeCause::kConfigMap); });

  recorded.Run();

  EXPECT_EQ(std::vector<WakeCause>(recorded.causes.begin(), recorded.causes.begin() + 5),
            (std::vector{WakeCause::kStart, WakeCause::kTimer, WakeCause::kTimer, WakeCause::kTimer,
                         WakeCause::kConfigMap}));
  EXPECT_EQ(recorded.intervals[3], 200ms);
  EXPECT_EQ(ToString(WakeCause::kConfigMap), "configmap");
}

TEST(PassTickerTest, StopEndsTheWait) {
  testing::FakeClock clock;
  std::latch passed(1);
  PassTicker ticker(LoopMode::kEventOnly, clock);
  std::jthread runner = StartThread("passes", [&](const std::stop_token& stop) {
    RunPasses(ticker, stop, [&] { passed.count_down(); });
  });
  passed.wait();

  runner.request_stop();
  runner.join();

  EXPECT_FALSE(clock.HasWaiters());
}

constexpr int kDay = 24;

// Returns the passes of each hour, with an event every `period` (0: none) that changes nothing.
std::vector<int> PassesByHour(LoopMode mode, milliseconds period, int hours = kDay) {
  SimulatedClock clock;
  std::vector<int> passes(static_cast<std::size_t>(hours), 0);
  PassTicker ticker(mode, clock);
  std::function<void()> again;
  milliseconds next = period;
  again = [&] {
    ticker.Wake(WakeCause::kRuntimeEvent);
    next += period;
    clock.At(next, again);
  };
  if (period > 0ms) clock.At(next, again);
  for (;;) {
    ticker.BeginPass();
    if (clock.Elapsed() >= std::chrono::hours(hours)) return passes;
    ++passes.at(static_cast<std::size_t>(clock.Elapsed() / 1h));
    ticker.EndPass({});
    ticker.Wait({});
  }
}

struct Row {
  milliseconds period;
  int an_hour;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.period.count() << " ms";
}

class PassTickerDayTest : public ::testing::TestWithParam<Row> {};

TEST_P(PassTickerDayTest, AdaptiveModeRunsTheComputedNumberOfPasses) {
  EXPECT_EQ(PassesByHour(LoopMode::kAdaptive, GetParam().period),
            std::vector<int>(kDay, GetParam().an_hour));
}

INSTANTIATE_TEST_SUITE_P(Periods, PassTickerDayTest,
                         ::testing::Values(Row{300ms, 36000}, Row{500ms, 28800}, Row{1s, 21600},
                                           Row{2s, 14400}, Row{5s, 8640}, Row{10s, 6120},
                                           Row{30s, 4440}, Row{60s, 4020}, Row{5min, 3684}));

TEST(PassTickerDayTest, FixedModeRunsTenPassesASecond) {
  EXPECT_EQ(PassesByHour(LoopMode::kFixed, 0ms), std::vector<int>(kDay, 36000));
}

TEST(PassTickerDayTest, AdaptiveModeRunsOnePassASecondWithoutEvents) {
  std::vector<int> expected(kDay, 3600);
  expected[0] = 3607;  // seven more while the sleep grows

  EXPECT_EQ(PassesByHour(LoopMode::kAdaptive, 0ms), expected);
}

TEST(PassTickerDayTest, EventOnlyModeRunsOnePassIn10SecondsWithoutEvents) {
  EXPECT_EQ(PassesByHour(LoopMode::kEventOnly, 0ms), std::vector<int>(kDay, 360));
}

TEST(PassTickerDayTest, EventOnlyModeRunsOnePassForEachEvent) {
  EXPECT_EQ(PassesByHour(LoopMode::kEventOnly, 1s), std::vector<int>(kDay, 3600));
}

// With more than three events a second all hours are alike, so one hour is enough.
TEST(PassTickerDayTest, ManyEventsCauseTenPassesASecondInEveryMode) {
  const std::vector<int> ten_a_second = {36000};

  for (const milliseconds period : {100ms, 200ms, 300ms, 500ms}) {
    EXPECT_EQ(PassesByHour(LoopMode::kFixed, period, 1), ten_a_second);
  }
  for (const milliseconds period : {40ms, 100ms}) {
    EXPECT_EQ(PassesByHour(LoopMode::kEventOnly, period, 1), ten_a_second);
  }
  for (const milliseconds period : {40ms, 100ms, 200ms}) {
    EXPECT_EQ(PassesByHour(LoopMode::kAdaptive, period, 1), ten_a_second);
  }
}

}  // namespace
}  // namespace capstan::readinessgate

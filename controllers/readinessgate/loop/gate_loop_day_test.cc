// SPDX-License-Identifier: Apache-2.0
// A day of the loop in simulated time: how often it wakes up when something happens every T.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <vector>

#include "controllers/readinessgate/loop/gate_loop.h"
#include "controllers/readinessgate/loop/simulated_clock_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr int kDay = 24;

// The passes of each hour, with an event every `period` (0: none) that changes nothing.
std::vector<int> PassesByHour(LoopMode mode, milliseconds period, int hours = kDay) {
  SimulatedClock clock;
  std::vector<int> passes(static_cast<std::size_t>(hours), 0);
  std::stop_source stop;
  const auto end = std::chrono::hours(hours);
  GateLoop loop(
      [&]() -> PassResult {
        if (clock.Elapsed() >= end) {
          stop.request_stop();
        } else {
          ++passes.at(static_cast<std::size_t>(clock.Elapsed() / 1h));
        }
        return {};
      },
      {.mode = mode, .clock = clock});
  std::function<void()> again;
  milliseconds next = period;
  again = [&] {
    loop.Wake(WakeCause::kRuntimeEvent);
    next += period;
    clock.At(next, again);
  };
  if (period > 0ms) clock.At(next, again);

  loop.Run(stop.get_token());

  return passes;
}

struct Row {
  milliseconds period;
  int an_hour;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.period.count() << " ms";
}

class GateLoopDayTest : public ::testing::TestWithParam<Row> {};

TEST_P(GateLoopDayTest, AdaptiveLoopWakesAsOftenAsComputed) {
  EXPECT_EQ(PassesByHour(LoopMode::kAdaptive, GetParam().period),
            std::vector<int>(kDay, GetParam().an_hour));
}

INSTANTIATE_TEST_SUITE_P(Periods, GateLoopDayTest,
                         ::testing::Values(Row{300ms, 36000}, Row{500ms, 28800}, Row{1s, 21600},
                                           Row{2s, 14400}, Row{5s, 8640}, Row{10s, 6120},
                                           Row{30s, 4440}, Row{60s, 4020}, Row{5min, 3684}));

TEST(GateLoopDayTest, FixedLoopWakesTenTimesASecond) {
  EXPECT_EQ(PassesByHour(LoopMode::kFixed, 0ms), std::vector<int>(kDay, 36000));
}

TEST(GateLoopDayTest, WithoutEventsAdaptiveLoopWakesOnceASecond) {
  std::vector<int> expected(kDay, 3600);
  expected[0] = 3607;  // seven more while the sleep grows

  EXPECT_EQ(PassesByHour(LoopMode::kAdaptive, 0ms), expected);
}

TEST(GateLoopDayTest, WithoutEventsEventOnlyLoopLooksEveryTenSeconds) {
  EXPECT_EQ(PassesByHour(LoopMode::kEventOnly, 0ms), std::vector<int>(kDay, 360));
}

TEST(GateLoopDayTest, EventOnlyLoopWakesForEachEvent) {
  EXPECT_EQ(PassesByHour(LoopMode::kEventOnly, 1s), std::vector<int>(kDay, 3600));
}

// What comes more often than three times a second is the same every hour: one is enough.
TEST(GateLoopDayTest, ManyEventsCostTenPassesASecondInEveryMode) {
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
}  // namespace controllers::readinessgate

// SPDX-License-Identifier: Apache-2.0
#include "capstan/clock.h"

#include <gtest/gtest.h>

#include <atomic>

#include "capstan/testing/fake_clock.h"
#include "capstan/thread.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

TEST(ClockTest, StopEndsRealSleep) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(Clock::Real().SleepFor(stop.get_token(), 1h));
}

TEST(ClockTest, RealSleepEndsAfterDuration) {
  EXPECT_TRUE(Clock::Real().SleepFor(std::stop_token(), 1us));
}

TEST(FakeClockTest, StepWakesOnlyDueSleepers) {
  testing::FakeClock clock;
  std::stop_source stop;
  std::atomic<int> early{0};
  std::atomic<int> late{0};
  auto a =
      StartThread("early", [&](auto) { early = clock.SleepFor(stop.get_token(), 10s) ? 1 : 2; });
  auto b = StartThread("late", [&](auto) { late = clock.SleepFor(stop.get_token(), 20s) ? 1 : 2; });
  ASSERT_TRUE(clock.BlockUntilWaiters(2));

  clock.Step(10s);
  a.join();
  EXPECT_EQ(early, 1);
  EXPECT_EQ(late, 0);

  stop.request_stop();
  b.join();
  EXPECT_EQ(late, 2) << "a stopped sleep returned true";
}

TEST(FakeClockTest, SleeperSeesEveryStep) {
  testing::FakeClock clock;
  std::atomic<int> rounds{0};
  auto sleeper = StartThread("sleeper", [&](std::stop_token stop) {
    while (clock.SleepFor(stop, 1s)) ++rounds;
  });

  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    clock.Step(1s);
  }
  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_EQ(rounds, 500);
}

TEST(FakeClockTest, StepsWallTimeAlone) {
  testing::FakeClock clock;
  const auto now = clock.Now();
  const auto wall = clock.WallNow();

  clock.StepWall(-1h);

  EXPECT_EQ(clock.Now(), now);
  EXPECT_EQ(clock.WallNow(), wall - 1h);
}

TEST(LinkedStopSourceTest, StopsWithParentOrAlone) {
  std::stop_source parent;
  LinkedStopSource by_parent(parent.get_token());
  LinkedStopSource alone(parent.get_token());

  alone.RequestStop();
  EXPECT_TRUE(alone.token().stop_requested());
  EXPECT_FALSE(by_parent.token().stop_requested());

  parent.request_stop();
  EXPECT_TRUE(by_parent.token().stop_requested());
}

}  // namespace
}  // namespace capstan

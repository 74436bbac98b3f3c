// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/deadline_timer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>

#include "clientgo/testing/fake_clock.h"

namespace clientgo::util {
namespace {

using std::chrono::seconds;
using testing::FakeClock;

TEST(DeadlineTimerTest, CallsAtTheDeadlineAndNotBefore) {
  FakeClock clock;
  std::binary_semaphore called(0);
  DeadlineTimer timer(clock);

  timer.Arm(clock.Now() + seconds(5), [&] { called.release(); });
  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(seconds(4));
  EXPECT_FALSE(called.try_acquire());
  clock.Step(seconds(1));

  EXPECT_TRUE(called.try_acquire_for(seconds(10)));
}

TEST(DeadlineTimerTest, CallsAtOnceForADeadlineThatHasPassed) {
  FakeClock clock;
  std::binary_semaphore called(0);
  DeadlineTimer timer(clock);

  timer.Arm(clock.Now() - seconds(1), [&] { called.release(); });

  EXPECT_TRUE(called.try_acquire_for(seconds(10)));
}

TEST(DeadlineTimerTest, IsSilentOnceDisarmed) {
  FakeClock clock;
  std::atomic<bool> called = false;
  {
    DeadlineTimer timer(clock);
    timer.Arm(clock.Now() + seconds(5), [&] { called = true; });
    ASSERT_TRUE(clock.BlockUntilWaiters());
    timer.Disarm();
    EXPECT_FALSE(clock.HasWaiters());
    clock.Step(seconds(100));
  }
  EXPECT_FALSE(called);
}

TEST(DeadlineTimerTest, DisarmWaitsForACallThatHasBegun) {
  FakeClock clock;
  std::binary_semaphore begun(0);
  std::atomic<bool> ended = false;
  DeadlineTimer timer(clock);
  timer.Arm(clock.Now(), [&] {
    begun.release();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    ended = true;
  });

  begun.acquire();
  timer.Disarm();

  EXPECT_TRUE(ended);
}

TEST(DeadlineTimerTest, ANewDeadlineReplacesTheOld) {
  FakeClock clock;
  std::atomic<bool> first = false;
  std::binary_semaphore second(0);
  DeadlineTimer timer(clock);
  timer.Arm(clock.Now() + seconds(50), [&] { first = true; });
  ASSERT_TRUE(clock.BlockUntilWaiters());

  timer.Arm(clock.Now() + seconds(5), [&] { second.release(); });
  clock.Step(seconds(5));

  EXPECT_TRUE(second.try_acquire_for(seconds(10)));
  clock.Step(seconds(100));
  timer.Disarm();
  EXPECT_FALSE(first);
}

}  // namespace
}  // namespace clientgo::util

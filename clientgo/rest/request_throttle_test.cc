// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/request_throttle.h"

#include <gtest/gtest.h>

#include <atomic>

#include "clientgo/testing/fake_clock.h"
#include "clientgo/util/thread.h"

namespace clientgo::rest {
namespace {

TEST(RequestThrottleTest, LetsABurstThroughAndThenItsRate) {
  testing::FakeClock clock;
  RequestThrottle throttle(2, 3, clock);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(throttle.Wait({}));

  std::atomic<bool> went{false};
  auto thread = util::StartThread("waiter", [&](std::stop_token stop) {
    if (throttle.Wait(std::move(stop))) went = true;
  });
  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_FALSE(went);
  clock.Step(std::chrono::milliseconds(500));
  thread.join();

  EXPECT_TRUE(went);
}

TEST(RequestThrottleTest, StopEndsTheWaitAndNegativeMeansNoLimit) {
  testing::FakeClock clock;
  RequestThrottle throttle(0.001, 1, clock);
  std::stop_source stop;
  EXPECT_TRUE(throttle.Wait(stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(throttle.Wait(stop.get_token()));

  RequestThrottle unlimited(-1, 0, clock);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(unlimited.Wait({}));
}

}  // namespace
}  // namespace clientgo::rest

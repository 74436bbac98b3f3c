// SPDX-License-Identifier: Apache-2.0
#include "capstan/workqueue/rate_limiter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "capstan/testing/fake_clock.h"

namespace capstan::workqueue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ItemExponentialFailureRateLimiterTest, DoublesFromFiveMillisecondsToAThousandSeconds) {
  const auto limiter = NewItemExponentialFailureRateLimiter();

  std::vector<Clock::Duration> delays;
  for (int i = 0; i < 20; ++i) delays.push_back(limiter->When("a"));

  EXPECT_EQ(delays[0], milliseconds(5));
  EXPECT_EQ(delays[1], milliseconds(10));
  EXPECT_EQ(delays[2], milliseconds(20));
  EXPECT_EQ(delays[17], milliseconds(655360));
  EXPECT_EQ(delays[18], seconds(1000));
  EXPECT_EQ(delays[19], seconds(1000));
  EXPECT_EQ(limiter->NumRequeues("a"), 20);
}

TEST(ItemExponentialFailureRateLimiterTest, StaysAtCap) {
  const auto limiter = NewItemExponentialFailureRateLimiter();

  for (int i = 0; i < 5000; ++i) limiter->When("a");

  EXPECT_EQ(limiter->When("a"), seconds(1000));
}

TEST(ItemExponentialFailureRateLimiterTest, ForgetResetsOnlyThatItem) {
  const auto limiter = NewItemExponentialFailureRateLimiter();
  for (int i = 0; i < 3; ++i) limiter->When("a");
  for (int i = 0; i < 3; ++i) limiter->When("b");

  limiter->Forget("a");
  limiter->Forget("never-seen");

  EXPECT_EQ(limiter->NumRequeues("a"), 0);
  EXPECT_EQ(limiter->When("a"), milliseconds(5));
  EXPECT_EQ(limiter->When("b"), milliseconds(40));
}

TEST(BucketRateLimiterTest, AllowsBurstAndThenSpreadsItemsEvenly) {
  testing::FakeClock clock;
  const auto limiter = NewBucketRateLimiter(clock, /*qps=*/10, /*burst=*/3);

  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter->When("a"), milliseconds(0));
  EXPECT_EQ(limiter->When("a"), milliseconds(100));
  EXPECT_EQ(limiter->When("b"), milliseconds(200));

  clock.Step(milliseconds(200));
  EXPECT_EQ(limiter->When("c"), milliseconds(100));
}

TEST(BucketRateLimiterTest, HoldsNoMoreThanTheBurst) {
  testing::FakeClock clock;
  const auto limiter = NewBucketRateLimiter(clock, /*qps=*/10, /*burst=*/2);

  clock.Step(std::chrono::hours(1));

  EXPECT_EQ(limiter->When("a"), milliseconds(0));
  EXPECT_EQ(limiter->When("a"), milliseconds(0));
  EXPECT_EQ(limiter->When("a"), milliseconds(100));
}

TEST(MaxOfRateLimiterTest, UsesLongestDelayAndForgetsInAll) {
  testing::FakeClock clock;
  std::vector<std::unique_ptr<RateLimiter>> limiters;
  limiters.push_back(NewItemExponentialFailureRateLimiter(milliseconds(150), seconds(1)));
  limiters.push_back(NewBucketRateLimiter(clock, /*qps=*/1, /*burst=*/2));
  const auto limiter = NewMaxOfRateLimiter(std::move(limiters));

  EXPECT_EQ(limiter->When("a"), milliseconds(150));
  EXPECT_EQ(limiter->When("a"), milliseconds(300));
  EXPECT_EQ(limiter->When("a"), seconds(1));
  EXPECT_EQ(limiter->NumRequeues("a"), 3);

  limiter->Forget("a");
  EXPECT_EQ(limiter->NumRequeues("a"), 0);
}

TEST(DefaultControllerRateLimiterTest, LimitsAllItemsToTenPerSecondAfterBurstOfHundred) {
  testing::FakeClock clock;
  const auto limiter = DefaultControllerRateLimiter(clock);

  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(limiter->When(std::to_string(i)), milliseconds(5));
  }

  EXPECT_EQ(limiter->When("100"), milliseconds(100));
  EXPECT_EQ(limiter->When("101"), milliseconds(200));
}

}  // namespace
}  // namespace capstan::workqueue

// SPDX-License-Identifier: Apache-2.0
#include "capstan/token_bucket.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Clock::TimePoint kStart{};

TEST(TokenBucketTest, AllowsABurstAndThenOneTokenEachInterval) {
  TokenBucket bucket(TokenBucket::Interval(2), 3, kStart);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Reserve(kStart), seconds(0));

  EXPECT_EQ(bucket.Reserve(kStart), milliseconds(500));
  EXPECT_EQ(bucket.Reserve(kStart), seconds(1));
  EXPECT_EQ(bucket.Reserve(kStart + seconds(1)), milliseconds(500));
}

TEST(TokenBucketTest, HoldsNoMoreThanItsBurst) {
  TokenBucket bucket(seconds(1), 2, kStart);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(bucket.Reserve(kStart + seconds(60)), seconds(0));
  EXPECT_EQ(bucket.Reserve(kStart + seconds(60)), seconds(1));
}

TEST(TokenBucketTest, TakesNothingWhenTheWaitWouldBeTooLong) {
  TokenBucket bucket(seconds(10), 1, kStart);
  EXPECT_EQ(bucket.Reserve(kStart, seconds(0)), seconds(0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Reserve(kStart, seconds(9)), std::nullopt);
  EXPECT_EQ(bucket.Reserve(kStart, seconds(10)), seconds(10));
}

}  // namespace
}  // namespace capstan

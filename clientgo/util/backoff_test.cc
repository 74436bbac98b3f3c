// SPDX-License-Identifier: Apache-2.0
#include "capstan/backoff.h"

#include <gtest/gtest.h>

#include "capstan/testing/fake_clock.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

TEST(BackoffTest, DoublesUpToCap) {
  testing::FakeClock clock;
  Backoff backoff(clock, {.initial = 800ms, .cap = 30s}, [] { return 0.0; });

  for (const auto expected : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
    EXPECT_EQ(backoff.Next(), expected);
  }
}

TEST(BackoffTest, JitterStretchesByAtMostItsFactor) {
  testing::FakeClock clock;
  Backoff backoff(clock, {.initial = 800ms, .jitter = 1.0}, [] { return 0.5; });

  EXPECT_EQ(backoff.Next(), 1200ms);
  for (int i = 0; i < 1000; ++i) {
    const auto delay = Jitter(1s, 1.2);
    EXPECT_GE(delay, 1s);
    EXPECT_LT(delay, 2200ms);
  }
}

TEST(BackoffTest, StartsOverAfterQuietTime) {
  testing::FakeClock clock;
  Backoff backoff(clock, {.initial = 800ms, .reset_after = 2min}, [] { return 0.0; });
  backoff.Next();
  backoff.Next();

  clock.Step(2min);
  EXPECT_EQ(backoff.Next(), 3200ms) << "reset after exactly the quiet time";
  clock.Step(2min + 1ns);
  EXPECT_EQ(backoff.Next(), 800ms);
}

}  // namespace
}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
#include "capstan/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "capstan/testing/fake_clock.h"

namespace capstan {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using ::testing::ElementsAre;

const Error kConflict = {.reason = ErrorReason::kConflict, .http_code = 409, .message = "changed"};

struct RetryTest : ::testing::Test {
  RetryOptions Options(RetryBackoff backoff = kDefaultRetry) {
    return {
        .stop = stop.get_token(), .backoff = backoff, .clock = clock, .random = [] { return 0.0; }};
  }
  // Runs a function that fails `failures` times, and steps the clock over each delay in `delays`.
  Expected<int> Run(RetryOptions options, const Error& error, int failures,
                    const std::vector<Clock::Duration>& delays) {
    auto result = std::async(std::launch::async, [&] {
      return RetryOnConflict(options, [&]() -> Expected<int> {
        times.push_back(clock.Now() - start);
        if (static_cast<int>(times.size()) <= failures) return Err(error);
        return 42;
      });
    });
    for (const Clock::Duration delay : delays) {
      EXPECT_TRUE(clock.BlockUntilWaiters());
      clock.Step(delay);
    }
    return result.get();
  }

  testing::FakeClock clock;
  std::stop_source stop;
  const Clock::TimePoint start = clock.Now();
  std::vector<Clock::Duration> times;  // of the attempts
};

TEST_F(RetryTest, RepeatsAfterConflictUntilItSucceeds) {
  const auto result = Run(Options(), kConflict, 2, {10ms, 10ms});

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(*result, 42);
  EXPECT_THAT(times, ElementsAre(0ms, 10ms, 20ms));
}

TEST_F(RetryTest, ReturnsConflictAfterLastStep) {
  const auto result = Run(Options(kDefaultBackoff), kConflict, 100, {10ms, 50ms, 250ms});

  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(IsConflict(result.error()));
  EXPECT_THAT(times, ElementsAre(0ms, 10ms, 60ms, 310ms));
}

TEST_F(RetryTest, ReturnsOtherErrorsAtOnce) {
  const Error exists = {.reason = ErrorReason::kAlreadyExists, .http_code = 409, .message = "x"};

  const auto result = Run(Options(), exists, 100, {});

  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(IsAlreadyExists(result.error()));
  EXPECT_EQ(times.size(), 1U);
}

TEST_F(RetryTest, BeginsNoAttemptAfterDeadline) {
  RetryOptions options = Options();
  options.deadline = start + 15ms;

  const auto result = Run(options, kConflict, 100, {10ms});

  EXPECT_TRUE(IsConflict(result.error()));
  EXPECT_EQ(times.size(), 2U);
}

TEST_F(RetryTest, BeginsNoAttemptAfterStop) {
  stop.request_stop();

  const auto result = Run(Options(), kConflict, 100, {});

  EXPECT_TRUE(IsConflict(result.error()));
  EXPECT_EQ(times.size(), 1U);
}

TEST_F(RetryTest, RepeatsWhatItsPredicateNames) {
  int attempts = 0;

  const auto result = RetryOnError({.backoff = {.steps = 3, .duration = {}}, .clock = clock},
                                   IsTooManyRequests, [&]() -> Expected<void> {
                                     if (++attempts < 3)
                                       return Err(ErrorReason::kTooManyRequests, "later");
                                     return {};
                                   });

  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(attempts, 3);
}

}  // namespace
}  // namespace capstan

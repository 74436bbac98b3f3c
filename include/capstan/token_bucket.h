// SPDX-License-Identifier: Apache-2.0
// TokenBucket limits a rate: at first it holds `burst` tokens, then it gets one each interval. It
// is kept as a time instead of a number, so it needs no refill and no fractions. Not thread-safe.
// Mirrors golang.org/x/time/rate.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "capstan/clock.h"
#include "capstan/export.h"

namespace capstan {

class CAPSTAN_EXPORT TokenBucket {
 public:
  using Duration = Clock::Duration;

  TokenBucket(Duration interval, int burst, Clock::TimePoint now)
      : interval_(interval), depth_(interval * std::max(burst - 1, 0)), next_(now - depth_) {}

  // Returns the interval for a rate of `per_second`, which is > 0.
  static Duration Interval(double per_second) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1.0 / per_second));
  }

  // Takes a token and returns how long the caller must wait for it. Callers may take tokens ahead
  // of time, and each one waits longer than the one before. Returns nullopt, and takes nothing,
  // when the wait would be longer than `wait_max`.
  std::optional<Duration> Reserve(Clock::TimePoint now, Duration wait_max = Duration::max()) {
    const Clock::TimePoint next = std::max(next_, now - depth_);
    const Duration wait = std::max(next - now, Duration::zero());
    if (wait > wait_max) return std::nullopt;
    next_ = next + interval_;
    return wait;
  }

 private:
  Duration interval_;
  Duration depth_;
  Clock::TimePoint next_;  // when the next token is there, if the bucket was full at next_ - depth_
};

}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
// Backoff: exponential with jitter, reset after a quiet time. Not thread-safe: one owner.
//
// Mirrors client-go's BackoffManager: the delay is uniform in [d, d*(1+jitter)), d doubles up to
// the cap, and starts over when more than `reset_after` passed since the last delay was asked for.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "clientgo/util/clock.h"

namespace clientgo::util {

struct BackoffOptions {
  Clock::Duration initial = std::chrono::milliseconds(800);
  Clock::Duration cap = std::chrono::seconds(30);
  double factor = 2.0;
  double jitter = 1.0;
  Clock::Duration reset_after = std::chrono::minutes(2);
};

class Backoff {
 public:
  // `random` returns a number in [0, 1); tests pass a constant. Default: thread-safe randomness.
  Backoff(Clock& clock, BackoffOptions options, std::function<double()> random = {});
  // The delay to wait now.
  Clock::Duration Next();
  // The next delay is the initial one again.
  void Reset() { last_.reset(), current_ = options_.initial; }

 private:
  Clock& clock_;
  BackoffOptions options_;
  std::function<double()> random_;
  Clock::Duration current_;
  std::optional<Clock::TimePoint> last_;
};

// Uniform in [0, 1). Thread-safe.
double RandomUnit();
// `base` stretched by a factor uniform in [1, 1+max_factor). Mirrors wait.Jitter.
Clock::Duration Jitter(Clock::Duration base, double max_factor, double unit = RandomUnit());

}  // namespace clientgo::util

// SPDX-License-Identifier: Apache-2.0
// Backoff returns exponential delays with jitter and resets after a quiet time. Not thread-safe.
//
// Mirrors client-go's BackoffManager: the delay is uniform in [d, d*(1+jitter)), and d doubles up
// to the cap. It starts over when more than `reset_after` passed since the last call of Next.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "capstan/clock.h"
#include "capstan/export.h"

namespace capstan {

struct CAPSTAN_EXPORT BackoffOptions {
  Clock::Duration initial = std::chrono::milliseconds(800);
  Clock::Duration cap = std::chrono::seconds(30);
  double factor = 2.0;
  double jitter = 1.0;
  Clock::Duration reset_after = std::chrono::minutes(2);
};

class CAPSTAN_EXPORT Backoff {
 public:
  // `random` returns a number in [0, 1), by default RandomUnit. Tests pass a constant.
  Backoff(Clock& clock, BackoffOptions options, std::function<double()> random = {});
  // Returns the delay to wait now.
  Clock::Duration Next();
  // Makes the next delay the initial one.
  void Reset() { last_.reset(), current_ = options_.initial; }

 private:
  Clock& clock_;
  BackoffOptions options_;
  std::function<double()> random_;
  Clock::Duration current_;
  std::optional<Clock::TimePoint> last_;
};

// Returns a uniform number in [0, 1). Thread-safe.
CAPSTAN_EXPORT double RandomUnit();
// Returns `base` times a uniform factor in [1, 1+max_factor). Mirrors wait.Jitter.
CAPSTAN_EXPORT Clock::Duration Jitter(Clock::Duration base, double max_factor,
                                      double unit = RandomUnit());

}  // namespace capstan

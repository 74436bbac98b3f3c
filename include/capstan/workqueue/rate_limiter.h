// SPDX-License-Identifier: Apache-2.0
// RateLimiter decides how long a failing item waits before its next try. Thread-safe. Mirrors
// client-go's util/workqueue default_rate_limiters.go.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "capstan/export.h"

namespace capstan::workqueue {

class CAPSTAN_EXPORT RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  virtual Clock::Duration When(std::string_view item) = 0;
  virtual void Forget(std::string_view item) = 0;
  virtual int NumRequeues(std::string_view item) const = 0;
};

// The delay is base * 2^failures, at most cap.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewItemExponentialFailureRateLimiter(
    Clock::Duration base = std::chrono::milliseconds(5),
    Clock::Duration cap = std::chrono::seconds(1000));
// The delay comes from one token bucket for all items.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewBucketRateLimiter(Clock& clock, double qps,
                                                                 int burst);
// The delay is the longest of several rate limiters.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> NewMaxOfRateLimiter(
    std::vector<std::unique_ptr<RateLimiter>> limiters);
// The default of client-go: 5 ms to 1000 s for each item, and overall 10 a second with bursts of
// 100.
CAPSTAN_EXPORT std::unique_ptr<RateLimiter> DefaultControllerRateLimiter(Clock& clock);

}  // namespace capstan::workqueue

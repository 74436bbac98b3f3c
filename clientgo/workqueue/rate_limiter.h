// SPDX-License-Identifier: Apache-2.0
// RateLimiter: how long a failing item waits before its next try. Thread-safe.
// Mirrors client-go's util/workqueue default_rate_limiters.go.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "clientgo/util/clock.h"

namespace clientgo::workqueue {

class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  virtual util::Clock::Duration When(std::string_view item) = 0;
  virtual void Forget(std::string_view item) = 0;
  virtual int NumRequeues(std::string_view item) const = 0;
};

// base * 2^failures, at most cap.
std::unique_ptr<RateLimiter> NewItemExponentialFailureRateLimiter(
    util::Clock::Duration base = std::chrono::milliseconds(5),
    util::Clock::Duration cap = std::chrono::seconds(1000));
// A token bucket over all items.
std::unique_ptr<RateLimiter> NewBucketRateLimiter(util::Clock& clock, double qps, int burst);
// The longest of several.
std::unique_ptr<RateLimiter> NewMaxOfRateLimiter(
    std::vector<std::unique_ptr<RateLimiter>> limiters);
// client-go's default: per item 5 ms to 1000 s, overall 10 per second with bursts of 100.
std::unique_ptr<RateLimiter> DefaultControllerRateLimiter(util::Clock& clock);

}  // namespace clientgo::workqueue

// SPDX-License-Identifier: Apache-2.0
#include "capstan/workqueue/rate_limiter.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "capstan/mutex.h"
#include "capstan/token_bucket.h"

namespace capstan::workqueue {
namespace {

class ItemExponentialFailureRateLimiter final : public RateLimiter {
 public:
  ItemExponentialFailureRateLimiter(Clock::Duration base, Clock::Duration cap)
      : base_(base), cap_(cap) {}

  Clock::Duration When(std::string_view item) override {
    int failures = 0;
    {
      MutexLock lock(mu_);
      failures = failures_[std::string(item)]++;
    }
    // In floating point, because 2^failures exceeds the range of integers.
    const double delay = std::ldexp(static_cast<double>(base_.count()), failures);
    if (delay > static_cast<double>(cap_.count())) return cap_;
    return Clock::Duration(static_cast<Clock::Duration::rep>(delay));
  }

  void Forget(std::string_view item) override {
    MutexLock lock(mu_);
    const auto it = failures_.find(item);
    if (it != failures_.end()) failures_.erase(it);
  }

  int NumRequeues(std::string_view item) const override {
    MutexLock lock(mu_);
    const auto it = failures_.find(item);
    return it == failures_.end() ? 0 : it->second;
  }

 private:
  const Clock::Duration base_;
  const Clock::Duration cap_;
  mutable Mutex mu_;
  std::map<std::string, int, std::less<>> failures_ CAPSTAN_GUARDED_BY(mu_);
};

class BucketRateLimiter final : public RateLimiter {
 public:
  BucketRateLimiter(Clock& clock, double qps, int burst)
      : clock_(clock), bucket_(TokenBucket::Interval(qps), burst, clock.Now()) {
    CHECK_GT(qps, 0);
    CHECK_GT(burst, 0);
  }

  // Items that come at once get growing delays, so they leave one by one.
  Clock::Duration When(std::string_view) override {
    MutexLock lock(mu_);
    return *bucket_.Reserve(clock_.Now());
  }

  void Forget(std::string_view) override {}
  int NumRequeues(std::string_view) const override { return 0; }

 private:
  Clock& clock_;
  Mutex mu_;
  TokenBucket bucket_ CAPSTAN_GUARDED_BY(mu_);
};

class MaxOfRateLimiter final : public RateLimiter {
 public:
  explicit MaxOfRateLimiter(std::vector<std::unique_ptr<RateLimiter>> limiters)
      : limiters_(std::move(limiters)) {}

  Clock::Duration When(std::string_view item) override {
    auto longest = Clock::Duration::zero();
    for (const auto& limiter : limiters_) longest = std::max(longest, limiter->When(item));
    return longest;
  }
  void Forget(std::string_view item) override {
    for (const auto& limiter : limiters_) limiter->Forget(item);
  }
  int NumRequeues(std::string_view item) const override {
    int most = 0;
    for (const auto& limiter : limiters_) most = std::max(most, limiter->NumRequeues(item));
    return most;
  }

 private:
  const std::vector<std::unique_ptr<RateLimiter>> limiters_;
};

}  // namespace

std::unique_ptr<RateLimiter> NewItemExponentialFailureRateLimiter(Clock::Duration base,
                                                                  Clock::Duration cap) {
  return std::make_unique<ItemExponentialFailureRateLimiter>(base, cap);
}

std::unique_ptr<RateLimiter> NewBucketRateLimiter(Clock& clock, double qps, int burst) {
  return std::make_unique<BucketRateLimiter>(clock, qps, burst);
}

std::unique_ptr<RateLimiter> NewMaxOfRateLimiter(
    std::vector<std::unique_ptr<RateLimiter>> limiters) {
  return std::make_unique<MaxOfRateLimiter>(std::move(limiters));
}

std::unique_ptr<RateLimiter> DefaultControllerRateLimiter(Clock& clock) {
  std::vector<std::unique_ptr<RateLimiter>> limiters;
  limiters.push_back(NewItemExponentialFailureRateLimiter());
  limiters.push_back(NewBucketRateLimiter(clock, 10, 100));
  return NewMaxOfRateLimiter(std::move(limiters));
}

}  // namespace capstan::workqueue

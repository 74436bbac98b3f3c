// SPDX-License-Identifier: Apache-2.0
// ScaledClock is real time, a thousand times as fast. A backoff of 30 s takes 30 ms, and no test
// has to step the clock.
#pragma once

#include <functional>
#include <utility>

#include "capstan/clock.h"

namespace e2e {

class ScaledClock final : public capstan::Clock {
 public:
  TimePoint Now() const override { return start_ + (Real().Now() - start_) * kScale; }
  WallTime WallNow() const override { return wall_start_ + (Real().Now() - start_) * kScale; }
  bool WaitUntil(capstan::Mutex& mu, capstan::CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu) {
    const TimePoint real =
        deadline == TimePoint::max() ? deadline : start_ + (deadline - start_) / kScale;
    return Real().WaitUntil(mu, cv, std::move(stop), real, ready);
  }
  // Converts to real time. max() is unchanged.
  static Duration ToReal(Duration duration) {
    return duration == Duration::max() ? duration : duration / kScale;
  }

 private:
  static constexpr int kScale = 1000;
  const TimePoint start_ = Real().Now();
  const WallTime wall_start_ = Real().WallNow();
};

}  // namespace e2e

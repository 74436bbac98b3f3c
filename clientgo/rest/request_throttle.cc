// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/request_throttle.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"

namespace clientgo::rest {
namespace {

using Duration = util::Clock::Duration;

Duration Interval(double qps) {
  if (qps <= 0) return Duration::zero();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1.0 / qps));
}

}  // namespace

RequestThrottle::RequestThrottle(double qps, int burst, util::Clock& clock)
    : interval_(Interval(qps)),
      depth_(interval_ * std::max(burst - 1, 0)),
      clock_(clock),
      next_(clock.Now() - depth_) {}

bool RequestThrottle::Wait(std::stop_token stop, util::Clock::TimePoint deadline) {
  if (interval_ == Duration::zero()) return true;
  Duration wait;
  {
    util::MutexLock lock(mu_);
    const auto now = clock_.Now();
    next_ = std::max(next_, now - depth_);
    wait = next_ - now;
    if (wait > deadline - now) return false;
    next_ += interval_;
  }
  if (wait <= Duration::zero()) return true;
  if (wait > std::chrono::seconds(1)) {
    LOG(INFO) << util::Kv("Waiting due to client-side throttling, not priority and fairness",
                          "delay", util::FormatDuration(wait));
  }
  return clock_.SleepFor(std::move(stop), wait);
}

}  // namespace clientgo::rest

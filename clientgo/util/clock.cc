// SPDX-License-Identifier: Apache-2.0
#include "capstan/clock.h"

#include <utility>

namespace capstan {
namespace {

class RealClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }
  WallTime WallNow() const override { return std::chrono::system_clock::now(); }
  bool WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu) {
    // wait_until(max) overflows in some standard libraries, so a wait without end is its own call.
    if (deadline == TimePoint::max()) return cv.Wait(mu, std::move(stop), ready);
    return cv.WaitUntil(mu, std::move(stop), deadline, ready);
  }
};

}  // namespace

Clock::TimePoint Clock::After(Duration timeout) const {
  const TimePoint now = Now();
  return timeout < TimePoint::max() - now ? now + timeout : TimePoint::max();
}

bool Clock::SleepFor(std::stop_token stop, Duration duration) {
  Mutex mu;
  CondVar cv;
  MutexLock lock(mu);
  WaitUntil(mu, cv, stop, Now() + duration, [] { return false; });
  return !stop.stop_requested();
}

Clock& Clock::Real() {
  static RealClock clock;
  return clock;
}

}  // namespace capstan

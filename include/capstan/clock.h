// SPDX-License-Identifier: Apache-2.0
// Clock owns time and every wait for it. No other file of the libraries sleeps or reads the time.
// Tests inject FakeClock (include/capstan/testing/fake_clock.h) and step it.
//
// Mirrors k8s.io/utils/clock. Differs: waits take a stop token and a CondVar, so that an event, the
// deadline or a stop ends one wait. All methods are thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan {

class CAPSTAN_EXPORT Clock {
 public:
  using Duration = std::chrono::steady_clock::duration;
  using TimePoint = std::chrono::steady_clock::time_point;  // monotonic
  using WallTime = std::chrono::system_clock::time_point;   // only for people and other programs

  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
  virtual WallTime WallNow() const = 0;
  // Returns the end of a timeout that begins now. Duration::max() means no timeout and ends at
  // TimePoint::max().
  TimePoint After(Duration timeout) const;

  // Waits on `cv` with `mu` held until `ready()` is true, the deadline has passed, or `stop` is
  // requested. Returns the final value of `ready()`. TimePoint::max() waits without a deadline.
  virtual bool WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                         const std::function<bool()>& ready) CAPSTAN_REQUIRES(mu) = 0;

  // Returns false when stopped before the end of `duration`.
  bool SleepFor(std::stop_token stop, Duration duration);

  // Returns the process's real clock, which is never destroyed.
  static Clock& Real();
};

}  // namespace capstan

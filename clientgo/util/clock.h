// SPDX-License-Identifier: Apache-2.0
// Clock owns time and every wait for it: no other file of the libraries sleeps or reads the time.
// Tests inject FakeClock (clientgo/testing/fake_clock.h) and step it.
//
// Mirrors k8s.io/utils/clock. Differs: waits take a stop token and a CondVar, so that one wait ends
// by event, by deadline or by stop, whichever is first. All methods are thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "clientgo/util/mutex.h"

namespace clientgo::util {

class Clock {
 public:
  using Duration = std::chrono::steady_clock::duration;
  using TimePoint = std::chrono::steady_clock::time_point;  // monotonic
  using WallTime = std::chrono::system_clock::time_point;   // only for what people or others read

  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
  virtual WallTime WallNow() const = 0;
  // The end of a timeout that begins now. Duration::max(), which is no timeout, ends at
  // TimePoint::max().
  TimePoint After(Duration timeout) const;

  // Waits on `cv` (with `mu` held, as with any condition variable) until `ready()` holds, the
  // deadline has passed, or `stop` is requested. Returns what `ready()` says at the end.
  // TimePoint::max() waits without a deadline.
  virtual bool WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                         const std::function<bool()>& ready) REQUIRES(mu) = 0;

  // False when stopped before the time was over.
  bool SleepFor(std::stop_token stop, Duration duration);

  // The process's real clock. Never destroyed.
  static Clock& Real();
};

}  // namespace clientgo::util

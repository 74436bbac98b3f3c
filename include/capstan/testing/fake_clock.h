// SPDX-License-Identifier: Apache-2.0
// FakeClock is a Clock that moves only when a test steps it. Step wakes every waiter whose deadline
// has passed. Thread-safe. Mirrors k8s.io/utils/clock/testing.
#pragma once

#include <cstddef>
#include <functional>
#include <list>

#include "capstan/clock.h"
#include "capstan/export.h"

namespace capstan::testing {

class CAPSTAN_EXPORT FakeClock final : public Clock {
 public:
  FakeClock();
  TimePoint Now() const override;
  WallTime WallNow() const override;
  bool WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu);

  void Step(Duration duration);
  // Moves only the wall time, as when an operator or NTP sets the clock.
  void StepWall(Duration duration);
  // Reports whether a thread waits with a deadline.
  bool HasWaiters() const;
  // Blocks until `count` threads wait with a deadline. Returns false after 10 s of real time. Call
  // it before Step, because Step does not affect threads that wait later.
  bool BlockUntilWaiters(int count = 1) const;
  // The same for threads that wait with a deadline or without one.
  bool BlockUntilAnyWaiters(int count) const;

 private:
  struct Waiter {
    Mutex* mu;
    CondVar* cv;
    TimePoint deadline;  // max: none, or already woken
  };
  std::ptrdiff_t CountWaiters() const CAPSTAN_REQUIRES(mu_);
  bool BlockUntil(const std::function<bool()>& enough) const CAPSTAN_REQUIRES(mu_);

  mutable Mutex mu_;
  mutable CondVar changed_;
  TimePoint now_ CAPSTAN_GUARDED_BY(mu_);
  WallTime wall_now_ CAPSTAN_GUARDED_BY(mu_);
  std::list<Waiter> waiters_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::testing

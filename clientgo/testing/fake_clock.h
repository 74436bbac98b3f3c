// SPDX-License-Identifier: Apache-2.0
// FakeClock: a Clock that moves only when a test steps it. Step wakes every waiter whose deadline
// has come. Thread-safe. Mirrors k8s.io/utils/clock/testing.
#pragma once

#include <cstddef>
#include <functional>
#include <list>

#include "clientgo/util/clock.h"

namespace clientgo::testing {

class FakeClock final : public util::Clock {
 public:
  FakeClock();
  TimePoint Now() const override;
  WallTime WallNow() const override;
  bool WaitUntil(util::Mutex& mu, util::CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override REQUIRES(mu);

  void Step(Duration duration);
  // Moves wall time alone: an operator, or NTP, sets the clock.
  void StepWall(Duration duration);
  // Whether a thread waits with a deadline.
  bool HasWaiters() const;
  // Blocks (in real time, at most 10 s) until `count` threads wait with a deadline; false: they did
  // not come. Call before Step, so that the step is not lost on a thread that is still on its way.
  bool BlockUntilWaiters(int count = 1) const;
  // The same for threads that wait with a deadline or without one.
  bool BlockUntilAnyWaiters(int count) const;

 private:
  struct Waiter {
    util::Mutex* mu;
    util::CondVar* cv;
    TimePoint deadline;  // max: none, or it has come
  };
  std::ptrdiff_t CountWaiters() const REQUIRES(mu_);
  bool BlockUntil(const std::function<bool()>& enough) const REQUIRES(mu_);

  mutable util::Mutex mu_;
  mutable util::CondVar changed_;
  TimePoint now_ GUARDED_BY(mu_);
  WallTime wall_now_ GUARDED_BY(mu_);
  std::list<Waiter> waiters_ GUARDED_BY(mu_);
};

}  // namespace clientgo::testing

// SPDX-License-Identifier: Apache-2.0
// DeadlineTimer: one thread that calls a function when a deadline passes, so that a call which only
// knows a stop token can have a deadline too:
//
//   LinkedStopSource request(stop);
//   timer.Arm(deadline, [&] { request.RequestStop(); });
//   auto answer = client.Get(request.token(), ...);
//   timer.Disarm();
//
// One deadline at a time; the thread lives as long as the timer. Thread-safe.
// Mirrors what context.WithDeadline and time.AfterFunc are for.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::util {

class DeadlineTimer {
 public:
  explicit DeadlineTimer(Clock& clock);
  // Does not call any more, as after Disarm.
  ~DeadlineTimer() = default;
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  // Calls `on_deadline` on the timer's thread at `deadline`, once. Replaces what was armed before.
  void Arm(Clock::TimePoint deadline, std::function<void()> on_deadline);
  // When this returns, the function is not running and will not run. Not from within it.
  void Disarm();

 private:
  void Run(const std::stop_token& stop);

  Clock& clock_;
  Mutex mu_;
  CondVar changed_;
  Clock::TimePoint deadline_ GUARDED_BY(mu_) = Clock::TimePoint::max();
  std::function<void()> on_deadline_ GUARDED_BY(mu_);
  bool busy_ GUARDED_BY(mu_) = false;  // the thread waits for a deadline, or calls
  std::jthread thread_;                // last: it uses all of the above
};

}  // namespace clientgo::util

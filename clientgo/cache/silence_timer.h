// SPDX-License-Identifier: Apache-2.0
// SilenceTimer: interrupts a blocking read once nothing was heard for too long. It requests a stop
// on the read's own child stop source, so that the parent's stop and this one are told apart.
//
// It owns a thread, but only while a WATCH-LIST has not sent its list: seconds in the life of an
// informer. A deadline inside the transport would save the thread and cost the test: this one waits
// on the Clock, so FakeClock drives it. Touch and fired are thread-safe. No upstream counterpart.
#pragma once

#include <thread>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"

namespace clientgo::cache {

class SilenceTimer {
 public:
  // Runs from now on. `clock` and `target` outlive the timer.
  SilenceTimer(util::Clock& clock, util::Clock::Duration timeout, util::LinkedStopSource& target);
  // Ends the timer; it does not fire any more.
  ~SilenceTimer() = default;
  SilenceTimer(const SilenceTimer&) = delete;
  SilenceTimer& operator=(const SilenceTimer&) = delete;

  void Touch();  // something was heard
  bool fired() const;

 private:
  void Run(const std::stop_token& stop);

  util::Clock& clock_;
  const util::Clock::Duration timeout_;
  util::LinkedStopSource& target_;
  mutable util::Mutex mu_;
  util::CondVar never_;  // only the clock and the stop end the wait
  util::Clock::TimePoint heard_ GUARDED_BY(mu_);
  bool fired_ GUARDED_BY(mu_) = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace clientgo::cache

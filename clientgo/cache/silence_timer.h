// SPDX-License-Identifier: Apache-2.0
// SilenceTimer: interrupts a blocking read once nothing was heard for too long. It requests a stop
// on the read's own child stop source, so that the parent's stop and this one are told apart.
//
// It owns a thread (DeadlineTimer's), but only while a WATCH-LIST has not sent its list: seconds in
// the life of an informer. A deadline inside the transport would save the thread and cost the test:
// this one waits on the Clock, so FakeClock drives it. Touch is cheap enough for every event: it
// moves no deadline and wakes no thread. Touch and fired are thread-safe. No upstream counterpart.
#pragma once

#include "clientgo/util/clock.h"
#include "clientgo/util/deadline_timer.h"
#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"

namespace clientgo::cache {

class SilenceTimer {
 public:
  // Runs from now on, until it fires or is destroyed. `clock` and `target` outlive it.
  SilenceTimer(util::Clock& clock, util::Clock::Duration timeout, util::LinkedStopSource& target);

  void Touch();  // something was heard
  bool fired() const;

 private:
  // The deadline has come: for the silence, or just for what was once the deadline of it.
  void Check();

  util::Clock& clock_;
  const util::Clock::Duration timeout_;
  util::LinkedStopSource& target_;
  mutable util::Mutex mu_;
  util::Clock::TimePoint heard_ GUARDED_BY(mu_);
  bool fired_ GUARDED_BY(mu_) = false;
  util::DeadlineTimer timer_;  // last: its thread uses all of the above
};

}  // namespace clientgo::cache

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/silence_timer.h"

namespace clientgo::cache {

SilenceTimer::SilenceTimer(util::Clock& clock, util::Clock::Duration timeout,
                           util::LinkedStopSource& target)
    : clock_(clock), timeout_(timeout), target_(target), heard_(clock.Now()), timer_(clock) {
  timer_.Arm(clock.Now() + timeout, [this] { Check(); });
}

void SilenceTimer::Touch() {
  util::MutexLock lock(mu_);
  heard_ = clock_.Now();
}

bool SilenceTimer::fired() const {
  util::MutexLock lock(mu_);
  return fired_;
}

void SilenceTimer::Check() {
  {
    util::MutexLock lock(mu_);
    const util::Clock::TimePoint deadline = heard_ + timeout_;
    fired_ = clock_.Now() >= deadline;
    if (!fired_) {
      timer_.Arm(deadline, [this] { Check(); });
      return;
    }
  }
  target_.RequestStop();
}

}  // namespace clientgo::cache

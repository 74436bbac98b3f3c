// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/silence_timer.h"

namespace clientgo::cache {

SilenceTimer::SilenceTimer(util::Clock& clock, util::Clock::Duration timeout,
                           util::LinkedStopSource& target)
    : clock_(clock), timeout_(timeout), target_(target), heard_(clock.Now()) {
  thread_ = util::StartThread("silence-timer", [this](const std::stop_token& stop) { Run(stop); });
}

void SilenceTimer::Touch() {
  util::MutexLock lock(mu_);
  heard_ = clock_.Now();
}

bool SilenceTimer::fired() const {
  util::MutexLock lock(mu_);
  return fired_;
}

void SilenceTimer::Run(const std::stop_token& stop) {
  {
    util::MutexLock lock(mu_);
    // Touch wakes nobody: an old deadline that has come is simply set anew.
    while (clock_.Now() < heard_ + timeout_) {
      clock_.WaitUntil(mu_, never_, stop, heard_ + timeout_, [] { return false; });
      if (stop.stop_requested()) return;
    }
    fired_ = true;
  }
  target_.RequestStop();
}

}  // namespace clientgo::cache

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/deadline_timer.h"

#include <utility>

#include "clientgo/util/thread.h"

namespace clientgo::util {

DeadlineTimer::DeadlineTimer(Clock& clock)
    : clock_(clock),
      thread_(StartThread("deadline", [this](const std::stop_token& stop) { Run(stop); })) {}

void DeadlineTimer::Arm(Clock::TimePoint deadline, std::function<void()> on_deadline) {
  MutexLock lock(mu_);
  deadline_ = deadline;
  on_deadline_ = std::move(on_deadline);
  changed_.NotifyAll();
}

void DeadlineTimer::Disarm() {
  MutexLock lock(mu_);
  deadline_ = Clock::TimePoint::max();
  on_deadline_ = nullptr;
  changed_.NotifyAll();
  changed_.Wait(mu_, [this]() REQUIRES(mu_) { return !busy_; });
}

void DeadlineTimer::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::function<void()> due;
    {
      MutexLock lock(mu_);
      const Clock::TimePoint deadline = deadline_;
      busy_ = deadline != Clock::TimePoint::max();
      if (!busy_) changed_.NotifyAll();
      clock_.WaitUntil(mu_, changed_, stop, deadline,
                       [&]() REQUIRES(mu_) { return deadline_ != deadline; });
      const bool passed = deadline_ == deadline && deadline <= clock_.Now();
      if (!passed || stop.stop_requested()) continue;
      due = std::exchange(on_deadline_, nullptr);
      deadline_ = Clock::TimePoint::max();
    }
    due();
  }
}

}  // namespace clientgo::util

// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/loop/gate_loop.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace controllers::readinessgate {

std::string_view ToString(WakeCause cause) {
  switch (cause) {
    case WakeCause::kTimer:
      return "timer";
    case WakeCause::kStart:
      return "start";
    case WakeCause::kPod:
      return "pod";
    case WakeCause::kNode:
      return "node";
    case WakeCause::kConfigMap:
      return "configmap";
    case WakeCause::kRuntimeEvent:
      return "runtime-event";
    case WakeCause::kWrite:
      return "write";
  }
  return "unknown";
}

GateLoop::GateLoop(Pass pass, GateLoopOptions options)
    : pass_(std::move(pass)), options_(std::move(options)) {}

void GateLoop::Run(std::stop_token stop) {
  Wake(WakeCause::kStart);
  TimePoint paced{};       // ten passes a second end then
  TimePoint next_woken{};  // no event makes a pass before
  while (!stop.stop_requested()) {
    const bool woken = TakeWakeups();
    const TimePoint start = options_.clock.Now();
    paced = std::max(paced, start) + kCoalesce;
    if (woken) next_woken = start + kCoalesce;
    const PassResult result = pass_();
    const TimePoint end = options_.clock.Now();
    if (!result.idle) {
      idle_passes_ = 0;
    } else if (idle_passes_ < std::numeric_limits<int>::max()) {
      ++idle_passes_;
    }
    const TimePoint timer = std::max(std::min(end + Interval(), result.due), paced);
    if (options_.on_interval) {
      using std::chrono::milliseconds;
      options_.on_interval(
          std::chrono::ceil<milliseconds>(std::max(timer - end, TimePoint::duration::zero())));
    }
    // One pass ahead of the pace is an event's to take: it does not wait for a pass that the timer
    // made just before. The timer waits for both.
    if (!AwaitNextPass(stop, timer, std::max(next_woken, paced - kCoalesce))) return;
  }
}

void GateLoop::Wake(WakeCause cause) {
  clientgo::util::MutexLock lock(mu_);
  causes_.at(static_cast<std::size_t>(cause)) = true;
  // Once for a burst: the loop's thread itself is not to wake a thousand times in a storm.
  if (!std::exchange(wake_, true)) woken_.NotifyOne();
}

std::chrono::milliseconds GateLoop::Interval() const {
  switch (options_.mode) {
    case LoopMode::kAdaptive:
      return AdaptiveInterval(idle_passes_);
    case LoopMode::kFixed:
      return kLoopBaseInterval;
    case LoopMode::kEventOnly:
      break;
  }
  return kSafetyInterval;
}

// Until the timer, or an event but no pass before `earliest`. False: stopped.
bool GateLoop::AwaitNextPass(const std::stop_token& stop, TimePoint timer, TimePoint earliest) {
  clientgo::util::MutexLock lock(mu_);
  const auto woken = [&]() REQUIRES(mu_) { return wake_; };
  options_.clock.WaitUntil(mu_, woken_, stop, timer, woken);
  // What happens meanwhile belongs to the coming pass too.
  options_.clock.WaitUntil(mu_, woken_, stop, earliest, [] { return false; });
  return !stop.stop_requested();
}

bool GateLoop::TakeWakeups() {
  std::array<bool, kWakeCauses> causes{};
  bool woken = false;
  {
    clientgo::util::MutexLock lock(mu_);
    causes = std::exchange(causes_, {});
    woken = std::exchange(wake_, false);
  }
  // An event starts the row of idle passes again, whatever the pass finds.
  if (woken) idle_passes_ = 0;
  if (!options_.on_wakeup) return woken;
  // Several events that one pass serves are one wake-up; the first in WakeCause stands for it.
  const auto happened = std::find(causes.begin(), causes.end(), true);
  options_.on_wakeup(happened == causes.end() ? WakeCause::kTimer
                                              : static_cast<WakeCause>(happened - causes.begin()));
  return woken;
}

}  // namespace controllers::readinessgate

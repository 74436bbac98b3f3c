// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pass_ticker.h"

#include <limits>
#include <utility>

namespace capstan::readinessgate {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kCoalesce{100};
constexpr std::chrono::seconds kSafetyInterval{10};

}  // namespace

std::string_view ToString(WakeCause cause) {
  constexpr std::array<std::string_view, kWakeCauses> kNames = {
      "timer", "start", "pod", "node", "configmap", "runtime-event", "write"};
  return kNames.at(static_cast<std::size_t>(cause));
}

void PassTicker::Wake(WakeCause cause, std::string pod) {
  const MutexLock lock(mu_);
  causes_.at(static_cast<std::size_t>(cause)) = true;
  const bool at_once = !pod.empty() && !pods_.contains(pod) && ++at_once_[pod] <= kAtOnceMax;
  if (at_once) pods_.insert(std::move(pod));
  // Notify once for a burst, so that a storm does not wake the thread a thousand times.
  if (!std::exchange(wake_, true) || (at_once && pods_.size() == 1)) woken_.NotifyOne();
}

WakeCause PassTicker::BeginPass() {
  std::array<bool, kWakeCauses> causes{};
  bool woken = false;
  {
    const MutexLock lock(mu_);
    causes = std::exchange(causes_, {});
    woken = std::exchange(wake_, false);
    pods_.clear();  // the pass includes them
    at_once_.clear();
  }
  // A wake-up resets the count of idle passes, regardless of the result of the pass.
  if (woken) idle_passes_ = 0;
  const TimePoint start = clock_.Now();
  paced_ = std::max(paced_, start) + kCoalesce;
  if (woken) next_woken_ = start + kCoalesce;
  const auto cause = std::find(causes.begin(), causes.end(), true);
  return cause == causes.end() ? WakeCause::kTimer : static_cast<WakeCause>(cause - causes.begin());
}

milliseconds PassTicker::EndPass(const PassResult& result) {
  const TimePoint end = clock_.Now();
  if (!result.idle) {
    idle_passes_ = 0;
  } else if (idle_passes_ < std::numeric_limits<int>::max()) {
    ++idle_passes_;
  }
  timer_ = std::max(std::min(end + Interval(), result.due), paced_);
  return std::chrono::ceil<milliseconds>(std::max(timer_ - end, TimePoint::duration::zero()));
}

milliseconds PassTicker::Interval() const {
  switch (mode_) {
    case LoopMode::kAdaptive:
      return AdaptiveInterval(idle_passes_);
    case LoopMode::kFixed:
      return kLoopBaseInterval;
    case LoopMode::kEventOnly:
      break;
  }
  return kSafetyInterval;
}

std::vector<std::string> PassTicker::Wait(const std::stop_token& stop) {
  // A wake-up may take one pass ahead of the pace, so it does not wait for a pass that the timer
  // has just started. The timer waits for both limits.
  const TimePoint earliest = std::max(next_woken_, paced_ - kCoalesce);
  const MutexLock lock(mu_);
  const auto woken = [this]() CAPSTAN_REQUIRES(mu_) { return wake_; };
  clock_.WaitUntil(mu_, woken_, stop, timer_, woken);
  // Wake-ups until then belong to the next pass too.
  const auto has_pods = [this]() CAPSTAN_REQUIRES(mu_) { return !pods_.empty(); };
  clock_.WaitUntil(mu_, woken_, stop, earliest, has_pods);
  if (stop.stop_requested() || clock_.Now() >= earliest) return {};
  const auto pods = std::exchange(pods_, {});
  return {pods.begin(), pods.end()};
}

}  // namespace capstan::readinessgate

// SPDX-License-Identifier: Apache-2.0
// PassTicker decides when the agent's next pass over the pods starts.
//
// A wake-up starts a pass at once. Further wake-ups within 100 ms share one pass at the end of that
// time. The timer starts no pass within 100 ms of another, and its next sleep makes up for a pass
// that a wake-up started. So a second has at most ten passes. A wake-up during a pass, or just
// before the sleep, is never lost. Only monotonic time counts: after a suspend or a SIGSTOP there
// is one pass, not all that were missed.
//
// A pod whose event has to wait for the shared pass is returned at once, so that it can be
// reconciled alone. Events of one pod share this until it is returned. Between two passes it is
// returned at most kAtOnceMax times, and then waits for the pass. So a storm costs at most that
// many evaluations of a pod for each pass.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "capstan/mutex.h"

namespace capstan::readinessgate {

enum class LoopMode {
  kAdaptive,   // AdaptiveInterval of the idle passes in a row
  kFixed,      // always 100 ms
  kEventOnly,  // wake-ups only, and a pass every 10 s in case one was lost
};

inline constexpr std::chrono::milliseconds kLoopBaseInterval{100};
inline constexpr std::chrono::milliseconds kLoopIntervalMax{1000};

// Returns the sleep after a number of idle passes in a row.
//
//   idle passes    0-3   4    5    6    7    8    9    10   11   12 and more
//   milliseconds   100   200  300  400  500  600  700  800  900  1000
//
// The proposal for the kubelet (kubernetes#126049) says "after the third execution", which is
// ambiguous. Here the sleep after the fourth idle pass is the first longer one. Without events an
// hour has 3,607 passes instead of 36,000.
constexpr std::chrono::milliseconds AdaptiveInterval(int idle_passes) {
  constexpr int kUnchanged = 3;  // idle passes that do not lengthen the sleep
  constexpr int kLongest = 12;
  if (idle_passes <= kUnchanged) return kLoopBaseInterval;
  if (idle_passes >= kLongest) return kLoopIntervalMax;
  return kLoopBaseInterval * (idle_passes - kUnchanged + 1);
}

enum class WakeCause {
  kTimer,
  kStart,
  kPod,
  kNode,
  kConfigMap,
  kRuntimeEvent,
  kWrite,  // a write failed
};
inline constexpr std::size_t kWakeCauses = 7;
std::string_view ToString(WakeCause cause);  // "runtime-event"

// PassResult is the result of reconciling one pod, or of a pass over all of them.
struct PassResult {
  // Nothing was written, changed or failed, and no retry was due. A pass that is not idle resets
  // the count of idle passes.
  bool idle = true;
  // Reconcile again at this time even if nothing happens.
  Clock::TimePoint due = Clock::TimePoint::max();

  void Add(const PassResult& other) {
    idle = idle && other.idle;
    due = std::min(due, other.due);
  }
};

class PassTicker {
 public:
  // An agent's own write causes an event too, so a pod has more than one event for each condition.
  static constexpr int kAtOnceMax = 4;

  PassTicker(LoopMode mode, Clock& clock) : mode_(mode), clock_(clock) {}

  // Requests a pass soon. Thread-safe; never blocks on a pass.
  // `pod` is the "namespace/name" of the pod that the cause concerns; empty: it concerns all.
  void Wake(WakeCause cause, std::string pod = {}) CAPSTAN_EXCLUDES(mu_);

  // One thread calls BeginPass, EndPass and Wait in turn. The first pass starts at once.
  // Returns why the pass runs. Of several causes, the first in WakeCause is returned.
  WakeCause BeginPass() CAPSTAN_EXCLUDES(mu_);
  // Returns how long Wait takes if nothing happens.
  std::chrono::milliseconds EndPass(const PassResult& result);
  // Blocks until the next pass is due or `stop` is requested, and returns no pods. Before that it
  // returns pods to reconcile at once; call it again then.
  std::vector<std::string> Wait(const std::stop_token& stop) CAPSTAN_EXCLUDES(mu_);

 private:
  using TimePoint = Clock::TimePoint;
  std::chrono::milliseconds Interval() const;

  const LoopMode mode_;
  Clock& clock_;
  int idle_passes_ = 0;     // in a row
  TimePoint paced_{};       // the time at which ten passes a second allow the next one
  TimePoint next_woken_{};  // no wake-up starts a pass earlier
  TimePoint timer_{};       // the pass starts then if nothing happens
  Mutex mu_;
  CondVar woken_;
  // Wake-ups since the last pass started.
  std::array<bool, kWakeCauses> causes_ CAPSTAN_GUARDED_BY(mu_) = {false, true};  // kStart
  bool wake_ CAPSTAN_GUARDED_BY(mu_) = true;
  std::set<std::string> pods_ CAPSTAN_GUARDED_BY(mu_);          // to return from Wait
  std::map<std::string, int> at_once_ CAPSTAN_GUARDED_BY(mu_);  // how often each was in pods_
};

}  // namespace capstan::readinessgate

// SPDX-License-Identifier: Apache-2.0
// GateLoop: runs a pass, sleeps, runs it again; sooner when something happens. An event wakes it at
// once; those of the 100 ms after that pass wake it together, at their end. The timer makes no pass
// within 100 ms of another, and makes up for one that an event made, so that a second sees ten
// passes, whatever happens. A wake-up during a pass, or just before the sleep, is never lost.
//
// Only the Clock's monotonic time counts: after a suspend or a SIGSTOP there is one pass, not those
// that were missed. One thread runs it; Wake may be called from any.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string_view>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "controllers/readinessgate/loop/adaptive_interval.h"

namespace controllers::readinessgate {

enum class LoopMode {
  kAdaptive,   // AdaptiveInterval of the idle passes in a row
  kFixed,      // always 100 ms
  kEventOnly,  // woken by events; a pass every 10 s in case one was lost
};

enum class WakeCause {
  kTimer,
  kStart,
  kPod,
  kNode,
  kConfigMap,
  kRuntimeEvent,
  kWrite,  // a write ended
};
inline constexpr std::size_t kWakeCauses = 7;
std::string_view ToString(WakeCause cause);  // "runtime-event"

struct PassResult {
  // Nothing was written, nothing had changed, nothing failed, no retry was due. A pass that is not
  // idle starts the row of idle passes again.
  bool idle = true;
  // There is something to do at this time even if nothing happens.
  clientgo::util::Clock::TimePoint due = clientgo::util::Clock::TimePoint::max();
};

struct GateLoopOptions {
  LoopMode mode = LoopMode::kAdaptive;
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  // Before each pass: why it runs. After it: how long the loop is going to sleep if nothing
  // happens. Both on the loop's thread; either may be empty.
  std::function<void(WakeCause)> on_wakeup = {};
  std::function<void(std::chrono::milliseconds)> on_interval = {};
};

class GateLoop {
 public:
  static constexpr std::chrono::milliseconds kCoalesce{100};
  static constexpr std::chrono::seconds kSafetyInterval{10};

  using Pass = std::function<PassResult()>;
  GateLoop(Pass pass, GateLoopOptions options);

  // The first pass runs at once. Blocks until `stop`; a pass that runs then is not interrupted.
  // Call once.
  void Run(std::stop_token stop);
  // Thread-safe; never blocks on a pass. Also before Run.
  void Wake(WakeCause cause);

 private:
  using TimePoint = clientgo::util::Clock::TimePoint;
  std::chrono::milliseconds Interval() const;
  bool AwaitNextPass(const std::stop_token& stop, TimePoint timer, TimePoint earliest)
      EXCLUDES(mu_);
  bool TakeWakeups() EXCLUDES(mu_);  // true: an event made the coming pass

  const Pass pass_;
  const GateLoopOptions options_;
  int idle_passes_ = 0;  // of the loop's thread
  clientgo::util::Mutex mu_;
  clientgo::util::CondVar woken_;
  // Since the last pass started.
  std::array<bool, kWakeCauses> causes_ GUARDED_BY(mu_) = {};
  bool wake_ GUARDED_BY(mu_) = false;
};

}  // namespace controllers::readinessgate

// SPDX-License-Identifier: Apache-2.0
// TargetOutcome: how it went, once. Outcomes: how it went, last time, with each target that asks
// for a bundle, and the last few times with any of them. For a page that people read; nothing
// decides by it, but that a failure is told once. Bounded by the number of targets. Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/rules/reason.h"

namespace controllers::cainjector {

struct TargetOutcome {
  std::string kind;  // of the target
  std::string name;
  Reason reason = Reason::kUnchanged;
  std::string message = {};                    // why nothing was injected
  clientgo::util::Clock::WallTime since = {};  // the reason is this one
};

class Outcomes {
 public:
  static constexpr std::size_t kRecentMax = 50;

  // An Event lives for an hour by default, and who comes later wants to read why, too.
  static constexpr std::chrono::minutes kTellAgain{45};

  // True: people are to be told. False: reason and message are those of last time, and that was not
  // long ago. An error's message differs from try to try, though nothing changed: only its reason
  // counts.
  bool Put(TargetOutcome outcome);
  void Forget(std::string_view kind, std::string_view name);

  std::vector<TargetOutcome> All() const;     // by kind and name
  std::vector<TargetOutcome> Recent() const;  // the latest first: what Put found new

 private:
  struct State {  // of each target: kind and name are not held twice
    Reason reason;
    std::string message;
    clientgo::util::Clock::WallTime since;
    clientgo::util::Clock::WallTime told;
  };
  using States = std::map<std::string, State, std::less<>>;  // by name

  mutable clientgo::util::Mutex mu_;
  std::map<std::string, States, std::less<>> last_ GUARDED_BY(mu_);  // by kind
  std::deque<TargetOutcome> recent_ GUARDED_BY(mu_);
};

}  // namespace controllers::cainjector

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/outcomes.h"

#include <utility>

namespace controllers::cainjector {

using clientgo::util::MutexLock;

namespace {

// Right is right, whether it was written just now or before.
bool IsRight(Reason reason) { return reason == Reason::kInjected || reason == Reason::kUnchanged; }

template <class State>
bool SaysTheSame(const State& last, const TargetOutcome& now) {
  return last.reason == now.reason && now.reason != Reason::kInjected &&
         (now.reason == Reason::kError || last.message == now.message);
}

}  // namespace

bool Outcomes::Put(TargetOutcome outcome) {
  const auto outcome_time = outcome.since;
  const MutexLock lock(mu_);
  States& states = last_[outcome.kind];
  State now{outcome.reason, outcome.message, outcome.since, outcome.since};
  auto [found, is_first] = states.try_emplace(outcome.name, now);
  if (!is_first) {
    State& last = found->second;
    if (IsRight(last.reason) && outcome.reason == Reason::kUnchanged) return false;
    const bool same = SaysTheSame(last, outcome);
    if (last.reason == outcome.reason && !IsRight(last.reason)) {
      now.since = outcome.since = last.since;
      if (same) now.told = last.told;
    }
    const bool tell_again = same && last.told + kTellAgain <= outcome_time;
    if (tell_again) now.told = outcome_time;
    last = std::move(now);
    if (same) return tell_again;
  }
  recent_.push_front(std::move(outcome));
  if (recent_.size() > kRecentMax) recent_.pop_back();
  return true;
}

void Outcomes::Forget(std::string_view kind, std::string_view name) {
  const MutexLock lock(mu_);
  const auto states = last_.find(kind);
  if (states == last_.end()) return;
  const auto found = states->second.find(name);
  if (found != states->second.end()) states->second.erase(found);
}

std::vector<TargetOutcome> Outcomes::All() const {
  const MutexLock lock(mu_);
  std::vector<TargetOutcome> all;
  for (const auto& [kind, states] : last_) {
    for (const auto& [name, state] : states) {
      all.push_back({kind, name, state.reason, state.message, state.since});
    }
  }
  return all;
}

std::vector<TargetOutcome> Outcomes::Recent() const {
  const MutexLock lock(mu_);
  return {recent_.begin(), recent_.end()};
}

}  // namespace controllers::cainjector

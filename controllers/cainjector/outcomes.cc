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
  if (IsRight(last.reason) && now.reason == Reason::kUnchanged) return true;
  return last.reason == now.reason && now.reason != Reason::kInjected &&
         (now.reason == Reason::kError || last.message == now.message);
}

}  // namespace

bool Outcomes::Put(TargetOutcome outcome) {
  const MutexLock lock(mu_);
  States& states = last_[outcome.kind];
  State state{outcome.reason, outcome.message, outcome.since};
  auto [last, is_first] = states.try_emplace(outcome.name, state);
  if (!is_first) {
    if (SaysTheSame(last->second, outcome)) return false;
    last->second = std::move(state);
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

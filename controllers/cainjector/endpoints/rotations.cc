// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/rotations.h"

#include <utility>

namespace capstan::cainjector {
namespace {

// An endpoint that reloads its certificate a little later is no fault.
constexpr int kFailuresToReport = 2;

}  // namespace

RotationEvent Rotations::Put(std::string_view kind, std::string_view name,
                             const Certificates& source, Certificates former) {
  const Key key{kind, name};
  const MutexLock lock(mu_);
  const bool first = known_.insert(key).second;
  const auto found = states_.find(key);
  if (former.empty()) {
    if (found == states_.end()) return RotationEvent::kNone;
    const bool was_due = found->second.due;
    states_.erase(found);
    return was_due ? RotationEvent::kRetired : RotationEvent::kNone;  // else it has expired
  }
  RotationTrial trial{.bundle = EncodeBundle(source), .former = std::move(former)};
  if (found != states_.end() && found->second.trial.bundle == trial.bundle) {
    State& state = found->second;
    // Somebody who adds a CA by hand needs it, perhaps for a certificate that a server gets soon.
    if (!Difference(trial.former, state.trial.former).empty()) Restart(state);
    state.trial.former = std::move(trial.former);
    return RotationEvent::kNone;
  }
  states_.insert_or_assign(key, State{.trial = std::move(trial)});
  return first ? RotationEvent::kNone : RotationEvent::kPublished;
}

void Rotations::Forget(std::string_view kind, std::string_view name) {
  const MutexLock lock(mu_);
  known_.erase(Key{kind, name});
  states_.erase(Key{kind, name});
}

std::optional<RotationTrial> Rotations::Trial(std::string_view kind, std::string_view name) const {
  const MutexLock lock(mu_);
  const auto found = states_.find(Key{kind, name});
  if (found == states_.end()) return std::nullopt;
  return found->second.trial;
}

RotationEvent Rotations::Tried(std::string_view kind, std::string_view name,
                               std::string_view bundle, TrialResult result, TimePoint now) {
  const MutexLock lock(mu_);
  const auto found = states_.find(Key{kind, name});
  if (found == states_.end() || found->second.trial.bundle != bundle) return RotationEvent::kNone;
  State& state = found->second;
  if (result == TrialResult::kFailed) {
    Restart(state);
    if (++state.failures < kFailuresToReport) return RotationEvent::kNone;
    if (state.reported && now - *state.reported < kReportAgain) return RotationEvent::kNone;
    state.reported = now;
    return RotationEvent::kStillNeeded;
  }
  state.failures = 0;
  state.reported.reset();
  const bool first = !std::exchange(state.reported_verified, true);
  if (result == TrialResult::kVerifiedInPart) {
    state.verified_since.reset();
    state.due = false;
    return first ? RotationEvent::kVerifiedInPart : RotationEvent::kNone;
  }
  if (!state.verified_since) state.verified_since = now;
  state.due = retire_after_ && now - *state.verified_since >= *retire_after_;
  if (state.due) return RotationEvent::kDue;
  return first ? RotationEvent::kVerified : RotationEvent::kNone;
}

void Rotations::Restart(State& state) {
  state.reported_verified = false;
  state.verified_since.reset();
  state.due = false;
}

void Rotations::Interrupted(std::string_view kind, std::string_view name) {
  const MutexLock lock(mu_);
  const auto found = states_.find(Key{kind, name});
  if (found != states_.end()) Restart(found->second);
}

Certificates Rotations::Retired(std::string_view kind, std::string_view name) const {
  const MutexLock lock(mu_);
  const auto found = states_.find(Key{kind, name});
  if (found == states_.end() || !found->second.due) return {};
  return found->second.trial.former;
}

}  // namespace capstan::cainjector

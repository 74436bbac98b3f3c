// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector_state.h"

#include "clientgo/util/logging.h"

namespace clientgo::cache {

std::string_view ToString(ReflectorState state) {
  switch (state) {
    case ReflectorState::kEmpty:
      return "Empty";
    case ReflectorState::kInitialList:
      return "InitialList";
    case ReflectorState::kInitialWatchList:
      return "InitialWatchList";
    case ReflectorState::kInitialListed:
      return "InitialListed";
    case ReflectorState::kWatching:
      return "Watching";
    case ReflectorState::kBackoff:
      return "Backoff";
    case ReflectorState::kStopped:
      return "Stopped";
  }
  return "Unknown";
}

std::string_view ToString(ReflectorOutcome outcome) {
  switch (outcome) {
    case ReflectorOutcome::kChoseList:
      return "ChoseList";
    case ReflectorOutcome::kChoseWatchList:
      return "ChoseWatchList";
    case ReflectorOutcome::kDone:
      return "Done";
    case ReflectorOutcome::kAgain:
      return "Again";
    case ReflectorOutcome::kFallBack:
      return "FallBack";
    case ReflectorOutcome::kClosed:
      return "Closed";
    case ReflectorOutcome::kExpired:
      return "Expired";
    case ReflectorOutcome::kRefused:
      return "Refused";
    case ReflectorOutcome::kFailed:
      return "Failed";
    case ReflectorOutcome::kResume:
      return "Resume";
    case ReflectorOutcome::kStartOver:
      return "StartOver";
    case ReflectorOutcome::kStop:
      return "Stop";
  }
  return "Unknown";
}

ReflectorState Transition(ReflectorState state, ReflectorOutcome outcome) {
  using State = ReflectorState;
  using Outcome = ReflectorOutcome;
  if (outcome == Outcome::kStop) return State::kStopped;
  const bool failed = outcome == Outcome::kRefused || outcome == Outcome::kFailed;
  switch (state) {
    case State::kEmpty:
      if (outcome == Outcome::kChoseList) return State::kInitialList;
      if (outcome == Outcome::kChoseWatchList) return State::kInitialWatchList;
      break;
    case State::kInitialList:
      if (outcome == Outcome::kDone) return State::kInitialListed;
      if (outcome == Outcome::kFailed) return State::kBackoff;
      break;
    case State::kInitialWatchList:
      if (outcome == Outcome::kDone) return State::kWatching;  // the same stream goes on
      if (outcome == Outcome::kAgain) return State::kInitialWatchList;
      if (outcome == Outcome::kFallBack) return State::kInitialList;
      if (outcome == Outcome::kRefused) return State::kBackoff;
      break;
    case State::kInitialListed:
      if (outcome == Outcome::kDone) return State::kWatching;
      if (outcome == Outcome::kExpired) return State::kEmpty;
      if (failed) return State::kBackoff;
      break;
    case State::kWatching:
      if (outcome == Outcome::kClosed) return State::kInitialListed;
      if (outcome == Outcome::kExpired) return State::kEmpty;
      if (failed) return State::kBackoff;
      break;
    case State::kBackoff:
      if (outcome == Outcome::kResume) return State::kInitialListed;
      if (outcome == Outcome::kStartOver) return State::kEmpty;
      break;
    case State::kStopped:
      break;
  }
  LOG(FATAL) << util::Kv("Impossible reflector transition", "state", ToString(state), "outcome",
                         ToString(outcome));
}

}  // namespace clientgo::cache

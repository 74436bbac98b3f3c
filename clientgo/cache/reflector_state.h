// SPDX-License-Identifier: Apache-2.0
// The Reflector's state machine as a pure function: what it does next follows from what it was
// doing and how that ended, and from nothing else. Thread-safe (no state).
//
// State names are kube-rs's. Mirrors the control flow of client-go's Reflector.ListAndWatch, which
// spreads the same rules over nested loops and return values.
#pragma once

#include <cstdint>
#include <string_view>

namespace clientgo::cache {

// kube-rs's states, by their names there.
enum class ReflectorState : std::uint8_t {
  kEmpty,             // nothing known: choose LIST or WATCH-LIST
  kInitialList,       // paging through a LIST
  kInitialWatchList,  // a WATCH-LIST before its initial-events-end bookmark
  kInitialListed,     // the store is replaced: open a watch
  kWatching,          // events are applied
  kBackoff,           // an attempt failed
  kStopped,
};
std::string_view ToString(ReflectorState state);

// How a state ended.
enum class ReflectorOutcome : std::uint8_t {
  kChoseList,
  kChoseWatchList,
  kDone,       // the state's purpose is reached
  kAgain,      // the WATCH-LIST gave no list, and the next one may: ask again at once
  kFallBack,   // the WATCH-LIST gave no list, and will not: LIST at once
  kClosed,     // the watch ended and nothing is lost: resume at the last version, at once
  kExpired,    // the server no longer has the version: list at once
  kRefused,    // the server is away or overloaded: wait, then resume
  kFailed,     // wait, then list
  kResume,     // the wait after kRefused is over
  kStartOver,  // the wait after kFailed is over
  kStop,
};
std::string_view ToString(ReflectorOutcome outcome);

// REQUIRES: a state that can end so (else the process ends: that is a bug in the Reflector).
ReflectorState Transition(ReflectorState state, ReflectorOutcome outcome);

}  // namespace clientgo::cache

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector_state.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "clientgo/cache/reflector.h"

namespace clientgo::cache {
namespace {

using State = ReflectorState;
using Outcome = ReflectorOutcome;

struct Row {
  State state;
  Outcome outcome;
  State next;
};

// Everything the machine can do, apart from stopping.
constexpr std::array kTable = {
    Row{State::kEmpty, Outcome::kChoseList, State::kInitialList},
    Row{State::kEmpty, Outcome::kChoseWatchList, State::kInitialWatchList},
    Row{State::kInitialList, Outcome::kDone, State::kInitialListed},
    Row{State::kInitialList, Outcome::kFailed, State::kBackoff},
    Row{State::kInitialWatchList, Outcome::kDone, State::kWatching},
    Row{State::kInitialWatchList, Outcome::kAgain, State::kInitialWatchList},
    Row{State::kInitialWatchList, Outcome::kFallBack, State::kInitialList},
    Row{State::kInitialWatchList, Outcome::kRefused, State::kBackoff},
    Row{State::kInitialListed, Outcome::kDone, State::kWatching},
    Row{State::kInitialListed, Outcome::kExpired, State::kEmpty},
    Row{State::kInitialListed, Outcome::kRefused, State::kBackoff},
    Row{State::kInitialListed, Outcome::kFailed, State::kBackoff},
    Row{State::kWatching, Outcome::kClosed, State::kInitialListed},
    Row{State::kWatching, Outcome::kExpired, State::kEmpty},
    Row{State::kWatching, Outcome::kRefused, State::kBackoff},
    Row{State::kWatching, Outcome::kFailed, State::kBackoff},
    Row{State::kBackoff, Outcome::kResume, State::kInitialListed},
    Row{State::kBackoff, Outcome::kStartOver, State::kEmpty},
};

constexpr std::array kStates = {
    State::kEmpty,    State::kInitialList, State::kInitialWatchList, State::kInitialListed,
    State::kWatching, State::kBackoff,     State::kStopped};
constexpr std::array kOutcomes = {Outcome::kChoseList, Outcome::kChoseWatchList, Outcome::kDone,
                                  Outcome::kAgain,     Outcome::kFallBack,       Outcome::kClosed,
                                  Outcome::kExpired,   Outcome::kRefused,        Outcome::kFailed,
                                  Outcome::kResume,    Outcome::kStartOver,      Outcome::kStop};

TEST(ReflectorStateTest, FollowsTheTable) {
  for (const Row& row : kTable) {
    EXPECT_EQ(Transition(row.state, row.outcome), row.next)
        << ToString(row.state) << " after " << ToString(row.outcome);
  }
}

TEST(ReflectorStateTest, StopsFromEveryState) {
  for (const State state : kStates) {
    EXPECT_EQ(Transition(state, Outcome::kStop), State::kStopped) << ToString(state);
  }
}

TEST(ReflectorStateTest, EveryStateAndOutcomeHasItsOwnName) {
  for (const State a : kStates) {
    EXPECT_NE(ToString(a), "Unknown");
    for (const State b : kStates) EXPECT_EQ(a == b, ToString(a) == ToString(b));
  }
  for (const Outcome a : kOutcomes) {
    EXPECT_NE(ToString(a), "Unknown");
    for (const Outcome b : kOutcomes) EXPECT_EQ(a == b, ToString(a) == ToString(b));
  }
}

TEST(ReflectorStateDeathTest, WhatIsNotInTheTableIsABug) {
  EXPECT_DEATH(Transition(State::kWatching, Outcome::kDone), "Impossible reflector transition");
  EXPECT_DEATH(Transition(State::kBackoff, Outcome::kFailed), "Impossible reflector transition");
  EXPECT_DEATH(Transition(State::kStopped, Outcome::kDone), "Impossible reflector transition");
}

TEST(ReflectorStatusTest, IsDeniedWhenTheServersAnswerStaysTheSame) {
  using util::ErrorReason;
  const auto denied = [](ErrorReason reason) {
    ReflectorStatus status;
    status.last_error = util::Error{.reason = reason};
    return IsDenied(status);
  };

  EXPECT_FALSE(IsDenied({}));
  for (const ErrorReason reason :
       {ErrorReason::kUnauthorized, ErrorReason::kForbidden, ErrorReason::kNotFound,
        ErrorReason::kMethodNotAllowed, ErrorReason::kInvalid, ErrorReason::kBadRequest}) {
    EXPECT_TRUE(denied(reason)) << ToString(reason);
  }
  for (const ErrorReason reason :
       {ErrorReason::kTooManyRequests, ErrorReason::kInternalError, ErrorReason::kExpired,
        ErrorReason::kServiceUnavailable, ErrorReason::kConnectionRefused,
        ErrorReason::kCredentials, ErrorReason::kUnknown}) {
    EXPECT_FALSE(denied(reason)) << ToString(reason);
  }
}

}  // namespace
}  // namespace clientgo::cache

// SPDX-License-Identifier: Apache-2.0
// Eventually waits for what other threads or programs do, in a test of a whole controller.
// Consistently watches that they do not do something. A test of one part uses FakeClock instead,
// and does not wait.
#pragma once

#include <chrono>
#include <functional>

#include "capstan/clock.h"

namespace capstan::testing {

// Calls `condition` every 10 ms until it returns true, and then returns true. Returns false after
// `timeout`. Mirrors Gomega's Eventually, which tests of controllers in Go use.
inline bool Eventually(const std::function<bool()>& condition,
                       std::chrono::nanoseconds timeout = std::chrono::seconds(30)) {
  Clock& clock = Clock::Real();
  const auto end = clock.After(timeout);
  while (!condition()) {
    if (clock.Now() >= end) return false;
    clock.SleepFor({}, std::chrono::milliseconds(10));
  }
  return true;
}

// Calls `condition` every 10 ms for `duration`, and returns true if it always returned true.
// Returns false at the first time that it did not. Mirrors Gomega's Consistently. It makes a test
// slower: wait with Eventually for something that comes later, where there is such a thing.
inline bool Consistently(const std::function<bool()>& condition,
                         std::chrono::nanoseconds duration = std::chrono::milliseconds(200)) {
  return !Eventually([&] { return !condition(); }, duration);
}

}  // namespace capstan::testing

// SPDX-License-Identifier: Apache-2.0
#include "capstan/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "capstan/runnable.h"

namespace capstan {
namespace {

// Signals belong to the process, so each case runs in a process of its own.
[[noreturn]] void ExitAfterFirst(int signal) {
  BlockSignals();
  {
    const SignalWaiter signals;
    kill(getpid(), signal);
    WaitForStop(signals.token());
  }
  std::_Exit(7);
}

[[noreturn]] void SendTwo() {
  BlockSignals();
  const SignalWaiter signals;
  kill(getpid(), SIGTERM);
  WaitForStop(signals.token());
  kill(getpid(), SIGTERM);
  WaitForStop({});  // until the second signal ends the process
  std::_Exit(7);
}

TEST(SignalWaiterDeathTest, RequestsStopAfterTheFirstSignal) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(ExitAfterFirst(SIGTERM), ::testing::ExitedWithCode(7), "signal=\"SIGTERM\"");
  EXPECT_EXIT(ExitAfterFirst(SIGINT), ::testing::ExitedWithCode(7), "signal=\"SIGINT\"");
}

TEST(SignalWaiterDeathTest, ExitsWith130AfterTheSecondSignal) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(SendTwo(), ::testing::ExitedWithCode(130), "");
}

TEST(SignalWaiterDeathTest, IsDestroyedAtOnceWithoutASignal) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        BlockSignals();
        { const SignalWaiter signals; }
        std::_Exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace capstan

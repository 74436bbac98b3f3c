// SPDX-License-Identifier: Apache-2.0
#include "cmd/process/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "clientgo/util/clock.h"

namespace cmd::process {
namespace {

TEST(SignalStopTest, FirstSignalRequestsTheStop) {
  SignalStop signals;
  EXPECT_FALSE(signals.token().stop_requested());

  kill(getpid(), SIGTERM);

  EXPECT_FALSE(clientgo::util::Clock::Real().SleepFor(signals.token(), std::chrono::seconds(10)))
      << "the stop must end a wait";
}

TEST(SignalStopTest, SecondSignalEndsTheProcessAtOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        SignalStop signals;
        kill(getpid(), SIGTERM);
        clientgo::util::Clock::Real().SleepFor(signals.token(), std::chrono::seconds(10));
        kill(getpid(), SIGINT);
        clientgo::util::Clock::Real().SleepFor({}, std::chrono::seconds(10));
      },
      ::testing::ExitedWithCode(130), "");
}

TEST(SignalStopTest, EndsWithoutASignal) {
  { const SignalStop signals; }
  SUCCEED() << "the destructor came back";
}

}  // namespace
}  // namespace cmd::process

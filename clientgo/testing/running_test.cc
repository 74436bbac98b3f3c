// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/running.h"

#include <gtest/gtest.h>

#include <atomic>

#include "capstan/testing/eventually.h"

namespace capstan::testing {
namespace {

// FakeManager runs until a stop is requested. If `fails` is set, Start returns an error at once.
struct FakeManager {
  Expected<void> Start(std::stop_token stop) {
    started = true;
    while (!stop.stop_requested() && !fails) std::this_thread::yield();
    ended = true;
    if (fails) return Err(ErrorReason::kTimeout, "the cache is not synced");
    return {};
  }
  std::atomic<bool> started = false;
  std::atomic<bool> ended = false;
  bool fails = false;
};

TEST(RunningTest, RunsInTheBackgroundUntilStop) {
  FakeManager manager;
  Running running(manager);
  EXPECT_TRUE(Eventually([&] { return manager.started.load(); }));
  EXPECT_FALSE(manager.ended);

  EXPECT_TRUE(running.Stop().has_value());
  EXPECT_TRUE(manager.ended);
}

TEST(RunningTest, StopsManagerWhenDestroyed) {
  FakeManager manager;
  { const Running running(manager); }
  EXPECT_TRUE(manager.ended);
}

TEST(RunningTest, StopReturnsErrorFromStart) {
  FakeManager manager;
  manager.fails = true;
  Running running(manager);

  const auto ended = running.Stop();

  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().message, "the cache is not synced");
}

}  // namespace
}  // namespace capstan::testing

// SPDX-License-Identifier: Apache-2.0
// Caches that a controller reads and does not watch: which of them keep it from starting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "clientgo/testing/fake_clock.h"
#include "controllers/runtime/cache_sync.h"
#include "controllers/runtime/controller_testing.h"

namespace controllers::runtime {
namespace {

using clientgo::testing::FakeClock;
using clientgo::util::Error;
using clientgo::util::ErrorReason;

class WaitForTest : public testing::Test {
 protected:
  // The own cache holds ns/a; the other one is waited for.
  std::unique_ptr<Controller> NewController(WaitOptions options) {
    auto controller = std::make_unique<Controller>(
        reconciler_, ControllerOptions{.name = "c",
                                       .cache_sync_timeout = std::chrono::minutes(2),
                                       .clock = clock_,
                                       .metrics = &metrics_});
    controller->Watch(own_.informer(), OwnKey);
    controller->WaitFor(other_.informer(), std::move(options));
    own_.Serve({MakeObject("a")});
    own_.Run();
    while (!own_.informer().HasSynced()) std::this_thread::yield();
    return controller;
  }
  void Refuse(ErrorReason reason) {
    other_.server().OnList({.error = Error{.reason = reason, .message = "refused"}});
    other_.Run();
    while (!other_.informer().Status().last_error) std::this_thread::yield();
  }
  // It waits, and has looked a few times.
  bool StillWaits(int waiters) {
    for (int i = 0; i < 3; ++i) {
      if (!clock_.BlockUntilWaiters(waiters)) return false;
      clock_.Step(std::chrono::milliseconds(1));
    }
    return reconciler_.keys().empty();
  }

  // Time passes until the controller has started; else the test's own timeout ends this.
  bool Starts() {
    while (reconciler_.keys().empty()) {
      if (clock_.HasWaiters()) clock_.Step(std::chrono::milliseconds(200));
      std::this_thread::yield();
    }
    return true;
  }

  FakeClock clock_;
  FakeCache own_;
  FakeCache other_;
  FakeReconciler reconciler_;
  FakeControllerMetrics metrics_;
};

TEST_F(WaitForTest, AnOptionalCacheThatIsRefusedKeepsNobody) {
  for (const ErrorReason reason : {ErrorReason::kNotFound, ErrorReason::kForbidden,
                                   ErrorReason::kUnauthorized, ErrorReason::kMethodNotAllowed}) {
    WatchedCache cache = {.informer = &other_.informer(), .optional = true};
    EXPECT_FALSE(IsSynced(cache)) << "nobody has refused it yet";
    FakeCache refused;
    refused.server().OnList({.error = Error{.reason = reason, .message = "refused"}});
    refused.Run();
    while (!refused.informer().Status().last_error) std::this_thread::yield();

    cache.informer = &refused.informer();
    EXPECT_TRUE(IsSynced(cache));
    cache.optional = false;
    EXPECT_FALSE(IsSynced(cache));
  }
}

TEST_F(WaitForTest, TheControllerStartsWithoutIt) {
  Refuse(ErrorReason::kNotFound);
  const auto controller = NewController({.optional = true});

  RunningController running(*controller);

  EXPECT_TRUE(Starts());
  EXPECT_EQ(metrics_.Of("timeout c secrets"), 0);
}

TEST_F(WaitForTest, AnOptionalCacheThatFailsOtherwiseIsWaitedForOnlySoLong) {
  Refuse(ErrorReason::kInternalError);
  const auto controller = NewController({.optional = true});
  RunningController running(*controller);
  ASSERT_TRUE(StillWaits(1));

  clock_.Step(std::chrono::minutes(2));

  EXPECT_TRUE(Starts());
  EXPECT_EQ(metrics_.Of("timeout c secrets"), 1);
}

TEST_F(WaitForTest, ItWaitsForWhoeverHandlesTheEvents) {
  other_.Serve({});
  other_.Run();
  while (!other_.informer().HasSynced()) std::this_thread::yield();
  std::atomic<bool> handled = false;
  const auto controller = NewController({.handled = [&] { return handled.load(); }});
  RunningController running(*controller);
  ASSERT_TRUE(StillWaits(1));

  handled = true;

  EXPECT_TRUE(Starts());
}

}  // namespace
}  // namespace controllers::runtime

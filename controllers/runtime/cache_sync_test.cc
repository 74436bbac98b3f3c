// SPDX-License-Identifier: Apache-2.0
// The wait for caches, as a user of Controller sees it.
#include "capstan/cache_sync.h"

#include <glog/logging.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "capstan/logging.h"
#include "capstan/testing/fake_clock.h"
#include "clientgo/util/testing/log_lines.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kUpstreamWords[] =
    "failed to wait for injector caches to sync kind source: *v1.Secret: timed out waiting for "
    "cache to be synced for Kind *v1.Secret";

std::vector<Request> NoKeys(const runtime::Object& /*object*/) { return {}; }

class CacheSyncTimeoutTest : public ::testing::Test {
 protected:
  std::unique_ptr<Controller> NewController(bool exit) {
    auto controller = std::make_unique<Controller>(
        reconciler_, ControllerOptions{.name = "injector",
                                       .cache_sync_timeout = minutes(2),
                                       .exit_on_cache_sync_timeout = exit,
                                       .clock = &clock_,
                                       .metrics = &metrics_});
    controller->Watch(cache_.informer(), OwnKey);
    return controller;
  }
  // `waiters` counts the controller, and the informer when it is in a backoff.
  void Step(testing::FakeClock::Duration duration, int waiters = 1) {
    ASSERT_TRUE(clock_.BlockUntilWaiters(waiters));
    clock_.Step(duration);
  }

  testing::FakeClock clock_;
  const testing::FakeClock::TimePoint begin_ = clock_.Now();
  FakeCache cache_{clock_};
  FakeReconciler reconciler_;
  FakeControllerMetrics metrics_;
  LogLines errors_{google::GLOG_ERROR};
};

TEST_F(CacheSyncTimeoutTest, ReportsCacheAndCauseAndKeepsWaiting) {
  cache_.server().OnList(
      {.error = Error{.reason = ErrorReason::kForbidden,
                      .http_code = 403,
                      .message = "secrets is forbidden: User \"x\" cannot list resource"}});
  const auto controller = NewController(/*exit=*/false);
  cache_.Run();
  RunningRunnable running(*controller);

  Step(minutes(2), /*waiters=*/2);
  ASSERT_TRUE(metrics_.WaitFor("timeout injector secrets", 1));

  const auto lines = errors_.lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr(kUpstreamWords), HasSubstr("controller=\"injector\""),
                    HasSubstr("resource=\"secrets\""), HasSubstr("0 objects received, state "),
                    HasSubstr("no progress for 2m0s, last error: "),
                    HasSubstr("secrets is forbidden"), HasSubstr("keepsTrying=true")));

  Step(seconds(119));
  EXPECT_EQ(metrics_.Of("timeout injector secrets"), 1) << "quiet until it expires again";
  Step(seconds(1));
  EXPECT_TRUE(metrics_.WaitFor("timeout injector secrets", 2));
}

TEST_F(CacheSyncTimeoutTest, StartsWhenTheCacheSyncsAfterTheTimeout) {
  const auto controller = NewController(/*exit=*/false);
  RunningRunnable running(*controller);
  Step(minutes(2));
  ASSERT_TRUE(metrics_.WaitFor("timeout injector secrets", 1));

  cache_.Serve({MakeObject("a")});
  cache_.Run();
  while (reconciler_.keys().empty()) {
    if (clock_.HasWaiters()) clock_.Step(seconds(1));
    std::this_thread::yield();
  }

  EXPECT_EQ(reconciler_.keys().size(), 1U);
}

TEST_F(CacheSyncTimeoutTest, StartsOnAFakeClockWithoutAStep) {
  const auto controller = NewController(/*exit=*/false);
  RunningRunnable running(*controller);
  ASSERT_TRUE(clock_.BlockUntilWaiters()) << "it has looked, and the cache is not synced";

  cache_.Serve({MakeObject("a"), MakeObject("b")});
  cache_.Run();

  EXPECT_TRUE(reconciler_.WaitForKeys(2));
  EXPECT_EQ(clock_.Now(), begin_);
}

TEST_F(CacheSyncTimeoutTest, StartsOnAFakeClockWithoutAStepWhenThereAreNoObjects) {
  const auto controller = NewController(/*exit=*/false);
  RunningRunnable running(*controller);
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  const auto watch = cache_.Serve({});
  cache_.Run();
  watch->Send({.type = runtime::EventType::kAdded, .object = MakeObject("late")});

  EXPECT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_EQ(clock_.Now(), begin_);
}

TEST_F(CacheSyncTimeoutTest, RestartsTheTimeoutAfterProgress) {
  cache_.server().OnList({.items = {MakeObject("a")}, .hang = true});
  const auto controller = NewController(/*exit=*/true);
  RunningRunnable running(*controller);
  Step(seconds(119));
  ASSERT_TRUE(clock_.BlockUntilWaiters()) << "it has looked, and saw nothing";
  cache_.Run();
  while (cache_.informer().Status().objects_received == 0) std::this_thread::yield();

  Step(seconds(1));
  Step(seconds(119));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(metrics_.Of("timeout injector secrets"), 0) << "one object came 119 s ago";
  EXPECT_FALSE(cache_.informer().HasSynced());

  Step(seconds(1));
  EXPECT_FALSE(running.WaitUntilEnded().has_value());
}

TEST_F(CacheSyncTimeoutTest, ReturnsUpstreamErrorWhenConfiguredToExit) {
  const auto controller = NewController(/*exit=*/true);
  RunningRunnable running(*controller);

  Step(minutes(2));
  const auto ended = running.WaitUntilEnded();

  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().message, kUpstreamWords);
  EXPECT_EQ(metrics_.Of("timeout injector secrets"), 1);
  EXPECT_THAT(reconciler_.keys(), ElementsAre());
}

TEST_F(CacheSyncTimeoutTest, NeverExpiresWhenZero) {
  Controller controller(reconciler_, {.name = "injector",
                                      .cache_sync_timeout = {},
                                      .exit_on_cache_sync_timeout = true,
                                      .clock = &clock_,
                                      .metrics = &metrics_});
  controller.Watch(cache_.informer(), NoKeys);
  RunningRunnable running(controller);

  Step(std::chrono::hours(48));
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  EXPECT_EQ(metrics_.Of("timeout injector secrets"), 0);
  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(CacheSyncTimeoutTest, ReportsWhenASyncedCacheCannotFollowItsServer) {
  const auto watch = cache_.Serve({MakeObject("a")});
  EXPECT_EQ(WhyBehind(cache_.informer()), "");
  cache_.Run();
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(WhyBehind(cache_.informer()), "");

  watch->Close();
  while (WhyBehind(cache_.informer()).empty()) std::this_thread::yield();

  EXPECT_THAT(WhyBehind(cache_.informer()),
              HasSubstr("cache of secrets may be behind: very short watch: "));
}

TEST_F(CacheSyncTimeoutTest, NamesOneUndecodableObjectAndCountsTheOthers) {
  const auto watch = cache_.Serve({MakeObject("a"), MakeObject("b")});
  cache_.Run();
  const auto damage = [&](const std::string& key) {
    runtime::WatchEvent event;
    event.type = runtime::EventType::kModified;
    event.key = key;
    event.error = {.message = "bad Secret " + key + ": it is damaged"};
    watch->Send(std::move(event));
    ASSERT_TRUE(watch->WaitUntilRead());
  };

  damage("ns/b");
  EXPECT_EQ(WhyBehind(cache_.informer()),
            "cache of secrets cannot decode the newest version of 1 object, ns/b: bad Secret ns/b: "
            "it is damaged");
  damage("ns/a");
  EXPECT_EQ(WhyBehind(cache_.informer()),
            "cache of secrets cannot decode the newest version of 2 objects, one of them ns/a: bad "
            "Secret ns/a: it is damaged");
  damage("");
  EXPECT_THAT(WhyBehind(cache_.informer()), HasSubstr("of 3 objects"));
}

class OptionalCacheTest : public ::testing::Test {
 protected:
  // The own cache holds ns/a. The events of the other one queue nothing.
  std::unique_ptr<Controller> NewController() {
    auto controller = std::make_unique<Controller>(
        reconciler_, ControllerOptions{.name = "c",
                                       .cache_sync_timeout = std::chrono::minutes(2),
                                       .clock = &clock_,
                                       .metrics = &metrics_});
    controller->Watch(own_.informer(), OwnKey);
    controller->Watch(other_.informer(), NoKeys, {.optional = true});
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
  // The controller has checked its caches a few times and still waits.
  bool StillWaits(int waiters) {
    for (int i = 0; i < 3; ++i) {
      if (!clock_.BlockUntilWaiters(waiters)) return false;
      clock_.Step(std::chrono::milliseconds(1));
    }
    return reconciler_.keys().empty();
  }

  // Steps the clock until the controller has started. Otherwise the test times out.
  bool Starts() {
    while (reconciler_.keys().empty()) {
      if (clock_.HasWaiters()) clock_.Step(std::chrono::milliseconds(200));
      std::this_thread::yield();
    }
    return true;
  }

  testing::FakeClock clock_;
  FakeCache own_;
  FakeCache other_;
  FakeReconciler reconciler_;
  FakeControllerMetrics metrics_;
};

TEST(WaitForSyncTest, NoticesASyncedCacheSoon) {
  testing::FakeClock clock;
  FakeCache cache(clock);
  cache.Serve({});
  cache.Run();
  while (!cache.informer().HasSynced()) std::this_thread::yield();
  const auto begin = clock.Now();
  const auto handled = [&] { return clock.Now() - begin >= milliseconds(400); };

  auto noticed = begin;
  std::atomic<bool> ended = false;
  std::jthread waiter([&](const std::stop_token& stop) {
    EXPECT_TRUE(WaitForSync(stop, {{.informer = &cache.informer(), .handled = handled}},
                            {.clock = clock, .timeout = {}, .on_timeout = {}}));
    noticed = clock.Now();
    ended = true;
  });
  while (!ended) {
    if (clock.HasWaiters()) clock.Step(milliseconds(1));
    std::this_thread::yield();
  }
  waiter.join();

  EXPECT_LE(noticed - begin, milliseconds(430));
}

TEST_F(OptionalCacheTest, CountsAsSyncedWhenTheListIsDenied) {
  for (const ErrorReason reason : {ErrorReason::kNotFound, ErrorReason::kForbidden,
                                   ErrorReason::kUnauthorized, ErrorReason::kMethodNotAllowed}) {
    WatchedCache cache = {.informer = &other_.informer(), .optional = true};
    EXPECT_FALSE(IsSynced(cache)) << "no list was denied yet";
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

TEST_F(OptionalCacheTest, DoesNotDelayTheControllerWhenTheListIsDenied) {
  Refuse(ErrorReason::kNotFound);
  const auto controller = NewController();

  RunningRunnable running(*controller);

  EXPECT_TRUE(Starts());
  EXPECT_EQ(metrics_.Of("timeout c secrets"), 0);
}

TEST_F(OptionalCacheTest, DelaysTheControllerUntilTheTimeoutAfterOtherErrors) {
  Refuse(ErrorReason::kInternalError);
  const auto controller = NewController();
  RunningRunnable running(*controller);
  ASSERT_TRUE(StillWaits(1));

  clock_.Step(std::chrono::minutes(2));

  EXPECT_TRUE(Starts());
  EXPECT_EQ(metrics_.Of("timeout c secrets"), 1);
}

}  // namespace
}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
#include "capstan/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>

#include "capstan/testing/fake_clock.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ControllerTest : public ::testing::Test {
 protected:
  testing::FakeClock clock_;
  FakeCache cache_;
  FakeReconciler reconciler_;
  FakeControllerMetrics metrics_;
};

TEST_F(ControllerTest, ReconcilesObjectsFromListAndWatch) {
  const auto watch = cache_.Serve({MakeObject("a"), MakeObject("b")});
  Controller controller(reconciler_, {.name = "secrets"});
  controller.Watch(cache_.informer(), OwnKey);
  cache_.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(reconciler_.WaitForKeys(2));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("ns/a", "ns/b"));

  watch->Add(MakeObject("c", "11"));
  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  watch->Modify(MakeObject("a", "12"));
  ASSERT_TRUE(reconciler_.WaitForKeys(4));
  watch->Delete(MakeObject("b", "13"));
  ASSERT_TRUE(reconciler_.WaitForKeys(5));

  const auto keys = reconciler_.keys();
  EXPECT_THAT(std::vector<std::string>(keys.begin() + 2, keys.end()),
              ElementsAre("ns/c", "ns/a", "ns/b"));
  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(ControllerTest, QueuesKeysOfOldAndNewObjectAfterAnUpdate) {
  const auto watch = cache_.Serve({MakeObject("a", "1")});
  Controller controller(reconciler_, {.name = "targets"});
  controller.Watch(cache_.informer(), [](const runtime::Object& object) {
    return std::vector<Request>{{.namespace_ = "", .name = "v" + object.resource_version()}};
  });
  cache_.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(reconciler_.WaitForKeys(1));

  watch->Modify(MakeObject("a", "2"));

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("v1", "v1", "v2"));
}

TEST_F(ControllerTest, WaitsUntilEveryCacheIsSynced) {
  FakeCache synced;
  FakeCache late;
  synced.Serve({MakeObject("a")});
  Controller controller(reconciler_, {.name = "secrets"});
  controller.Watch(synced.informer(), OwnKey);
  controller.Watch(late.informer(), [](const auto&) { return std::vector<Request>(); });
  synced.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(synced.server().WaitForRequests(2)) << "the list is through, the watch is open";
  EXPECT_FALSE(controller.FirstPassDone());
  EXPECT_THAT(reconciler_.keys(), ElementsAre());

  late.Serve({MakeObject("queues nothing")});
  late.Run();

  ASSERT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/a"));
}

TEST_F(ControllerTest, RetriesErrorsWithGrowingDelays) {
  std::atomic<int> calls = 0;
  FakeReconciler reconciler([&](std::stop_token, const Request&) -> FakeReconciler::Answer {
    if (++calls < 3) return Failure(ErrorReason::kConflict);
    return Result{};
  });
  Controller controller(reconciler, {.name = "c", .clock = &clock_, .metrics = &metrics_});
  controller.Enqueue({"ns", "a"});
  RunningRunnable running(controller);

  ASSERT_TRUE(metrics_.WaitFor("worker idle", 1));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(milliseconds(5));
  ASSERT_TRUE(metrics_.WaitFor("worker idle", 2));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(milliseconds(9));
  EXPECT_EQ(metrics_.Of("worker busy"), 2) << "the second delay is 10 ms";
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(milliseconds(1));
  ASSERT_TRUE(metrics_.WaitFor("worker idle", 3));

  EXPECT_EQ(metrics_.Of("result error"), 2);
  EXPECT_EQ(metrics_.Of("result success"), 1);
  EXPECT_EQ(metrics_.Of("terminal"), 0);
}

TEST_F(ControllerTest, RetriesTerminalErrorsOnlyAfterAChange) {
  FakeReconciler reconciler([](std::stop_token, const Request&) -> FakeReconciler::Answer {
    return Failure(ErrorReason::kInvalid, /*terminal=*/true);
  });
  Controller controller(reconciler, {.name = "c", .clock = &clock_, .metrics = &metrics_});
  controller.Enqueue({"ns", "a"});
  RunningRunnable running(controller);
  ASSERT_TRUE(metrics_.WaitFor("worker idle", 1));
  EXPECT_FALSE(clock_.HasWaiters()) << "nothing is scheduled";

  controller.Enqueue({"ns", "a"});

  ASSERT_TRUE(metrics_.WaitFor("worker idle", 2));
  EXPECT_EQ(metrics_.Of("terminal"), 2);
  EXPECT_EQ(metrics_.Of("result error"), 2);
}

TEST_F(ControllerTest, ForgetsFailuresAfterRequeueAfter) {
  std::atomic<int> calls = 0;
  FakeReconciler reconciler([&](std::stop_token, const Request&) -> FakeReconciler::Answer {
    switch (++calls) {
      case 1:
        return Failure(ErrorReason::kConflict);
      case 2:
        return Result{.requeue_after = seconds(60)};
      case 3:
        return Failure(ErrorReason::kConflict);
      default:
        return Result{};
    }
  });
  Controller controller(reconciler, {.name = "c", .clock = &clock_, .metrics = &metrics_});
  controller.Enqueue({"ns", "a"});
  RunningRunnable running(controller);
  for (const milliseconds delay : {milliseconds(5), milliseconds(60000), milliseconds(5)}) {
    const std::ptrdiff_t before = metrics_.Of("worker idle");
    ASSERT_TRUE(metrics_.WaitFor("worker idle", std::max<std::ptrdiff_t>(before, 1)));
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(delay);
    ASSERT_TRUE(metrics_.WaitFor("worker idle", std::max<std::ptrdiff_t>(before, 1) + 1))
        << delay.count();
  }

  EXPECT_EQ(metrics_.Of("result requeue_after"), 1);
  EXPECT_EQ(metrics_.Of("result error"), 2);
  EXPECT_EQ(metrics_.Of("result success"), 1);
}

TEST_F(ControllerTest, TreatsAnExceptionAsAnErrorOfOneKey) {
  FakeReconciler reconciler([](std::stop_token, const Request& request) -> FakeReconciler::Answer {
    if (request.name == "bad") throw std::out_of_range("index 7");
    if (request.name == "odd") throw 7;
    return Result{};
  });
  Controller controller(reconciler, {.name = "c", .clock = &clock_, .metrics = &metrics_});
  for (const char* name : {"bad", "odd", "good"}) controller.Enqueue({"ns", name});
  RunningRunnable running(controller);

  ASSERT_TRUE(metrics_.WaitFor("worker idle", 3));
  EXPECT_THAT(reconciler.keys(), ElementsAre("ns/good"));
  EXPECT_EQ(metrics_.Of("panic"), 2);
  EXPECT_EQ(metrics_.Of("result error"), 2);
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(milliseconds(5));
  EXPECT_TRUE(metrics_.WaitFor("panic", 4)) << "they are retried";
}

TEST_F(ControllerTest, RunsDifferentKeysConcurrentlyButNeverOneKeyTwice) {
  constexpr int kWorkers = 3;
  std::latch all_busy(kWorkers);
  Mutex mu;
  std::multiset<std::string> in_work;
  std::atomic<bool> doubled = false;
  FakeReconciler reconciler([&](std::stop_token, const Request& request) {
    {
      MutexLock lock(mu);
      in_work.insert(request.name);
      if (in_work.count(request.name) > 1) doubled = true;
    }
    all_busy.arrive_and_wait();
    MutexLock lock(mu);
    in_work.erase(in_work.find(request.name));
    return FakeReconciler::Answer(Result{});
  });
  Controller controller(reconciler, {.name = "c", .max_concurrent_reconciles = kWorkers});
  for (const char* name : {"a", "a", "b", "c"}) controller.Enqueue({"", name});
  RunningRunnable running(controller);

  ASSERT_TRUE(reconciler.WaitForKeys(3)) << "the latch opens only when three run at once";
  EXPECT_THAT(reconciler.keys(), UnorderedElementsAre("a", "b", "c"));
  EXPECT_FALSE(doubled);
}

TEST_F(ControllerTest, FinishesRunningKeysAndStartsNoOthersAfterStop) {
  std::latch entered(1);
  FakeReconciler reconciler([&](std::stop_token stop, const Request&) -> FakeReconciler::Answer {
    entered.count_down();
    WaitForStop(std::move(stop));
    return Failure(ErrorReason::kCanceled);
  });
  Controller controller(reconciler, {.name = "c"});
  controller.Enqueue({"", "first"});
  controller.Enqueue({"", "second"});
  RunningRunnable running(controller);
  entered.wait();

  EXPECT_TRUE(running.Stop().has_value());

  EXPECT_THAT(reconciler.keys(), ElementsAre("first"));
}

TEST_F(ControllerTest, StopsDuringTheWaitForCaches) {
  FakeCache never;
  Controller controller(reconciler_, {.name = "c"});
  controller.Watch(never.informer(), OwnKey);
  never.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(never.server().WaitForRequests(1));

  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(ControllerTest, FinishesFirstPassWhenEveryInitialKeyWasReconciled) {
  cache_.Serve({MakeObject("a"), MakeObject("b")});
  std::latch may_end(1);
  FakeReconciler reconciler([&](std::stop_token, const Request& request) -> FakeReconciler::Answer {
    if (request.name == "a") return Failure(ErrorReason::kInvalid, true);
    may_end.wait();
    return Result{};
  });
  Controller controller(reconciler,
                        {.name = "c", .max_concurrent_reconciles = 2, .metrics = &metrics_});
  controller.Watch(cache_.informer(), OwnKey);
  EXPECT_FALSE(controller.FirstPassDone());
  cache_.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(metrics_.WaitFor("result error", 1));
  ASSERT_TRUE(metrics_.WaitFor("worker busy", 2));
  EXPECT_FALSE(controller.FirstPassDone()) << "b is still in work";

  may_end.count_down();

  ASSERT_TRUE(metrics_.WaitFor("worker idle", 2));
  EXPECT_TRUE(controller.FirstPassDone()) << "an attempt counts, also a failed one";
}

TEST_F(ControllerTest, FinishesFirstPassAtOnceInAnEmptyCluster) {
  cache_.Serve({});
  Controller controller(reconciler_, {.name = "c"});
  controller.Watch(cache_.informer(), OwnKey);
  cache_.Run();
  RunningRunnable running(controller);
  controller.Enqueue({"", "a late key"});

  ASSERT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_TRUE(controller.FirstPassDone());
}

TEST_F(ControllerTest, RetriesKeysWhenTheServerIsReachableAgain) {
  std::atomic<bool> up = false;
  rest::ServerAvailability server(
      [&](const std::stop_token&, Clock::TimePoint) -> Expected<int> {
        if (up) return 200;
        return Err(ErrorReason::kConnectionRefused, "refused");
      },
      {.clock = clock_, .spread = {}});
  cache_.Serve({MakeObject("a")});
  FakeReconciler reconciler([&](std::stop_token, const Request&) -> FakeReconciler::Answer {
    if (up) return Result{};
    server.OnFailure({.reason = ErrorReason::kConnectionRefused});
    return Failure(ErrorReason::kConnectionRefused);
  });
  Controller controller(reconciler, {.name = "secrets", .clock = &clock_, .server = &server});
  controller.Watch(cache_.informer(), OwnKey);
  cache_.Run();
  RunningRunnable running(controller);
  while (reconciler.keys().empty()) {  // the wait for the cache uses the clock
    if (clock_.HasWaiters()) clock_.Step(milliseconds(5));
    std::this_thread::yield();
  }
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(milliseconds(100));
  }
  EXPECT_EQ(reconciler.keys().size(), 1U) << "a try during the outage";

  up = true;
  const auto back = clock_.Now();
  while (reconciler.keys().size() < 2 && clock_.Now() - back < milliseconds(1200)) {
    if (clock_.HasWaiters()) clock_.Step(milliseconds(10));
    std::this_thread::yield();
  }
  EXPECT_TRUE(reconciler.WaitForKeys(2)) << "it waited for a backoff of a minute";
  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(ControllerTest, ReconcilesAllObjectsAgainAfterARestart) {
  const auto watch = cache_.Serve({MakeObject("a")});
  Controller controller(reconciler_, {.name = "secrets"});
  controller.Watch(cache_.informer(), OwnKey);
  cache_.Run();
  {
    RunningRunnable running(controller);
    ASSERT_TRUE(reconciler_.WaitForKeys(1));
  }
  watch->Add(MakeObject("b", "11"));
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(reconciler_.keys().size(), 1U);

  RunningRunnable running(controller);
  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  watch->Add(MakeObject("c", "12"));
  ASSERT_TRUE(reconciler_.WaitForKeys(4));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("ns/a", "ns/a", "ns/b", "ns/c"));
  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(ControllerTest, KeepsQueuedKeysForTheNextStart) {
  std::latch entered(1);
  FakeReconciler reconciler([&](std::stop_token stop, const Request& request) {
    if (request.name == "first") {
      entered.count_down();
      WaitForStop(std::move(stop));
    }
    return FakeReconciler::Answer(Result{});
  });
  Controller controller(reconciler, {.name = "c"});
  controller.Enqueue({"", "first"});
  controller.Enqueue({"", "second"});
  {
    RunningRunnable running(controller);
    entered.wait();
  }
  ASSERT_THAT(reconciler.keys(), ElementsAre("first"));

  RunningRunnable running(controller);

  ASSERT_TRUE(reconciler.WaitForKeys(2));
  EXPECT_THAT(reconciler.keys(), ElementsAre("first", "second"));
}

TEST_F(ControllerTest, ReconcilesKeysThatWereAddedBetweenTwoStarts) {
  Channel channel;
  Controller controller(reconciler_, {.name = "c"});
  controller.Watch(channel, OwnKey);
  channel.Send(*MakeObject("before"));
  {
    RunningRunnable running(controller);
    ASSERT_TRUE(reconciler_.WaitForKeys(1));
  }
  channel.Send(*MakeObject("from-channel"));
  controller.Enqueue({"ns", "by-call"});

  RunningRunnable running(controller);

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/before", "ns/from-channel", "ns/by-call"));
}

TEST_F(ControllerTest, RequeuesAfterARestart) {
  FakeReconciler reconciler([](std::stop_token, const Request&) {
    return FakeReconciler::Answer(Result{.requeue_after = seconds(30)});
  });
  Controller controller(reconciler, {.name = "c", .clock = &clock_});
  controller.Enqueue({"", "a"});
  {
    RunningRunnable running(controller);
    ASSERT_TRUE(reconciler.WaitForKeys(1));
  }

  RunningRunnable running(controller);
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(seconds(30));

  EXPECT_TRUE(reconciler.WaitForKeys(2));
}

TEST_F(ControllerTest, KeepsKeysThatWaitForTheCachesOfACluster) {
  const cache::InformerView view({{"", &cache_.informer()}});
  Controller controller(reconciler_, {.name = "c"});
  controller.Engage("east", {{.view = &view, .map = OwnKey}});
  controller.Enqueue({"ns", "early", "east"});
  cache_.Run();
  {
    RunningRunnable running(controller);
    controller.Enqueue({"ns", "of-no-cluster"});
    ASSERT_TRUE(reconciler_.WaitForKeys(1)) << "it runs";
    controller.Enqueue({"ns", "during", "east"});
  }
  cache_.Serve({});

  RunningRunnable running(controller);

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_THAT(reconciler_.keys(),
              UnorderedElementsAre("ns/of-no-cluster", "ns/early", "ns/during"));
}

TEST(ChannelTest, QueuesTheKeysThatEachControllerMapsAnEventTo) {
  Channel channel;
  FakeReconciler reconciler;
  Controller controller(reconciler, {.name = "c"});
  controller.Watch(channel, OwnKey);
  RunningRunnable running(controller);

  channel.Send(*MakeObject("a"));

  ASSERT_TRUE(reconciler.WaitForKeys(1));
  EXPECT_THAT(reconciler.keys(), ElementsAre("ns/a"));
}

}  // namespace
}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
// The options of a Controller: priorities, rate limits, timeouts, panics and warm standbys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

#include "capstan/cache/informer_factory.h"
#include "capstan/controller.h"
#include "capstan/testing/fake_clock.h"
#include "clientgo/cache/testing/informer_fixture.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// A Reconciler that holds its first key until it is released, so that others are queued meanwhile.
class HeldReconciler {
 public:
  FakeReconciler& operator*() { return reconciler_; }
  void WaitUntilHeld() { held_.wait(); }
  void Release() { released_.count_down(); }

 private:
  std::latch held_{1};
  std::latch released_{1};
  std::atomic<bool> first_ = true;
  FakeReconciler reconciler_{[this](std::stop_token, const Request&) -> FakeReconciler::Answer {
    if (first_.exchange(false)) {
      held_.count_down();
      released_.wait();
    }
    return Result{};
  }};
};

TEST(ControllerPriorityTest, ReconcilesNewsBeforeTheInitialList) {
  FakeCache cache;
  const auto watch = cache.Serve({MakeObject("a"), MakeObject("b")});
  HeldReconciler held;
  Controller controller(*held, {.name = "secrets"});
  controller.Watch(cache.informer(), OwnKey);
  cache.Run();
  RunningRunnable running(controller);
  held.WaitUntilHeld();

  controller.Enqueue({.namespace_ = "ns", .name = "urgent"}, 10);
  watch->Add(MakeObject("news", "11"));
  watch->Add(MakeObject("last", "12"));
  while (controller.QueueLength() < 4) std::this_thread::yield();
  held.Release();

  ASSERT_TRUE((*held).WaitForKeys(5));
  const auto keys = (*held).keys();
  EXPECT_THAT((std::vector(keys.begin() + 1, keys.begin() + 4)),
              ElementsAre("ns/urgent", "ns/news", "ns/last"));
  EXPECT_THAT((std::vector{keys.front(), keys.back()}), UnorderedElementsAre("ns/a", "ns/b"));
}

TEST(ControllerPriorityTest, ReconcilesInOrderWithoutPriorities) {
  FakeCache cache;
  cache.Serve({MakeObject("a"), MakeObject("b")});
  HeldReconciler held;
  Controller controller(*held, {.name = "secrets", .use_priority_queue = false});
  controller.Watch(cache.informer(), OwnKey);
  cache.Run();
  RunningRunnable running(controller);
  held.WaitUntilHeld();

  controller.Enqueue({.namespace_ = "ns", .name = "news"}, 10);
  held.Release();

  ASSERT_TRUE((*held).WaitForKeys(3));
  EXPECT_EQ((*held).keys()[2], "ns/news");
}

TEST(ControllerPriorityTest, QueuesAKeyAgainWithItsPriorityOrThatOfTheResult) {
  testing::FakeClock clock;
  std::latch held(1);
  std::latch released(1);
  std::atomic<int> runs = 0;
  FakeReconciler reconciler([&](std::stop_token, const Request& request) -> FakeReconciler::Answer {
    if (request.name == "hold") {
      held.count_down();
      released.wait();
    }
    if (runs++ > 1) return Result{};
    Result result{.requeue_after = seconds(1)};
    if (request.name == "changed") result.priority = 1;
    return result;
  });
  Controller controller(reconciler, {.name = "c", .clock = &clock});
  RunningRunnable running(controller);
  controller.Enqueue({.namespace_ = "", .name = "kept"}, 5);
  ASSERT_TRUE(reconciler.WaitForKeys(1));
  controller.Enqueue({.namespace_ = "", .name = "changed"}, 5);
  ASSERT_TRUE(reconciler.WaitForKeys(2));
  controller.Enqueue({.namespace_ = "", .name = "hold"});
  held.wait();
  controller.Enqueue({.namespace_ = "", .name = "other"}, 3);
  clock.Step(seconds(1));
  EXPECT_EQ(controller.QueueLength(), 3U);

  released.count_down();

  ASSERT_TRUE(reconciler.WaitForKeys(6));
  EXPECT_THAT(reconciler.keys(),
              ElementsAre("kept", "changed", "hold", "kept", "other", "changed"));
}

// CountingLimiter delays every key by one second.
class CountingLimiter final : public workqueue::RateLimiter {
 public:
  Clock::Duration When(std::string_view) override {
    ++calls;
    return seconds(1);
  }
  void Forget(std::string_view) override {}
  int NumRequeues(std::string_view) const override { return calls; }
  std::atomic<int> calls = 0;
};

TEST(ControllerOptionsTest, UsesItsRateLimiter) {
  testing::FakeClock clock;
  const auto limiter = std::make_shared<CountingLimiter>();
  FakeReconciler reconciler([&](std::stop_token, const Request&) -> FakeReconciler::Answer {
    if (limiter->calls == 0) return Failure();
    return Result{};
  });
  Controller controller(reconciler, {.name = "c", .rate_limiter = limiter, .clock = &clock});
  RunningRunnable running(controller);
  controller.Enqueue({.namespace_ = "", .name = "a"});
  ASSERT_TRUE(reconciler.WaitForKeys(1));
  ASSERT_TRUE(clock.BlockUntilWaiters());

  clock.Step(milliseconds(999));
  EXPECT_EQ(controller.QueueLength(), 0U);
  clock.Step(milliseconds(1));

  EXPECT_TRUE(reconciler.WaitForKeys(2));
  EXPECT_EQ(limiter->calls, 1);
}

// A tenant has a slow webhook for the objects of its namespace.
TEST(ControllerOptionsTest, ReconcilesOtherNamespacesWhileOneIsHeld) {
  std::latch release{1};
  FakeReconciler reconciler([&](std::stop_token, const Request& request) -> FakeReconciler::Answer {
    if (request.namespace_ == "slow") release.wait();
    return Result{};
  });
  Controller controller(
      reconciler, {.name = "configmap", .max_concurrent_reconciles = 3, .fair_namespaces = true});
  for (int i = 0; i < 10; ++i) {
    controller.Enqueue({.namespace_ = "slow", .name = std::to_string(i)});
  }
  RunningRunnable running(controller);

  controller.Enqueue({.namespace_ = "a", .name = "x"});
  controller.Enqueue({.namespace_ = "b", .name = "x"});

  EXPECT_TRUE(reconciler.WaitForKeys(2));
  EXPECT_THAT(reconciler.keys(), UnorderedElementsAre("a/x", "b/x"));
  release.count_down();
}

TEST(ControllerOptionsTest, StopsAReconcileThatTakesTooLong) {
  testing::FakeClock clock;
  FakeControllerMetrics metrics;
  std::atomic<int> runs = 0;
  FakeReconciler reconciler([&](std::stop_token stop, const Request&) -> FakeReconciler::Answer {
    if (runs++ > 0) return Result{};
    WaitForStop(std::move(stop));
    return Failure(ErrorReason::kCanceled);
  });
  Controller controller(
      reconciler,
      {.name = "c", .reconciliation_timeout = seconds(30), .clock = &clock, .metrics = &metrics});
  RunningRunnable running(controller);
  controller.Enqueue({.namespace_ = "", .name = "slow"});
  while (runs == 0) std::this_thread::yield();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  clock.Step(seconds(29));
  EXPECT_EQ(metrics.Of("timeout"), 0);
  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(seconds(1));

  ASSERT_TRUE(metrics.WaitFor("timeout", 1));
  ASSERT_TRUE(metrics.WaitFor("worker idle", 1));
  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(milliseconds(5));  // the first delay of a failing key
  EXPECT_TRUE(metrics.WaitFor("result success", 1));
  EXPECT_EQ(metrics.Of("result error"), 1);
  EXPECT_EQ(metrics.Of("timeout"), 1);
}

TEST(ControllerOptionsTest, StopEndsAReconcileWithATimeout) {
  FakeControllerMetrics metrics;
  std::latch running_now(1);
  FakeReconciler reconciler([&](std::stop_token stop, const Request&) -> FakeReconciler::Answer {
    running_now.count_down();
    WaitForStop(std::move(stop));
    return Failure(ErrorReason::kCanceled);
  });
  Controller controller(
      reconciler,
      {.name = "c", .reconciliation_timeout = std::chrono::hours(1), .metrics = &metrics});
  RunningRunnable running(controller);
  controller.Enqueue({.namespace_ = "", .name = "slow"});
  running_now.wait();

  EXPECT_TRUE(running.Stop().has_value());

  EXPECT_EQ(metrics.Of("timeout"), 0);
}

TEST(ControllerOptionsDeathTest, EndsTheProcessAfterAPanicThatIsNotRecovered) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        FakeReconciler reconciler([](std::stop_token, const Request&) -> FakeReconciler::Answer {
          throw std::runtime_error("index out of range");
        });
        Controller controller(reconciler, {.name = "c", .recover_panic = false});
        controller.Enqueue({.namespace_ = "", .name = "a"});
        static_cast<void>(controller.Start({}));
      },
      "Observed a panic in reconciler.*index out of range");
}

// A Controller that is warmed up on one thread and runs on another.
class WarmupTest : public ::testing::Test {
 protected:
  WarmupTest() {
    controller_.Watch(cache_.informer(), OwnKey);
    cache_.Run();
  }
  ~WarmupTest() override {
    warmup_.request_stop();
    if (warmup_.joinable()) warmup_.join();
  }
  void WarmUp(std::size_t queued) {
    warmup_ = StartThread("warmup", [this](std::stop_token stop) {
      EXPECT_TRUE(controller_.Warmup(std::move(stop)).has_value());
    });
    while (controller_.QueueLength() < queued) std::this_thread::yield();
  }

  FakeCache cache_;
  std::shared_ptr<cache::FakeWatch> watch_ = cache_.Serve({MakeObject("a"), MakeObject("b")});
  FakeReconciler reconciler_;
  Controller controller_{reconciler_, {.name = "secrets", .enable_warmup = true}};
  std::jthread warmup_;
};

TEST_F(WarmupTest, FillsTheQueueBeforeTheStart) {
  WarmUp(2);
  watch_->Add(MakeObject("c", "11"));
  while (controller_.QueueLength() < 3) std::this_thread::yield();
  EXPECT_THAT(reconciler_.keys(), ElementsAre());

  RunningRunnable running(controller_);

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("ns/a", "ns/b", "ns/c"));
  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(WarmupTest, KeepsTheQueueWhileItDoesNotLead) {
  WarmUp(2);
  {
    RunningRunnable running(controller_);
    ASSERT_TRUE(reconciler_.WaitForKeys(2));
  }
  watch_->Modify(MakeObject("a", "12"));
  while (controller_.QueueLength() < 1) std::this_thread::yield();

  RunningRunnable running(controller_);

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_EQ(reconciler_.keys()[2], "ns/a") << "and not the whole cache again";
  EXPECT_TRUE(running.Stop().has_value());
  EXPECT_EQ(reconciler_.keys().size(), 3U);
}

TEST_F(WarmupTest, StartsWithoutAWarmup) {
  RunningRunnable running(controller_);

  EXPECT_TRUE(reconciler_.WaitForKeys(2));
  EXPECT_TRUE(running.Stop().has_value());
}

TEST(WarmupOptionTest, HasNoEffectWithoutElection) {
  FakeReconciler reconciler;
  const Controller controller(reconciler,
                              {.name = "c", .need_leader_election = false, .enable_warmup = true});

  EXPECT_FALSE(controller.EnableWarmup());
  EXPECT_FALSE(controller.NeedLeaderElection());
}

TEST(WatchPredicateTest, QueuesNothingForRejectedEventsOfListsAndWatches) {
  FakeCache cache;
  const auto watch = cache.Serve({MakeObject("a"), MakeObject("other")});
  FakeReconciler reconciler;
  Controller controller(reconciler, {.name = "secrets"});
  controller.Watch(cache.informer(), OwnKey, {.predicate = [](const cache::Change& change) {
                     const auto& object = change.new_object ? change.new_object : change.old_object;
                     return object->name() != "other";
                   }});
  cache.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(reconciler.WaitForKeys(1));

  watch->Modify(MakeObject("other", "11"));
  watch->Add(MakeObject("b", "12"));

  ASSERT_TRUE(reconciler.WaitForKeys(2));
  EXPECT_THAT(reconciler.keys(), ElementsAre("ns/a", "ns/b"));
}

TEST(WatchViewTest, ReconcilesObjectsOfAllNamespaces) {
  static const runtime::ResourceType type = cache::MakeType("Secret", "secrets");
  std::map<std::string, cache::FakeListerWatcher> servers;
  for (const char* name : {"one", "two"}) {
    servers[name].OnList(cache::Page(
        {runtime::MakeObject<runtime::Object>(runtime::ObjectIdentity{name, "a", name, "1"})},
        "10"));
  }
  cache::SharedInformerFactory factory(
      [&](const runtime::ResourceType&, const cache::Scope& scope) {
        return std::make_unique<cache::ForwardingListerWatcher>(servers[scope.namespace_]);
      },
      {.reflector = {.watch_list = false}, .namespaces = {"one", "two"}});
  FakeReconciler reconciler;
  Controller controller(reconciler, {.name = "secrets"});
  controller.Watch(factory.ViewOf(type), OwnKey);
  std::stop_source stop;
  factory.Start(stop.get_token());
  RunningRunnable running(controller);

  ASSERT_TRUE(reconciler.WaitForKeys(2));

  EXPECT_THAT(reconciler.keys(), UnorderedElementsAre("one/a", "two/a"));
  EXPECT_TRUE(running.Stop().has_value());
  stop.request_stop();
}

}  // namespace
}  // namespace capstan

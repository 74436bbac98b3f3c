// SPDX-License-Identifier: Apache-2.0
#include "capstan/shared_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "capstan/controller.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Two Controllers that watch one informer through one handler.
class SharedHandlerTest : public ::testing::Test {
 protected:
  SharedHandlerTest() {
    // An event reaches two_ first: once first_ has it, it is delivered.
    two_.Watch(shared_, OwnKey);
    one_.Watch(shared_, OwnKey);
    cache_.Run();
  }

  FakeCache cache_;
  std::shared_ptr<cache::FakeWatch> watch_ = cache_.Serve({MakeObject("a")});
  SharedHandler shared_{cache_.informer()};
  FakeReconciler first_;
  std::atomic<bool> hold_second_ = false;
  std::latch released_{1};
  FakeReconciler second_{[this](std::stop_token, const Request&) -> FakeReconciler::Answer {
    if (hold_second_) released_.wait();
    return Result{};
  }};
  FakeControllerMetrics metrics_;
  Controller one_{first_, {.name = "one"}};
  Controller two_{second_, {.name = "two", .metrics = &metrics_}};
};

TEST_F(SharedHandlerTest, DeliversEachEventToEveryController) {
  RunningRunnable running_one(one_);
  RunningRunnable running_two(two_);
  ASSERT_TRUE(first_.WaitForKeys(1));
  ASSERT_TRUE(second_.WaitForKeys(1));

  watch_->Add(MakeObject("b", "11"));

  ASSERT_TRUE(first_.WaitForKeys(2));
  ASSERT_TRUE(second_.WaitForKeys(2));
  EXPECT_THAT(first_.keys(), ElementsAre("ns/a", "ns/b"));
  EXPECT_THAT(second_.keys(), ElementsAre("ns/a", "ns/b"));
}

TEST_F(SharedHandlerTest, ServesTheOtherControllerAfterOneHasStopped) {
  RunningRunnable running_one(one_);
  RunningRunnable running_two(two_);
  ASSERT_TRUE(first_.WaitForKeys(1));
  ASSERT_TRUE(second_.WaitForKeys(1));

  EXPECT_TRUE(running_one.Stop().has_value());
  watch_->Add(MakeObject("b", "11"));

  ASSERT_TRUE(second_.WaitForKeys(2));
  EXPECT_THAT(first_.keys(), ElementsAre("ns/a"));
}

TEST_F(SharedHandlerTest, DeliversAllObjectsAgainAfterAllHaveStopped) {
  {
    RunningRunnable running_one(one_);
    ASSERT_TRUE(first_.WaitForKeys(1));
  }

  RunningRunnable running_one(one_);

  EXPECT_TRUE(first_.WaitForKeys(2));
  EXPECT_THAT(first_.keys(), ElementsAre("ns/a", "ns/a"));
}

// The other Controller holds the handler, so the informer does not deliver its objects again.
TEST_F(SharedHandlerTest, DeliversAllObjectsAtEachStartWhileAnotherControllerRuns) {
  RunningRunnable running_one(one_);
  ASSERT_TRUE(first_.WaitForKeys(1));
  {
    RunningRunnable running_two(two_);
    ASSERT_TRUE(second_.WaitForKeys(1));
  }
  watch_->Add(MakeObject("b", "11"));
  ASSERT_TRUE(first_.WaitForKeys(2));
  {
    RunningRunnable running_two(two_);
    EXPECT_TRUE(second_.WaitForKeys(3)) << "in term 2";
  }
  {
    RunningRunnable running_two(two_);
    EXPECT_TRUE(second_.WaitForKeys(5)) << "in term 3";
  }

  EXPECT_THAT(second_.keys(), UnorderedElementsAre("ns/a", "ns/a", "ns/a", "ns/b", "ns/b"));
  EXPECT_THAT(first_.keys(), ElementsAre("ns/a", "ns/b")) << "it did not start again";
}

TEST_F(SharedHandlerTest, DeliversChangesAfterTheObjectsOfALaterStart) {
  RunningRunnable running_one(one_);
  ASSERT_TRUE(first_.WaitForKeys(1));
  RunningRunnable running_two(two_);
  ASSERT_TRUE(second_.WaitForKeys(1));

  watch_->Add(MakeObject("b", "11"));
  watch_->Delete(MakeObject("a", "12"));

  ASSERT_TRUE(second_.WaitForKeys(3));
  EXPECT_THAT(second_.keys(), ElementsAre("ns/a", "ns/b", "ns/a"));
}

TEST_F(SharedHandlerTest, FirstPassOfALaterStartIsDoneAfterAllObjects) {
  RunningRunnable running_one(one_);
  {
    RunningRunnable running_two(two_);
    ASSERT_TRUE(second_.WaitForKeys(1));
  }
  hold_second_ = true;

  RunningRunnable running_two(two_);

  EXPECT_TRUE(metrics_.WaitFor("worker busy", 2));
  EXPECT_FALSE(two_.FirstPassDone());
  released_.count_down();
  EXPECT_TRUE(metrics_.WaitFor("worker idle", 2));
  EXPECT_TRUE(two_.FirstPassDone());
}

TEST(SharedHandlerPredicateTest, QueuesOnlyAcceptedChanges) {
  FakeCache cache;
  const auto watch = cache.Serve({MakeObject("first")});
  SharedHandler shared(cache.informer(), [](const cache::Change& change) {
    return change.new_object != nullptr && change.new_object->key() != "ns/other";
  });
  FakeReconciler reconciler;
  Controller controller(reconciler, {.name = "one"});
  controller.Watch(shared, OwnKey);
  cache.Run();
  RunningRunnable running(controller);
  ASSERT_TRUE(reconciler.WaitForKeys(1));

  watch->Add(MakeObject("other", "11"));
  watch->Add(MakeObject("a", "12"));

  ASSERT_TRUE(reconciler.WaitForKeys(2));
  EXPECT_THAT(reconciler.keys(), ElementsAre("ns/first", "ns/a"));
}

}  // namespace
}  // namespace capstan

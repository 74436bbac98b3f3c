// SPDX-License-Identifier: Apache-2.0
// Delayed keys: AddAfter, AddRateLimited, and workers that sleep until the earliest of them.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"
#include "clientgo/workqueue/queue_testing.h"

namespace clientgo::workqueue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using QueueDelayTest = QueueFixture;

// Workers that take keys and never finish them: each key needs a worker of its own.
class StuckWorkers {
 public:
  StuckWorkers(RateLimitingQueue& queue, int count) : queue_(queue) {
    for (int i = 0; i < count; ++i) {
      threads_.push_back(util::StartThread("worker", [this](const std::stop_token&) {
        const auto item = queue_.Get();
        if (!item) return;
        util::MutexLock lock(mu_);
        taken_.push_back(*item);
        changed_.NotifyAll();
      }));
    }
  }
  ~StuckWorkers() { queue_.ShutDown(); }

  // Blocks until `count` keys were taken, in real time at most 10 s.
  std::vector<std::string> Taken(std::size_t count) {
    util::MutexLock lock(mu_);
    changed_.WaitUntil(mu_, std::stop_token(),
                       std::chrono::steady_clock::now() + std::chrono::seconds(10),
                       [&]() REQUIRES(mu_) { return taken_.size() >= count; });
    return taken_;
  }

 private:
  RateLimitingQueue& queue_;
  util::Mutex mu_;
  util::CondVar changed_;
  std::vector<std::string> taken_ GUARDED_BY(mu_);
  std::vector<std::jthread> threads_;
};

TEST_F(QueueDelayTest, AKeyComesWhenItsDelayIsOverAndNotBefore) {
  queue.AddAfter("a", seconds(10));
  clock.Step(seconds(10) - std::chrono::nanoseconds(1));
  EXPECT_EQ(queue.Len(), 0U);

  clock.Step(std::chrono::nanoseconds(1));
  EXPECT_EQ(queue.Len(), 1U);
  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueueDelayTest, NoDelayAddsAtOnce) {
  queue.AddAfter("a", seconds(0));
  queue.AddAfter("b", seconds(-1));

  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), "b");
}

TEST_F(QueueDelayTest, ADuplicateKeepsTheEarlierTime) {
  queue.AddAfter("later-first", seconds(10));
  queue.AddAfter("later-first", seconds(2));
  queue.AddAfter("earlier-first", seconds(3));
  queue.AddAfter("earlier-first", seconds(10));

  clock.Step(seconds(2));
  EXPECT_EQ(queue.Get(), "later-first");
  clock.Step(seconds(1));
  EXPECT_EQ(queue.Get(), "earlier-first");
  queue.Done("later-first");
  queue.Done("earlier-first");
  clock.Step(seconds(100));
  EXPECT_EQ(queue.Len(), 0U);
}

TEST_F(QueueDelayTest, DelayedKeysComeInTheOrderOfTheirTimes) {
  queue.AddAfter("third", seconds(3));
  queue.AddAfter("first", seconds(1));
  queue.AddAfter("second", seconds(2));
  queue.AddAfter("second-too", seconds(2));

  clock.Step(seconds(5));
  queue.Add("last");

  for (const char* item : {"first", "second", "second-too", "third", "last"}) {
    EXPECT_EQ(queue.Get(), item);
  }
}

TEST_F(QueueDelayTest, AKeyWhoseDelayEndsWhileItIsWorkedOnComesBackAfterDone) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");

  queue.AddAfter("a", seconds(1));
  clock.Step(seconds(1));
  EXPECT_EQ(queue.Len(), 0U);
  queue.Done("a");

  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueueDelayTest, AFailingKeyWaitsFiveMillisecondsToAThousandSecondsUntilForgotten) {
  RateLimitingQueue per_item(
      {.clock = clock, .rate_limiter = NewItemExponentialFailureRateLimiter()});
  per_item.Add("a");
  auto delay = util::Clock::Duration(milliseconds(5));
  for (int failure = 0; failure < 20; ++failure) {
    ASSERT_EQ(per_item.Get(), "a");
    per_item.AddRateLimited("a");
    per_item.Done("a");
    EXPECT_EQ(per_item.NumRequeues("a"), failure + 1);

    clock.Step(delay - std::chrono::nanoseconds(1));
    EXPECT_EQ(per_item.Len(), 0U) << "failure " << failure;
    clock.Step(std::chrono::nanoseconds(1));
    delay = std::min<util::Clock::Duration>(2 * delay, seconds(1000));
  }
  EXPECT_EQ(delay, seconds(1000));

  ASSERT_EQ(per_item.Get(), "a");
  per_item.Forget("a");
  per_item.Done("a");
  EXPECT_EQ(per_item.NumRequeues("a"), 0);
  per_item.AddRateLimited("a");
  clock.Step(milliseconds(5));
  EXPECT_EQ(per_item.Len(), 1U);
}

TEST_F(QueueDelayTest, AWaitingWorkerWakesForADelayedKey) {
  queue.AddAfter("a", seconds(10));
  StuckWorkers workers(queue, 1);
  ASSERT_TRUE(clock.BlockUntilWaiters(1));

  clock.Step(seconds(10));

  EXPECT_THAT(workers.Taken(1), ElementsAre("a"));
}

TEST_F(QueueDelayTest, AWaitingWorkerWakesEarlierForAKeyWithAShorterDelay) {
  queue.AddAfter("late", seconds(1000));
  StuckWorkers workers(queue, 1);
  ASSERT_TRUE(clock.BlockUntilWaiters(1));

  queue.AddAfter("early", seconds(10));
  clock.Step(seconds(10));

  EXPECT_THAT(workers.Taken(1), ElementsAre("early"));
}

// Both workers sleep without a deadline; the first delayed key must wake both, or the second key,
// which is not the earliest and so wakes nobody, would wait for a worker that is stuck.
TEST_F(QueueDelayTest, NoDelayedKeyIsSleptThroughWhileAnotherWorkerIsFree) {
  StuckWorkers workers(queue, 3);
  queue.AddAfter("a", seconds(10));
  queue.AddAfter("b", seconds(11));
  queue.AddAfter("c", seconds(12));
  ASSERT_TRUE(clock.BlockUntilWaiters(3));

  clock.Step(seconds(10));
  EXPECT_THAT(workers.Taken(1), ElementsAre("a"));
  ASSERT_TRUE(clock.BlockUntilWaiters(2));
  clock.Step(seconds(1));
  EXPECT_THAT(workers.Taken(2), ElementsAre("a", "b"));
  ASSERT_TRUE(clock.BlockUntilWaiters(1));
  clock.Step(seconds(1));
  EXPECT_THAT(workers.Taken(3), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace clientgo::workqueue

// SPDX-License-Identifier: Apache-2.0
// Priorities of a RateLimitingQueue.
#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/thread.h"
#include "capstan/workqueue/queue.h"
#include "clientgo/workqueue/testing/queue_fixture.h"

namespace capstan::workqueue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class QueuePriorityTest : public QueueFixture {
 protected:
  void Add(std::string item, int priority) {
    queue.AddWithOpts(std::move(item), {.priority = priority});
  }
  // Takes every key that is queued, and finishes it.
  static std::vector<std::string> Drain(RateLimitingQueue& from) {
    std::vector<std::string> items;
    while (from.Len() > 0) {
      items.push_back(from.Get().value());
      from.Done(items.back());
    }
    return items;
  }
  std::vector<std::string> Drain() { return Drain(queue); }
};

TEST_F(QueuePriorityTest, DropsDelayedKeysThatAreGone) {
  queue.AddAfter("east/a", seconds(5));
  queue.AddRateLimited("east/b");
  queue.AddAfter("west/a", seconds(5));
  queue.Add("east/c");

  queue.DropDelayed([](std::string_view item) { return item.starts_with("east/"); });

  EXPECT_EQ(queue.NumRequeues("east/b"), 0);
  clock.Step(seconds(10));
  EXPECT_THAT(Drain(), ElementsAre("east/c", "west/a"));
}

TEST_F(QueuePriorityTest, ReturnsHigherPriorityFirstAndEqualOnesInOrder) {
  Add("old-1", kLowPriority);
  Add("old-2", kLowPriority);
  queue.Add("news-1");
  Add("urgent", 50);
  queue.Add("news-2");
  Add("old-3", kLowPriority);

  EXPECT_THAT(Drain(), ElementsAre("urgent", "news-1", "news-2", "old-1", "old-2", "old-3"));
}

TEST_F(QueuePriorityTest, ReturnsPriorityOfKey) {
  Add("a", kLowPriority);
  Add("b", 7);

  const auto first = queue.GetWithPriority();
  const auto second = queue.GetWithPriority();

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->item, "b");
  EXPECT_EQ(first->priority, 7);
  EXPECT_EQ(second->item, "a");
  EXPECT_EQ(second->priority, kLowPriority);
}

TEST_F(QueuePriorityTest, MovesQueuedKeyToTheEndOfHigherPriority) {
  for (const char* item : {"a", "b", "c"}) Add(item, kLowPriority);
  queue.Add("news");

  queue.Add("b");

  EXPECT_EQ(queue.Len(), 4U);
  EXPECT_THAT(Drain(), ElementsAre("news", "b", "a", "c"));
}

TEST_F(QueuePriorityTest, KeepsHigherPriorityOfQueuedKey) {
  queue.Add("a");
  queue.Add("b");

  Add("a", kLowPriority);

  EXPECT_THAT(Drain(), ElementsAre("a", "b"));
}

TEST_F(QueuePriorityTest, QueuesKeyAddedDuringProcessingWithItsNewPriority) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");
  Add("a", kLowPriority);
  Add("a", 5);
  Add("a", kLowPriority);
  Add("b", 1);

  queue.Done("a");

  const auto next = queue.GetWithPriority();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->item, "a");
  EXPECT_EQ(next->priority, 5);
}

TEST_F(QueuePriorityTest, DelayedKeyKeepsEarlierTimeAndHigherPriority) {
  queue.AddWithOpts("a", {.after = seconds(1), .priority = kLowPriority});
  queue.AddWithOpts("a", {.after = seconds(9), .priority = 3});
  queue.AddWithOpts("b", {.after = seconds(1), .priority = 2});

  clock.Step(seconds(1));

  EXPECT_THAT(Drain(), ElementsAre("a", "b"));
  clock.Step(seconds(100));
  EXPECT_EQ(queue.Len(), 0U);
}

TEST_F(QueuePriorityTest, RateLimitedKeyWaitsForTheShorterDelay) {
  queue.AddWithOpts("limited", {.after = seconds(1), .rate_limited = true});  // 5 ms
  queue.AddWithOpts("after", {.after = milliseconds(2), .rate_limited = true});

  clock.Step(milliseconds(2));
  EXPECT_THAT(Drain(), ElementsAre("after"));
  clock.Step(milliseconds(3));
  EXPECT_THAT(Drain(), ElementsAre("limited"));
  EXPECT_EQ(queue.NumRequeues("after"), 1);
}

TEST_F(QueuePriorityTest, WithManyPrioritiesReturnsEveryKeyInOrder) {
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    Add(std::to_string(i), i);
    expected.insert(expected.begin(), std::to_string(i));
  }

  EXPECT_EQ(Drain(), expected);
  Add("again", 3);
  EXPECT_THAT(Drain(), ElementsAre("again"));
}

TEST_F(QueuePriorityTest, IgnoresPrioritiesWhenTheyAreOff) {
  RateLimitingQueue fifo({.clock = clock, .use_priority_queue = false});

  fifo.AddWithOpts("a", {.priority = kLowPriority});
  fifo.AddWithOpts("b", {.priority = 9});
  fifo.AddWithOpts("a", {.priority = 10});

  EXPECT_EQ(fifo.GetWithPriority()->priority, 0);
  EXPECT_THAT(Drain(fifo), ElementsAre("b"));
}

TEST_F(QueuePriorityTest, StoppedGetLeavesKeysToTheNextCall) {
  std::stop_source stop;
  stop.request_stop();
  queue.Add("a");

  EXPECT_FALSE(queue.GetWithPriority(stop.get_token()).has_value());

  EXPECT_EQ(queue.Len(), 1U);
  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueuePriorityTest, StopEndsWaitingGet) {
  std::optional<PrioritizedItem> got = PrioritizedItem{};
  {
    const std::jthread worker = StartThread(
        "worker", [&](std::stop_token stop) { got = queue.GetWithPriority(std::move(stop)); });
    ASSERT_TRUE(clock.BlockUntilAnyWaiters(1));
  }  // stops and joins

  EXPECT_FALSE(got.has_value());
}

using Depths = std::map<std::optional<int>, std::size_t>;

class DepthMetrics final : public QueueMetrics {
 public:
  explicit DepthMetrics(Depths& depths) : depths_(depths) {}
  void SetDepth(std::optional<int> priority, std::size_t depth) override {
    depths_[priority] = depth;
  }
  void OnAdd() override {}
  void OnRetry() override {}
  void ObserveQueueDuration(std::chrono::nanoseconds) override {}
  void ObserveWorkDuration(std::chrono::nanoseconds) override {}
  void SetUnfinished(std::chrono::nanoseconds, std::chrono::nanoseconds) override {}
  void SetRefresh(std::function<void()>) override {}

 private:
  Depths& depths_;
};

struct DepthProvider final : MetricsProvider {
  std::unique_ptr<QueueMetrics> NewQueueMetrics(std::string_view) override {
    return std::make_unique<DepthMetrics>(depths);
  }
  Depths depths;
};

TEST(QueuePriorityMetricsTest, ReportsDepthOfEachPriority) {
  DepthProvider provider;
  RateLimitingQueue queue({.name = "q", .metrics = &provider});
  EXPECT_THAT(provider.depths, ElementsAre(std::pair(0, 0U)));

  queue.AddWithOpts("a", {.priority = kLowPriority});
  queue.AddWithOpts("b", {.priority = kLowPriority});
  queue.Add("b");
  EXPECT_THAT(provider.depths, UnorderedElementsAre(std::pair(kLowPriority, 1U), std::pair(0, 1U)));

  ASSERT_EQ(queue.Get(), "b");
  queue.AddWithOpts("b", {.priority = kLowPriority});
  EXPECT_THAT(provider.depths, UnorderedElementsAre(std::pair(kLowPriority, 2U), std::pair(0, 0U)));
}

TEST(QueuePriorityMetricsTest, ReportsNoPriorityWhenTheyAreOff) {
  DepthProvider provider;
  RateLimitingQueue queue({.name = "q", .metrics = &provider, .use_priority_queue = false});

  queue.AddWithOpts("a", {.priority = kLowPriority});

  EXPECT_THAT(provider.depths, ElementsAre(std::pair(std::nullopt, 1U)));
}

}  // namespace
}  // namespace capstan::workqueue

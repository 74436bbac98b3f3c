// SPDX-License-Identifier: Apache-2.0
// Flows of a RateLimitingQueue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/thread.h"
#include "capstan/workqueue/queue.h"

namespace capstan::workqueue {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string_view NamespaceOf(std::string_view item) { return item.substr(0, item.find('/')); }

class QueueFlowsTest : public ::testing::Test {
 protected:
  // Get then waits with a deadline, which the clock shows.
  QueueFlowsTest() { queue_.AddAfter("later/1", std::chrono::hours(1)); }
  void Add(std::string_view flow, int count, int priority = 0) {
    for (int i = 1; i <= count; ++i) {
      queue_.AddWithOpts(std::string(flow) + "/" + std::to_string(i), {.priority = priority});
    }
  }
  // Takes every key that a worker may have now.
  std::vector<std::string> TakeAll() {
    std::vector<std::string> taken;
    while (auto next = TryGet()) taken.push_back(*std::move(next));
    return taken;
  }
  // Returns nullopt when Get would wait.
  std::optional<std::string> TryGet() {
    std::stop_source stop;
    std::optional<PrioritizedItem> next;
    {
      const auto worker = StartThread("worker", [&](const std::stop_token&) {
        next = queue_.GetWithPriority(stop.get_token());
        MutexLock lock(mu_);
        returned_ = true;
      });
      while (!Returned() && !clock_.HasWaiters()) std::this_thread::yield();
      stop.request_stop();
    }
    {
      MutexLock lock(mu_);
      returned_ = false;
    }
    if (!next) return std::nullopt;
    return next->item;
  }
  bool Returned() {
    MutexLock lock(mu_);
    return returned_;
  }
  void Finish(const std::vector<std::string>& items) {
    for (const std::string& item : items) queue_.Done(item);
  }
  // Lets the flow have a key that took this long.
  void Work(const std::string& flow, seconds took) {
    queue_.Add(flow + "/first");
    const auto taken = TakeAll();
    clock_.Step(took);
    Finish(taken);
  }

  testing::FakeClock clock_;
  static constexpr int kBackground = -1;
  RateLimitingQueue queue_{{.clock = clock_,
                            .flow_of = NamespaceOf,
                            .workers = 6,
                            .share_from_priority = kBackground + 1}};
  Mutex mu_;
  bool returned_ CAPSTAN_GUARDED_BY(mu_) = false;
};

TEST_F(QueueFlowsTest, FlowsTakeTurns) {
  Add("a", 2);
  Add("b", 2);

  std::vector<std::string> order;
  while (queue_.Len() > 0) {
    order.push_back(queue_.Get().value());
    queue_.Done(order.back());
  }

  EXPECT_THAT(order, ElementsAre("a/1", "b/1", "a/2", "b/2"));
}

TEST_F(QueueFlowsTest, HigherPriorityGoesBeforeTheTurnOfAFlow) {
  Add("a", 1);
  Add("b", 1, /*priority=*/1);

  EXPECT_EQ(queue_.Get(), "b/1");
}

TEST_F(QueueFlowsTest, NewFlowHasOneWorkerAndAQuickOneAShare) {
  Add("new", 6);
  EXPECT_THAT(TakeAll(), ElementsAre("new/1"));
  Work("quick", seconds(0));

  Add("quick", 6);

  EXPECT_THAT(TakeAll(), ElementsAre("quick/1", "quick/2"));
}

TEST_F(QueueFlowsTest, KeysThatNobodyWaitsForHaveOneWorkerOfTheShare) {
  Work("a", seconds(0));
  Work("b", seconds(0));
  Add("a", 6, kBackground);
  Add("b", 6, kBackground);
  EXPECT_THAT(TakeAll(), ElementsAre("a/1", "b/1"));

  Add("a/urgent", 6);

  EXPECT_THAT(TakeAll(), ElementsAre("a/urgent/1")) << "the rest of the share";
}

TEST_F(QueueFlowsTest, FlowThatBecomesSlowLeavesWorkersToOthers) {
  Work("slow", seconds(0));
  Add("slow", 100);
  EXPECT_THAT(TakeAll(), SizeIs(2));

  Add("other", 1);

  EXPECT_THAT(TakeAll(), ElementsAre("other/1"));
}

TEST_F(QueueFlowsTest, FlowsThatStaySlowShareAShare) {
  for (const char* flow : {"s1", "s2", "s3", "s4"}) Work(flow, seconds(8));
  for (const char* flow : {"s1", "s2", "s3", "s4"}) Add(flow, 10);

  auto slow = TakeAll();
  EXPECT_THAT(slow, ElementsAre("s1/1", "s2/1"));
  Add("other", 1);
  EXPECT_THAT(TakeAll(), ElementsAre("other/1"));

  clock_.Step(seconds(8));
  Finish(slow);
  EXPECT_THAT(TakeAll(), ElementsAre("s3/1", "s4/1")) << "they take turns";
}

TEST_F(QueueFlowsTest, SlowFlowIsQuickAgainAfterAQuickKey) {
  Work("a", seconds(8));
  Work("a", seconds(1));
  Add("a", 6);

  EXPECT_THAT(TakeAll(), SizeIs(2));
}

TEST_F(QueueFlowsTest, WaitingWorkerGetsKeyOfFlowWhoseWorkIsDone) {
  Add("a", 2);
  ASSERT_EQ(queue_.Get(), "a/1");
  std::optional<std::string> next;
  {
    const auto worker = StartThread("worker", [&](const std::stop_token&) { next = queue_.Get(); });
    while (!clock_.HasWaiters()) std::this_thread::yield();
    queue_.Done("a/1");
  }

  EXPECT_EQ(next, "a/2");
}

TEST_F(QueueFlowsTest, ShutDownReturnsTheRestAndEndsEveryGet) {
  Add("a", 2);
  ASSERT_EQ(queue_.Get(), "a/1");
  queue_.ShutDown();
  std::vector<std::string> rest;
  {
    std::vector<std::jthread> workers(3);
    for (std::jthread& worker : workers) {
      worker = StartThread("worker", [&](const std::stop_token&) {
        while (const auto next = queue_.Get()) {
          {
            MutexLock lock(mu_);
            rest.push_back(*next);
          }
          queue_.Done(*next);
        }
      });
    }
    queue_.Done("a/1");
  }

  EXPECT_THAT(rest, ElementsAre("a/2"));
}

TEST_F(QueueFlowsTest, KeyAddedDuringItsWorkWaitsForTheTurnOfItsFlow) {
  Add("a", 1);
  ASSERT_EQ(queue_.Get(), "a/1");
  Add("a", 1);
  EXPECT_THAT(TakeAll(), IsEmpty());

  queue_.Done("a/1");

  EXPECT_THAT(TakeAll(), ElementsAre("a/1"));
}

TEST_F(QueueFlowsTest, ForgetsFlowsThatWereIdleForLongest) {
  Work("slow", seconds(8));
  for (int i = 0; i < 1000; ++i) {
    const std::string item = "n" + std::to_string(i) + "/x";
    queue_.Add(item);
    ASSERT_EQ(queue_.Get(), item);
    queue_.Done(item);
  }

  Add("slow", 2);

  EXPECT_THAT(TakeAll(), ElementsAre("slow/1"));
}

}  // namespace
}  // namespace capstan::workqueue

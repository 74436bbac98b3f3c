// SPDX-License-Identifier: Apache-2.0
#include "clientgo/workqueue/queue.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/util/thread.h"
#include "clientgo/workqueue/queue_testing.h"

namespace clientgo::workqueue {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using QueueTest = QueueFixture;

TEST_F(QueueTest, AThousandAddsDuringProcessingMakeExactlyOneMoreRun) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");

  for (int i = 0; i < 1000; ++i) queue.Add("a");
  EXPECT_EQ(queue.Len(), 0U);
  queue.Done("a");

  EXPECT_EQ(queue.Len(), 1U);
  ASSERT_EQ(queue.Get(), "a");
  queue.Done("a");
  EXPECT_EQ(queue.Len(), 0U);
}

TEST_F(QueueTest, HandsOutEachKeyOnceInTheOrderOfTheirFirstAdd) {
  for (const char* item : {"b", "a", "b", "c", "a"}) queue.Add(item);

  EXPECT_EQ(queue.Len(), 3U);
  EXPECT_EQ(queue.Get(), "b");
  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), "c");
}

TEST_F(QueueTest, DoneForAKeyThatNobodyHoldsChangesNothing) {
  queue.Add("a");

  queue.Done("a");
  queue.Done("never-seen");

  EXPECT_EQ(queue.Len(), 1U);
  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueueTest, ManyWorkersNeverHoldTheSameKeyAndMissNoAdd) {
  constexpr int kKeys = 5;
  constexpr int kRounds = 4000;
  RateLimitingQueue real_time({});
  // What a key stands for: adders raise `wanted` before Add, a worker copies it to `done`.
  std::array<std::atomic<int>, kKeys> wanted{};
  std::array<std::atomic<int>, kKeys> done{};
  std::array<std::atomic<int>, kKeys> holders{};
  std::atomic<bool> shared_key = false;
  std::atomic<int> runs = 0;

  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(util::StartThread("worker", [&](const std::stop_token&) {
      while (auto item = real_time.Get()) {
        const auto key = static_cast<std::size_t>(std::stoi(*item));
        if (holders[key].fetch_add(1) != 0) shared_key = true;
        done[key] = wanted[key].load();
        ++runs;
        holders[key].fetch_sub(1);
        real_time.Done(*item);
      }
    }));
  }
  std::vector<std::jthread> adders;
  for (int i = 0; i < 2; ++i) {
    adders.push_back(util::StartThread("adder", [&](const std::stop_token&) {
      for (int round = 0; round < kRounds; ++round) {
        const auto key = static_cast<std::size_t>(round % kKeys);
        ++wanted[key];
        if (round % 3 == 0) {
          real_time.AddAfter(std::to_string(key), std::chrono::microseconds(round % 50));
        } else {
          real_time.Add(std::to_string(key));
        }
      }
    }));
  }
  adders.clear();  // joins
  for (int key = 0; key < kKeys; ++key) real_time.Add(std::to_string(key));
  real_time.ShutDown();
  workers.clear();

  EXPECT_FALSE(shared_key);
  for (std::size_t key = 0; key < kKeys; ++key) EXPECT_EQ(done[key], wanted[key]);
  EXPECT_GE(runs, kKeys);
}

// Remembers the last value of each gauge, the count of each counter, and every observation.
struct RecordedMetrics {
  std::string name;
  std::size_t depth = 0;
  int adds = 0;
  int retries = 0;
  std::vector<nanoseconds> queue_durations = {};
  std::vector<nanoseconds> work_durations = {};
  nanoseconds unfinished{0};
  nanoseconds longest{0};
  std::function<void()> refresh = {};
};

class RecordingQueueMetrics final : public QueueMetrics {
 public:
  explicit RecordingQueueMetrics(RecordedMetrics& to) : to_(to) {}
  ~RecordingQueueMetrics() override { to_.refresh = nullptr; }
  void SetDepth(std::size_t depth) override { to_.depth = depth; }
  void OnAdd() override { ++to_.adds; }
  void OnRetry() override { ++to_.retries; }
  void ObserveQueueDuration(nanoseconds waited) override { to_.queue_durations.push_back(waited); }
  void ObserveWorkDuration(nanoseconds worked) override { to_.work_durations.push_back(worked); }
  void SetUnfinished(nanoseconds sum, nanoseconds longest) override {
    to_.unfinished = sum;
    to_.longest = longest;
  }
  void SetRefresh(std::function<void()> refresh) override { to_.refresh = std::move(refresh); }

 private:
  RecordedMetrics& to_;
};

class RecordingProvider final : public MetricsProvider {
 public:
  std::unique_ptr<QueueMetrics> NewQueueMetrics(std::string_view queue_name) override {
    metrics.name = queue_name;
    return std::make_unique<RecordingQueueMetrics>(metrics);
  }
  RecordedMetrics metrics;
};

struct QueueMetricsTest : ::testing::Test {
  testing::FakeClock clock;
  RecordingProvider provider;
  RecordedMetrics& metrics = provider.metrics;
  RateLimitingQueue queue{{.name = "q", .clock = clock, .metrics = &provider}};
};

TEST_F(QueueMetricsTest, DepthCountsKeysThatWaitAlsoThoseThatWaitForDone) {
  queue.Add("a");
  queue.Add("a");
  queue.Add("b");
  EXPECT_EQ(metrics.name, "q");
  EXPECT_EQ(metrics.depth, 2U);
  EXPECT_EQ(metrics.adds, 2);

  ASSERT_EQ(queue.Get(), "a");
  EXPECT_EQ(metrics.depth, 1U);
  queue.Add("a");
  EXPECT_EQ(metrics.depth, 2U);
  EXPECT_EQ(metrics.adds, 3);
  queue.Done("a");
  EXPECT_EQ(metrics.depth, 2U);
}

TEST_F(QueueMetricsTest, DurationsRunFromTheFirstAddAndFromGet) {
  queue.Add("a");
  clock.Step(seconds(1));
  queue.Add("a");
  clock.Step(seconds(1));
  ASSERT_EQ(queue.Get(), "a");
  clock.Step(seconds(3));
  queue.Done("a");

  EXPECT_EQ(metrics.queue_durations, std::vector<nanoseconds>{seconds(2)});
  EXPECT_EQ(metrics.work_durations, std::vector<nanoseconds>{seconds(3)});
}

TEST_F(QueueMetricsTest, UnfinishedWorkIsTrueWhenAScrapeAsksForIt) {
  queue.Add("a");
  queue.Add("b");
  ASSERT_EQ(queue.Get(), "a");
  clock.Step(seconds(4));
  ASSERT_EQ(queue.Get(), "b");
  clock.Step(seconds(1));

  metrics.refresh();
  EXPECT_EQ(metrics.unfinished, seconds(6));
  EXPECT_EQ(metrics.longest, seconds(5));

  queue.Done("a");
  queue.Done("b");
  metrics.refresh();
  EXPECT_EQ(metrics.unfinished, seconds(0));
  EXPECT_EQ(metrics.longest, seconds(0));
}

TEST_F(QueueMetricsTest, AKeyWhoseDelayIsOverCountsThoughNoWorkerIsFree) {
  queue.AddAfter("a", seconds(2));

  clock.Step(seconds(5));
  metrics.refresh();
  EXPECT_EQ(metrics.depth, 1U);

  ASSERT_EQ(queue.Get(), "a");
  EXPECT_EQ(metrics.queue_durations, std::vector<nanoseconds>{seconds(3)});
}

TEST_F(QueueMetricsTest, EveryDelayedAddIsARetryEvenWithoutDelay) {
  queue.AddAfter("a", seconds(0));
  queue.AddAfter("b", seconds(1));
  queue.AddRateLimited("c");
  queue.Add("d");

  EXPECT_EQ(metrics.retries, 3);
}

TEST_F(QueueMetricsTest, AQueueWithoutNameReportsNothing) {
  RateLimitingQueue unnamed({.clock = clock, .metrics = &provider});

  unnamed.Add("a");

  EXPECT_EQ(metrics.adds, 0);
}

TEST_F(QueueMetricsTest, NobodyCanRefreshAQueueThatIsGone) {
  RecordingProvider of_another;

  { RateLimitingQueue another({.name = "q", .clock = clock, .metrics = &of_another}); }

  EXPECT_FALSE(of_another.metrics.refresh);
}

}  // namespace
}  // namespace clientgo::workqueue

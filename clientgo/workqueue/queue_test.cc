// SPDX-License-Identifier: Apache-2.0
#include "capstan/workqueue/queue.h"

#include <gmock/gmock.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/thread.h"
#include "clientgo/workqueue/testing/queue_fixture.h"

namespace capstan::workqueue {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using QueueTest = QueueFixture;

TEST_F(QueueTest, ProcessesKeyOnceMoreAfterThousandAddsDuringProcessing) {
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

TEST_F(QueueTest, ReturnsEachKeyOnceInOrderOfFirstAdd) {
  for (const char* item : {"b", "a", "b", "c", "a"}) queue.Add(item);

  EXPECT_EQ(queue.Len(), 3U);
  EXPECT_EQ(queue.Get(), "b");
  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), "c");
}

TEST_F(QueueTest, DoneChangesNothingForKeyThatIsNotProcessed) {
  queue.Add("a");

  queue.Done("a");
  queue.Done("never-seen");

  EXPECT_EQ(queue.Len(), 1U);
  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueueTest, ManyWorkersNeverShareAKeyAndMissNoAdd) {
  constexpr int kKeys = 5;
  constexpr int kRounds = 4000;
  RateLimitingQueue real_time({});
  // The adders increment `wanted` before Add, and a worker copies it to `done`.
  std::array<std::atomic<int>, kKeys> wanted{};
  std::array<std::atomic<int>, kKeys> done{};
  std::array<std::atomic<int>, kKeys> holders{};
  std::atomic<bool> shared_key = false;
  std::atomic<int> runs = 0;

  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(StartThread("worker", [&](const std::stop_token&) {
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
    adders.push_back(StartThread("adder", [&](const std::stop_token&) {
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

// RecordedMetrics has the last value of each gauge, the count of each counter, and every
// observation.
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
  void SetDepth(std::optional<int> priority, std::size_t depth) override {
    EXPECT_EQ(priority, 0);
    to_.depth = depth;
  }
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

TEST_F(QueueMetricsTest, DepthCountsWaitingKeysIncludingThoseThatWaitForDone) {
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

TEST_F(QueueMetricsTest, MeasuresDurationsFromFirstAddAndFromGet) {
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

TEST_F(QueueMetricsTest, UpdatesUnfinishedWorkOnRefresh) {
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

TEST_F(QueueMetricsTest, DepthCountsKeyWhoseDelayIsOverWithoutFreeWorker) {
  queue.AddAfter("a", seconds(2));

  clock.Step(seconds(5));
  metrics.refresh();
  EXPECT_EQ(metrics.depth, 1U);

  ASSERT_EQ(queue.Get(), "a");
  EXPECT_EQ(metrics.queue_durations, std::vector<nanoseconds>{seconds(3)});
}

TEST_F(QueueMetricsTest, CountsEveryDelayedAddAsRetry) {
  queue.AddAfter("a", seconds(0));
  queue.AddAfter("b", seconds(1));
  queue.AddRateLimited("c");
  queue.Add("d");

  EXPECT_EQ(metrics.retries, 3);
}

TEST_F(QueueMetricsTest, ReportsNothingWithoutName) {
  RateLimitingQueue unnamed({.clock = clock, .metrics = &provider});

  unnamed.Add("a");

  EXPECT_EQ(metrics.adds, 0);
}

TEST_F(QueueMetricsTest, CannotBeRefreshedAfterQueueIsDestroyed) {
  RecordingProvider of_another;

  { RateLimitingQueue another({.name = "q", .clock = clock, .metrics = &of_another}); }

  EXPECT_FALSE(of_another.metrics.refresh);
}

using QueueDelayTest = QueueFixture;

// StuckWorkers get keys and never finish them, so each key needs its own worker.
class StuckWorkers {
 public:
  StuckWorkers(RateLimitingQueue& queue, int count) : queue_(queue) {
    for (int i = 0; i < count; ++i) {
      threads_.push_back(StartThread("worker", [this](const std::stop_token&) {
        const auto item = queue_.Get();
        if (!item) return;
        MutexLock lock(mu_);
        received_.push_back(*item);
        changed_.NotifyAll();
      }));
    }
  }
  ~StuckWorkers() { queue_.ShutDown(); }

  // Blocks until the workers got `count` keys, in real time at most 10 s.
  std::vector<std::string> Received(std::size_t count) {
    MutexLock lock(mu_);
    changed_.WaitUntil(mu_, std::stop_token(),
                       std::chrono::steady_clock::now() + std::chrono::seconds(10),
                       [&]() CAPSTAN_REQUIRES(mu_) { return received_.size() >= count; });
    return received_;
  }

 private:
  RateLimitingQueue& queue_;
  Mutex mu_;
  CondVar changed_;
  std::vector<std::string> received_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::jthread> threads_;
};

TEST_F(QueueDelayTest, ReturnsKeyWhenItsDelayIsOver) {
  queue.AddAfter("a", seconds(10));
  clock.Step(seconds(10) - std::chrono::nanoseconds(1));
  EXPECT_EQ(queue.Len(), 0U);

  clock.Step(std::chrono::nanoseconds(1));
  EXPECT_EQ(queue.Len(), 1U);
  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueueDelayTest, AddsAtOnceWithoutDelay) {
  queue.AddAfter("a", seconds(0));
  queue.AddAfter("b", seconds(-1));

  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), "b");
}

TEST_F(QueueDelayTest, KeepsEarlierTimeOfDuplicate) {
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

TEST_F(QueueDelayTest, ReturnsDelayedKeysInOrderOfTheirTimes) {
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

TEST_F(QueueDelayTest, ReturnsKeyAfterDoneWhenItsDelayEndsDuringProcessing) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");

  queue.AddAfter("a", seconds(1));
  clock.Step(seconds(1));
  EXPECT_EQ(queue.Len(), 0U);
  queue.Done("a");

  EXPECT_EQ(queue.Get(), "a");
}

TEST_F(QueueDelayTest, DelaysFailingKeyFrom5MsTo1000SUntilForget) {
  RateLimitingQueue per_item(
      {.clock = clock, .rate_limiter = NewItemExponentialFailureRateLimiter()});
  per_item.Add("a");
  auto delay = Clock::Duration(milliseconds(5));
  for (int failure = 0; failure < 20; ++failure) {
    ASSERT_EQ(per_item.Get(), "a");
    per_item.AddRateLimited("a");
    per_item.Done("a");
    EXPECT_EQ(per_item.NumRequeues("a"), failure + 1);

    clock.Step(delay - std::chrono::nanoseconds(1));
    EXPECT_EQ(per_item.Len(), 0U) << "failure " << failure;
    clock.Step(std::chrono::nanoseconds(1));
    delay = std::min<Clock::Duration>(2 * delay, seconds(1000));
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

TEST_F(QueueDelayTest, WakesWaitingWorkerForDelayedKey) {
  queue.AddAfter("a", seconds(10));
  StuckWorkers workers(queue, 1);
  ASSERT_TRUE(clock.BlockUntilWaiters(1));

  clock.Step(seconds(10));

  EXPECT_THAT(workers.Received(1), ElementsAre("a"));
}

TEST_F(QueueDelayTest, WakesWaitingWorkerEarlierForKeyWithShorterDelay) {
  queue.AddAfter("late", seconds(1000));
  StuckWorkers workers(queue, 1);
  ASSERT_TRUE(clock.BlockUntilWaiters(1));

  queue.AddAfter("early", seconds(10));
  clock.Step(seconds(10));

  EXPECT_THAT(workers.Received(1), ElementsAre("early"));
}

// All workers wait without a deadline. The first delayed key must wake all of them. Otherwise the
// second key, which is not the earliest and wakes no worker, would wait for a stuck worker.
TEST_F(QueueDelayTest, ReturnsEachDelayedKeyInTimeWhileAWorkerIsFree) {
  StuckWorkers workers(queue, 3);
  queue.AddAfter("a", seconds(10));
  queue.AddAfter("b", seconds(11));
  queue.AddAfter("c", seconds(12));
  ASSERT_TRUE(clock.BlockUntilWaiters(3));

  clock.Step(seconds(10));
  EXPECT_THAT(workers.Received(1), ElementsAre("a"));
  ASSERT_TRUE(clock.BlockUntilWaiters(2));
  clock.Step(seconds(1));
  EXPECT_THAT(workers.Received(2), ElementsAre("a", "b"));
  ASSERT_TRUE(clock.BlockUntilWaiters(1));
  clock.Step(seconds(1));
  EXPECT_THAT(workers.Received(3), ElementsAre("a", "b", "c"));
}

using QueueShutdownTest = QueueFixture;

// Drain calls ShutDownWithDrain on its own thread.
class Drain {
 public:
  explicit Drain(RateLimitingQueue& queue)
      : thread_(StartThread("drain", [this, &queue](std::stop_token stop) {
          queue.ShutDownWithDrain(std::move(stop));
          MutexLock lock(mu_);
          returned_ = true;
          changed_.NotifyAll();
        })) {
    // From now on it waits for keys in progress, or there are none.
    while (!queue.ShuttingDown()) std::this_thread::yield();
  }
  bool Returned() {
    MutexLock lock(mu_);
    return returned_;
  }
  bool BlockUntilReturned() {
    MutexLock lock(mu_);
    return changed_.WaitUntil(mu_, std::stop_token(),
                              std::chrono::steady_clock::now() + seconds(10),
                              [&]() CAPSTAN_REQUIRES(mu_) { return returned_; });
  }
  void RequestStop() { thread_.request_stop(); }

 private:
  Mutex mu_;
  CondVar changed_;
  bool returned_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::jthread thread_;
};

TEST_F(QueueShutdownTest, ReturnsQueuedKeysAndThenNothing) {
  queue.Add("a");
  queue.Add("b");

  queue.ShutDown();
  queue.Add("c");
  queue.AddAfter("d", seconds(0));

  EXPECT_TRUE(queue.ShuttingDown());
  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), "b");
  EXPECT_EQ(queue.Get(), std::nullopt);
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(QueueShutdownTest, DropsDelayedKeysThatAreNotDue) {
  queue.AddAfter("due", seconds(1));
  queue.AddAfter("not-due", seconds(5));
  clock.Step(seconds(1));

  queue.ShutDown();
  clock.Step(seconds(100));

  EXPECT_EQ(queue.Get(), "due");
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(QueueShutdownTest, WakesWorkersThatWaitWithAndWithoutDeadline) {
  RateLimitingQueue with_delayed({.clock = clock});
  RateLimitingQueue without({.clock = clock});
  with_delayed.AddAfter("a", seconds(1000));
  std::optional<std::string> first = "not called";
  std::optional<std::string> second = "not called";
  {
    const std::jthread one([&] { first = with_delayed.Get(); });
    const std::jthread two([&] { second = without.Get(); });
    ASSERT_TRUE(clock.BlockUntilWaiters(1));

    with_delayed.ShutDown();
    without.ShutDown();
  }
  EXPECT_EQ(first, std::nullopt);
  EXPECT_EQ(second, std::nullopt);
}

TEST_F(QueueShutdownTest, DrainWaitsForKeysInProgress) {
  queue.Add("a");
  queue.Add("b");
  queue.AddAfter("delayed", seconds(1));
  ASSERT_EQ(queue.Get(), "a");
  ASSERT_EQ(queue.Get(), "b");
  Drain drain(queue);

  queue.Done("a");
  EXPECT_FALSE(drain.Returned());
  queue.Done("b");

  EXPECT_TRUE(drain.BlockUntilReturned());
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(QueueShutdownTest, DrainWaitsForSecondRunOfKeyAddedDuringProcessing) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");
  queue.Add("a");
  Drain drain(queue);

  queue.Done("a");
  EXPECT_FALSE(drain.Returned());
  ASSERT_EQ(queue.Get(), "a");
  EXPECT_FALSE(drain.Returned());
  queue.Done("a");

  EXPECT_TRUE(drain.BlockUntilReturned());
}

TEST_F(QueueShutdownTest, DrainReturnsAtOnceWithoutKeysInProgress) {
  queue.Add("queued");
  queue.AddAfter("delayed", seconds(1));

  Drain drain(queue);

  EXPECT_TRUE(drain.BlockUntilReturned());
}

TEST_F(QueueShutdownTest, DrainReleasesEveryWorkerWhileKeysAreDelayed) {
  queue.Add("in-work");
  queue.AddAfter("delayed", seconds(1));
  std::latch taken(1);
  std::latch finish(1);
  std::atomic<int> runs = 0;
  std::vector<std::jthread> workers;
  workers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    workers.push_back(StartThread("worker", [&](const std::stop_token&) {
      while (const auto item = queue.Get()) {
        ++runs;
        taken.count_down();
        finish.wait();
        queue.Done(*item);
      }
    }));
  }
  taken.wait();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  Drain drain(queue);
  clock.Step(seconds(1));
  EXPECT_FALSE(drain.Returned());
  finish.count_down();

  EXPECT_TRUE(drain.BlockUntilReturned());
  workers.clear();  // joins
  EXPECT_EQ(runs, 1);
}

TEST_F(QueueShutdownTest, StopEndsDrainOfStuckKey) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");
  Drain drain(queue);

  drain.RequestStop();

  EXPECT_TRUE(drain.BlockUntilReturned());
}

TEST_F(QueueShutdownTest, ShutDownEndsDrainOfStuckKey) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");
  Drain drain(queue);

  queue.ShutDown();

  EXPECT_TRUE(drain.BlockUntilReturned());
}

}  // namespace
}  // namespace capstan::workqueue

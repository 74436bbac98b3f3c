// SPDX-License-Identifier: Apache-2.0
// ShutDown and ShutDownWithDrain.
#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"
#include "clientgo/workqueue/queue_testing.h"

namespace clientgo::workqueue {
namespace {

using std::chrono::seconds;
using QueueShutdownTest = QueueFixture;

// Calls ShutDownWithDrain on a thread of its own.
class Drain {
 public:
  explicit Drain(RateLimitingQueue& queue)
      : thread_(util::StartThread("drain", [this, &queue](std::stop_token stop) {
          queue.ShutDownWithDrain(std::move(stop));
          util::MutexLock lock(mu_);
          returned_ = true;
          changed_.NotifyAll();
        })) {
    // From here on it either waits for work in progress, or has nothing to wait for.
    while (!queue.ShuttingDown()) std::this_thread::yield();
  }
  bool Returned() {
    util::MutexLock lock(mu_);
    return returned_;
  }
  bool BlockUntilReturned() {
    util::MutexLock lock(mu_);
    return changed_.WaitUntil(mu_, std::stop_token(),
                              std::chrono::steady_clock::now() + seconds(10),
                              [&]() REQUIRES(mu_) { return returned_; });
  }
  void RequestStop() { thread_.request_stop(); }

 private:
  util::Mutex mu_;
  util::CondVar changed_;
  bool returned_ GUARDED_BY(mu_) = false;
  std::jthread thread_;
};

TEST_F(QueueShutdownTest, HandsOutWhatIsQueuedAndThenNothing) {
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

TEST_F(QueueShutdownTest, DropsDelayedKeysButNotThoseWhoseTimeHasCome) {
  queue.AddAfter("due", seconds(1));
  queue.AddAfter("not-due", seconds(5));
  clock.Step(seconds(1));

  queue.ShutDown();
  clock.Step(seconds(100));

  EXPECT_EQ(queue.Get(), "due");
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(QueueShutdownTest, WakesWorkersThatWaitWithAndWithoutADeadline) {
  RateLimitingQueue with_delayed({.clock = clock});
  RateLimitingQueue without({.clock = clock});
  with_delayed.AddAfter("a", seconds(1000));
  std::optional<std::string> first = "not asked";
  std::optional<std::string> second = "not asked";
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

TEST_F(QueueShutdownTest, DrainWaitsForTheKeyInWork) {
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

TEST_F(QueueShutdownTest, DrainWaitsForTheSecondRunOfAKeyAddedWhileInWork) {
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

TEST_F(QueueShutdownTest, DrainReturnsAtOnceWhenNothingIsInWork) {
  queue.Add("queued");
  queue.AddAfter("delayed", seconds(1));

  Drain drain(queue);

  EXPECT_TRUE(drain.BlockUntilReturned());
}

TEST_F(QueueShutdownTest, DrainWhileKeysAreDelayedFreesEveryWorker) {
  queue.Add("in-work");
  queue.AddAfter("delayed", seconds(1));
  std::latch taken(1);
  std::latch finish(1);
  std::atomic<int> runs = 0;
  std::vector<std::jthread> workers;
  workers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    workers.push_back(util::StartThread("worker", [&](const std::stop_token&) {
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

TEST_F(QueueShutdownTest, StopEndsADrainWhoseKeyIsStuck) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");
  Drain drain(queue);

  drain.RequestStop();

  EXPECT_TRUE(drain.BlockUntilReturned());
}

TEST_F(QueueShutdownTest, ShutDownEndsADrainWhoseKeyIsStuck) {
  queue.Add("a");
  ASSERT_EQ(queue.Get(), "a");
  Drain drain(queue);

  queue.ShutDown();

  EXPECT_TRUE(drain.BlockUntilReturned());
}

}  // namespace
}  // namespace clientgo::workqueue

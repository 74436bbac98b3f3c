// SPDX-License-Identifier: Apache-2.0
// RateLimitingQueue: keys that need work. A key is in it at most once, and no two workers hold the
// same key; a key added while it is worked on comes back after Done. Thread-safe; all calls to it
// have returned before it is destroyed.
//
// Mirrors client-go's util/workqueue (Type, DelayingInterface, RateLimitingInterface) in one class,
// its metrics semantics included: depth counts keys that wait, also those that wait for Done.
// Differs: delayed keys need no thread of their own; Get waits for the earliest. Done for a key
// that is not being worked on does nothing (client-go queues such a key a second time).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/util/clock.h"
#include "clientgo/workqueue/rate_limiter.h"

namespace clientgo::workqueue {

// Owned by the queue. Except for SetRefresh, the queue calls with its own lock held, so that depth
// is never reported out of order: an implementation must not block and must not call the queue.
class QueueMetrics {
 public:
  virtual ~QueueMetrics() = default;
  virtual void SetDepth(std::size_t depth) = 0;
  virtual void OnAdd() = 0;
  virtual void OnRetry() = 0;
  virtual void ObserveQueueDuration(std::chrono::nanoseconds waited) = 0;
  virtual void ObserveWorkDuration(std::chrono::nanoseconds worked) = 0;
  // The time that keys now being worked on have been so: the sum of all, and the longest.
  virtual void SetUnfinished(std::chrono::nanoseconds sum, std::chrono::nanoseconds longest) = 0;

  // Called once, by the queue's constructor. Call `refresh` before each scrape: it calls
  // SetUnfinished. It must not run any more once this object's destructor has returned.
  virtual void SetRefresh(std::function<void()> refresh) = 0;
};

class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  virtual std::unique_ptr<QueueMetrics> NewQueueMetrics(std::string_view queue_name) = 0;
};

struct QueueOptions {
  std::string name = {};  // of its metrics; empty: none
  util::Clock& clock = util::Clock::Real();
  std::unique_ptr<RateLimiter> rate_limiter = {};  // default: DefaultControllerRateLimiter
  MetricsProvider* metrics = nullptr;
};

class RateLimitingQueue {
 public:
  explicit RateLimitingQueue(QueueOptions options);
  ~RateLimitingQueue();

  void Add(std::string item);
  // Adds when `delay` has passed; a key that is delayed already keeps the earlier of the two times.
  void AddAfter(std::string item, util::Clock::Duration delay);
  // AddAfter the delay that the rate limiter says. Forget(item) ends the item's row of failures.
  void AddRateLimited(std::string item);
  void Forget(const std::string& item);
  int NumRequeues(const std::string& item) const;

  // Blocks for the next key; nullopt after ShutDown once the queue is empty. Call Done(item) after.
  std::optional<std::string> Get();
  void Done(const std::string& item);
  std::size_t Len() const;

  // Adds are ignored from now on; what is queued is still handed out; delayed keys are dropped.
  void ShutDown();
  // ShutDown, then blocks until nothing is being worked on (nor added while it was, which workers
  // still get), or `stop`, or another ShutDown. Keys that no worker has taken do not hold it up.
  void ShutDownWithDrain(std::stop_token stop);
  bool ShuttingDown() const;
  // Accepts keys again after a ShutDown, and drops those that were still queued. No worker holds a
  // key, or waits in Get.
  void Reopen();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace clientgo::workqueue

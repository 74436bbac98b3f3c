// SPDX-License-Identifier: Apache-2.0
// RateLimitingQueue holds keys that need work. A key is in the queue at most once, and no two
// workers process the same key. A key that is added while it is processed is queued again after
// Done. Thread-safe. All calls must return before its destructor runs.
//
// Mirrors client-go's util/workqueue (Type, DelayingInterface, RateLimitingInterface) in one class,
// with the same metrics: depth counts waiting keys, including those that wait for Done. Differs:
// delayed keys need no thread, since Get waits for the earliest one. Done does nothing for a key
// that is not being processed, where client-go queues it again.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clientgo/util/clock.h"
#include "capstan/clientgo/workqueue/rate_limiter.h"
#include "capstan/export.h"

namespace capstan::clientgo::workqueue {

// QueueMetrics receives the metrics of one queue, which owns it. Except for SetRefresh, the queue
// calls it with its own lock held, so that depths are reported in order. An implementation must not
// block and must not call the queue. Mirrors client-go's util/workqueue MetricsProvider.
// Implementations are thread-safe.
//
// Differs: client-go updates the unfinished-work gauges from a thread, every 500 ms. Here they are
// updated before each scrape.
class CAPSTAN_EXPORT QueueMetrics {
 public:
  virtual ~QueueMetrics() = default;
  virtual void SetDepth(std::size_t depth) = 0;
  virtual void OnAdd() = 0;
  virtual void OnRetry() = 0;
  virtual void ObserveQueueDuration(std::chrono::nanoseconds waited) = 0;
  virtual void ObserveWorkDuration(std::chrono::nanoseconds worked) = 0;
  // The time that the keys in progress have taken so far: the sum, and the longest.
  virtual void SetUnfinished(std::chrono::nanoseconds sum, std::chrono::nanoseconds longest) = 0;

  // Called once, by the queue's constructor. Call `refresh` before each scrape: it calls
  // SetUnfinished. It must not run after this object's destructor has returned.
  virtual void SetRefresh(std::function<void()> refresh) = 0;
};

class CAPSTAN_EXPORT MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  virtual std::unique_ptr<QueueMetrics> NewQueueMetrics(std::string_view queue_name) = 0;
};

struct CAPSTAN_EXPORT QueueOptions {
  std::string name = {};  // the name in metrics; empty: no metrics
  util::Clock& clock = util::Clock::Real();
  std::unique_ptr<RateLimiter> rate_limiter = {};  // default: DefaultControllerRateLimiter
  MetricsProvider* metrics = nullptr;
};

class CAPSTAN_EXPORT RateLimitingQueue {
 public:
  explicit RateLimitingQueue(QueueOptions options);
  ~RateLimitingQueue();

  void Add(std::string item);
  // Adds the key after `delay`. A key that is already delayed keeps the earlier time.
  void AddAfter(std::string item, util::Clock::Duration delay);
  // Adds the key after the delay of the rate limiter. Forget(item) resets the failures of the item.
  void AddRateLimited(std::string item);
  void Forget(const std::string& item);
  int NumRequeues(const std::string& item) const;

  // Blocks for the next key. nullopt: the queue was shut down and is empty. Call Done(item)
  // afterwards.
  std::optional<std::string> Get();
  void Done(const std::string& item);
  std::size_t Len() const;

  // Ignores later adds and drops delayed keys. Keys in the queue are still returned by Get.
  void ShutDown();
  // Calls ShutDown, then blocks until no key is being processed, including keys that were added
  // during their processing. `stop` or another ShutDown ends the wait. Keys that no worker has
  // taken do not delay it.
  void ShutDownWithDrain(std::stop_token stop);
  bool ShuttingDown() const;
  // Accepts keys again after a ShutDown, and drops the keys in the queue. REQUIRES: no worker
  // processes a key or waits in Get.
  void Reopen();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::clientgo::workqueue

// SPDX-License-Identifier: Apache-2.0
// RateLimitingQueue holds keys that need work. A key is in the queue at most once, and no two
// workers process the same key. A key that is added while it is processed is queued again after
// Done. Get returns the key with the highest priority; keys of one priority leave in the order in
// which they became ready, unless QueueOptions::flow_of lets flows take turns. Thread-safe. All
// calls must return before its destructor runs.
//
// Mirrors client-go's util/workqueue (Type, DelayingInterface, RateLimitingInterface) and
// controller-runtime's pkg/controller/priorityqueue in one class, with the same metrics: depth
// counts waiting keys, including those that wait for Done. Differs:
//  - Delayed keys need no thread, since Get waits for the earliest one.
//  - Done does nothing for a key that is not being processed, where client-go queues it again.
//  - A delayed key that is also added without a delay is returned at both times, as in client-go.
//    controller-runtime's priority queue then forgets the delay.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/workqueue/rate_limiter.h"

namespace capstan::workqueue {

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
  // The number of waiting keys of one priority. nullopt: of a queue without priorities.
  virtual void SetDepth(std::optional<int> priority, std::size_t depth) = 0;
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
  Clock& clock = Clock::Real();
  std::shared_ptr<RateLimiter> rate_limiter = {};  // default: DefaultControllerRateLimiter
  MetricsProvider* metrics = nullptr;
  // False: every key has the priority 0, and the depth has no priority in metrics. Mirrors
  // controller-runtime's UsePriorityQueue.
  bool use_priority_queue = true;
  // Names the flow of a key, such as its namespace. Flows of one priority take turns, and slow work
  // on one flow holds at most a third of `workers`, at least one. Empty: all keys are one flow.
  std::function<std::string_view(std::string_view item)> flow_of = {};
  std::size_t workers = 1;  // that call Get; only for flow_of
  // A key with a lower priority waits while a worker has another key of its flow. Set it when
  // nobody waits for the work on such keys, and more of it at once would keep the server busy. Only
  // for flow_of.
  int share_from_priority = std::numeric_limits<int>::min();
};

// The priority of a key that is added for an object of an initial list or of a resync, so that news
// are processed first. Mirrors controller-runtime's handler.LowPriority.
inline constexpr int kLowPriority = -100;

// AddOptions are how AddWithOpts adds a key. Mirrors controller-runtime's priorityqueue.AddOpts.
struct CAPSTAN_EXPORT AddOptions {
  Clock::Duration after{0};  // 0: at once
  // Adds the key after the delay of the rate limiter, or after `after` if that is shorter and not
  // 0.
  bool rate_limited = false;
  int priority = 0;  // higher ones are returned first
};

// PrioritizedItem is a key and the priority with which it was queued.
struct CAPSTAN_EXPORT PrioritizedItem {
  std::string item;
  int priority = 0;
};

class CAPSTAN_EXPORT RateLimitingQueue {
 public:
  explicit RateLimitingQueue(QueueOptions options);
  ~RateLimitingQueue();

  // Adds the key with the priority 0.
  void Add(std::string item);
  // Adds the key. One that is already queued with a lower priority moves to the end of the new
  // priority. A key that is already delayed keeps the earlier time and the higher priority.
  void AddWithOpts(std::string item, const AddOptions& options);
  // Adds the key after `delay`. A key that is already delayed keeps the earlier time.
  void AddAfter(std::string item, Clock::Duration delay);
  // Adds the key after the delay of the rate limiter. Forget(item) resets the failures of the item.
  void AddRateLimited(std::string item);
  void Forget(const std::string& item);
  // Drops the delayed keys for which `is_gone` returns true, and forgets their failures. It runs
  // with the queue locked. Keys that wait for a worker stay.
  void DropDelayed(const std::function<bool(std::string_view item)>& is_gone);
  int NumRequeues(const std::string& item) const;

  // Blocks for the next key. nullopt: the queue was shut down and is empty. Call Done(item)
  // afterwards.
  std::optional<std::string> Get();
  // The same with the key's priority. Also returns nullopt at once when `stop` is requested; then
  // the queue keeps its keys for the next call.
  std::optional<PrioritizedItem> GetWithPriority(std::stop_token stop = {});
  void Done(const std::string& item);
  std::size_t Len() const;

  // Ignores later adds and drops delayed keys. Keys in the queue are still returned by Get.
  void ShutDown();
  // Calls ShutDown, then blocks until no key is being processed, including keys that were added
  // during their processing. `stop` or another ShutDown ends the wait. Keys that no worker has
  // taken do not delay it.
  void ShutDownWithDrain(std::stop_token stop);
  bool ShuttingDown() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::workqueue

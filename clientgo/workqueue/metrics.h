// SPDX-License-Identifier: Apache-2.0
// What a work queue reports, as an interface: clientgo knows no metrics library.
// Mirrors client-go's util/workqueue MetricsProvider. Implementations are thread-safe.
//
// Differs: client-go refreshes the unfinished-work gauges from a thread, each 500 ms. Here whoever
// serves a scrape asks for them first, so they are true at that moment and cost nothing before it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

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

}  // namespace clientgo::workqueue

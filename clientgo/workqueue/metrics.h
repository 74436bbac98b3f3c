// SPDX-License-Identifier: Apache-2.0
// What a work queue reports, as an interface: clientgo knows no metrics library.
// Mirrors client-go's util/workqueue MetricsProvider. Implementations are thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace clientgo::workqueue {

class QueueMetrics {
 public:
  virtual ~QueueMetrics() = default;
  virtual void SetDepth(std::size_t depth) = 0;
  virtual void OnAdd() = 0;
  virtual void OnRetry() = 0;
  virtual void ObserveQueueDuration(std::chrono::nanoseconds waited) = 0;
  virtual void ObserveWorkDuration(std::chrono::nanoseconds worked) = 0;
  virtual void SetUnfinished(std::chrono::nanoseconds sum, std::chrono::nanoseconds longest) = 0;
};

class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  virtual std::unique_ptr<QueueMetrics> NewQueueMetrics(std::string_view queue_name) = 0;
};

}  // namespace clientgo::workqueue

// SPDX-License-Identifier: Apache-2.0
// workqueue_* with controller-runtime's labels: the queue's name as `name` and as `controller`, and
// on depth an empty `priority`, which is what a queue without priorities has there. All series of a
// queue exist from its start. Internal to this folder. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "clientgo/workqueue/queue.h"
#include "metrics/family.h"

namespace metrics {

class WorkqueueMetrics final : public clientgo::workqueue::MetricsProvider {
 public:
  explicit WorkqueueMetrics(prometheus::Registry& registry);
  std::unique_ptr<clientgo::workqueue::QueueMetrics> NewQueueMetrics(
      std::string_view queue_name) override;
  // Lets every queue say what it is working on now. Before each scrape.
  void Refresh();

 private:
  class Queue;

  // One series for each queue, whose number is the program's.
  using QueueGauges = Family<prometheus::Gauge>;
  QueueGauges depth_;
  CounterFamily adds_;
  CounterFamily retries_;
  HistogramFamily queue_durations_;
  HistogramFamily work_durations_;
  QueueGauges unfinished_;
  QueueGauges longest_running_;

  // Held while the callbacks run: a queue that goes away waits for the scrape.
  clientgo::util::Mutex mu_;
  std::map<const Queue*, std::function<void()>> refresh_ GUARDED_BY(mu_);
};

}  // namespace metrics

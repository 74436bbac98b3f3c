// SPDX-License-Identifier: Apache-2.0
#include "metrics/workqueue.h"

#include <utility>

#include "metrics/providers.h"

namespace metrics {
namespace {

// controller-runtime's: twelve powers of ten from 10 ns.
std::vector<double> DurationBuckets() {
  return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
}

template <class T>
T& Series(Family<T>& family, std::initializer_list<std::string_view> values) {
  T* series = nullptr;
  family.With(values, [&](T& found) { series = &found; });
  return *series;
}

}  // namespace

// A queue reports with its own lock held and for every key, so its series are looked up once.
class WorkqueueMetrics::Queue final : public clientgo::workqueue::QueueMetrics {
 public:
  Queue(WorkqueueMetrics& owner, std::string_view name)
      : owner_(owner),
        depth_(Series(owner.depth_, {name, name, ""})),
        adds_(Series(owner.adds_, {name, name})),
        retries_(Series(owner.retries_, {name, name})),
        queue_durations_(Series(owner.queue_durations_, {name, name})),
        work_durations_(Series(owner.work_durations_, {name, name})),
        unfinished_(Series(owner.unfinished_, {name, name})),
        longest_running_(Series(owner.longest_running_, {name, name})) {}

  ~Queue() override {
    clientgo::util::MutexLock lock(owner_.mu_);
    owner_.refresh_.erase(this);
  }

  void SetDepth(std::size_t depth) override { depth_.Set(static_cast<double>(depth)); }
  void OnAdd() override { adds_.Increment(); }
  void OnRetry() override { retries_.Increment(); }
  void ObserveQueueDuration(std::chrono::nanoseconds waited) override {
    queue_durations_.Observe(Seconds(waited));
  }
  void ObserveWorkDuration(std::chrono::nanoseconds worked) override {
    work_durations_.Observe(Seconds(worked));
  }
  void SetUnfinished(std::chrono::nanoseconds sum, std::chrono::nanoseconds longest) override {
    unfinished_.Set(Seconds(sum));
    longest_running_.Set(Seconds(longest));
  }
  void SetRefresh(std::function<void()> refresh) override {
    clientgo::util::MutexLock lock(owner_.mu_);
    owner_.refresh_[this] = std::move(refresh);
  }

 private:
  WorkqueueMetrics& owner_;
  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Counter& retries_;
  prometheus::Histogram& queue_durations_;
  prometheus::Histogram& work_durations_;
  prometheus::Gauge& unfinished_;
  prometheus::Gauge& longest_running_;
};

WorkqueueMetrics::WorkqueueMetrics(prometheus::Registry& registry)
    : depth_(registry, {.name = "workqueue_depth",
                        .help = "Keys that wait for a worker.",
                        .labels = {"name", "controller", "priority"}}),
      adds_(registry, {.name = "workqueue_adds_total",
                       .help = "Keys added to the queue.",
                       .labels = {"name", "controller"}}),
      retries_(registry, {.name = "workqueue_retries_total",
                          .help = "Keys added to the queue again with a delay.",
                          .labels = {"name", "controller"}}),
      queue_durations_(registry, {.name = "workqueue_queue_duration_seconds",
                                  .help = "Seconds a key waited for a worker.",
                                  .labels = {"name", "controller"},
                                  .buckets = DurationBuckets()}),
      work_durations_(registry, {.name = "workqueue_work_duration_seconds",
                                 .help = "Seconds a worker needed for a key.",
                                 .labels = {"name", "controller"},
                                 .buckets = DurationBuckets()}),
      unfinished_(registry, {.name = "workqueue_unfinished_work_seconds",
                             .help = "Seconds spent so far on keys in work, summed up. Growing "
                                     "without end: a worker is stuck.",
                             .labels = {"name", "controller"}}),
      longest_running_(registry, {.name = "workqueue_longest_running_processor_seconds",
                                  .help = "Seconds that the longest running worker has been at "
                                          "its key.",
                                  .labels = {"name", "controller"}}) {}

std::unique_ptr<clientgo::workqueue::QueueMetrics> WorkqueueMetrics::NewQueueMetrics(
    std::string_view queue_name) {
  return std::make_unique<Queue>(*this, queue_name);
}

void WorkqueueMetrics::Refresh() {
  clientgo::util::MutexLock lock(mu_);
  for (const auto& [queue, refresh] : refresh_) refresh();
}

}  // namespace metrics

// SPDX-License-Identifier: Apache-2.0
// Metrics: the process's Prometheus registry behind clientgo's and the controllers' metric
// interfaces. The only folder that knows prometheus-cpp. Metric names, labels and buckets are those
// of component-base and controller-runtime, so that existing dashboards work. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cache/metrics.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/rest/metrics.h"
#include "clientgo/workqueue/metrics.h"

namespace metrics {

struct BuildInfo {
  std::string version;
  std::string commit;
};

class Metrics {
 public:
  explicit Metrics(const BuildInfo& build);
  ~Metrics();

  // Each lives as long as the Metrics.
  clientgo::rest::MetricsProvider& rest();
  clientgo::workqueue::MetricsProvider& workqueue();
  clientgo::cache::MetricsProvider& cache();
  clientgo::leaderelection::MetricsProvider& leader_election();
  void SetFeatureEnabled(std::string_view gate, std::string_view stage, bool enabled);

  // A family of our own, for controllers: `labels` are names; values come with each call.
  class Counter {
   public:
    virtual ~Counter() = default;
    virtual void Add(const std::vector<std::string>& label_values, double by = 1) = 0;
  };
  class Gauge {
   public:
    virtual ~Gauge() = default;
    virtual void Set(const std::vector<std::string>& label_values, double value) = 0;
    virtual void Remove(const std::vector<std::string>& label_values) = 0;
  };
  class Histogram {
   public:
    virtual ~Histogram() = default;
    virtual void Observe(const std::vector<std::string>& label_values, double value) = 0;
  };
  std::unique_ptr<Counter> NewCounter(std::string name, std::string help,
                                      std::vector<std::string> labels);
  std::unique_ptr<Gauge> NewGauge(std::string name, std::string help,
                                  std::vector<std::string> labels);
  std::unique_ptr<Histogram> NewHistogram(std::string name, std::string help,
                                          std::vector<std::string> labels,
                                          std::vector<double> buckets);

  // The text exposition format, version 0.0.4, process_* refreshed.
  std::string Serialize();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace metrics

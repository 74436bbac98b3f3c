// SPDX-License-Identifier: Apache-2.0
// Metrics: the process's Prometheus registry behind clientgo's and the controllers' metric
// interfaces. The only folder that knows prometheus-cpp. Names, labels and buckets are those of
// component-base and controller-runtime, so that existing dashboards work; where the two differ
// (workqueue_*: labels name and controller, buckets 1e-8 to 1e3), controller-runtime's.
//
// A family costs nothing before its first value. It holds at most kSeriesMax series. What comes
// after that shares one more, all labels of which are "exceeded_cardinality_limit", so no input can
// grow the process without end. Counters and histograms add up there; a gauge's Overflow says what
// it holds. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cache/reflector.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/rest/metrics.h"
#include "clientgo/workqueue/queue.h"

namespace metrics {

struct BuildInfo {
  std::string version;  // "0.1.0", "v1.2.3-rc1"
  std::string commit;
};

// About 0.6 MiB of a process that should stay under 20.
inline constexpr std::size_t kSeriesMax = 2000;

// What a gauge's series for those beyond kSeriesMax holds.
enum class Overflow {
  kSum,  // numbers of things
  kMin,  // what alerts when it is small: an expiry, a state that is 1 when all is well
  kMax,  // what alerts when it is large: an age
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
  // `stage` as component-base spells it: "ALPHA", "BETA", "DEPRECATED", "" for GA.
  void SetFeatureEnabled(std::string_view gate, std::string_view stage, bool enabled);

  // A family of our own, for controllers: `labels` are names; values come with each call, as many
  // and in that order. A family may outlive its handle, but not the Metrics.
  class Counter {
   public:
    virtual ~Counter() = default;
    // By 0: the series exists from now on, so that a rate over it has a start.
    virtual void Add(const std::vector<std::string>& label_values, double by = 1) = 0;
  };
  class Gauge {
   public:
    virtual ~Gauge() = default;
    virtual void Set(const std::vector<std::string>& label_values, double value) = 0;
    virtual void Add(const std::vector<std::string>& label_values, double delta) = 0;
    virtual void Remove(const std::vector<std::string>& label_values) = 0;
  };
  class Histogram {
   public:
    virtual ~Histogram() = default;
    virtual void Observe(const std::vector<std::string>& label_values, double value) = 0;
    // The series exists from now on, with a count of 0.
    virtual void Touch(const std::vector<std::string>& label_values) = 0;
  };
  std::unique_ptr<Counter> NewCounter(std::string name, std::string help,
                                      std::vector<std::string> labels);
  std::unique_ptr<Gauge> NewGauge(std::string name, std::string help,
                                  std::vector<std::string> labels,
                                  Overflow overflow = Overflow::kSum);
  std::unique_ptr<Histogram> NewHistogram(std::string name, std::string help,
                                          std::vector<std::string> labels,
                                          std::vector<double> buckets);

  // The text exposition format, version 0.0.4, sorted by name and labels, process_* refreshed.
  std::string Serialize();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace metrics

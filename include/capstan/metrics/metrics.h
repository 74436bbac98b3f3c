// SPDX-License-Identifier: Apache-2.0
// Metrics is the process's Prometheus registry behind the metric interfaces of clientgo and
// controller_runtime. Only this folder uses prometheus-cpp. Names, labels and buckets are those of
// component-base and controller-runtime, so that existing dashboards work. Where the two differ,
// controller-runtime's apply (workqueue_*: labels name and controller, buckets 1e-8 to 1e3).
//
// A family costs nothing before its first value. It has at most kSeriesMax series. All others share
// one more, whose labels are all "exceeded_cardinality_limit", so no input can grow the process
// without limit. Counters and histograms add up there; Overflow decides for gauges. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/reflector.h"
#include "capstan/controller_metrics.h"
#include "capstan/export.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/rest/metrics.h"
#include "capstan/workqueue/queue.h"

namespace capstan::metrics {

struct CAPSTAN_EXPORT BuildInfo {
  std::string version;  // "0.1.0", "v1.2.3-rc1"
  std::string commit;
};

// This limit is about 0.6 MiB of a process that should stay under 20 MiB.
inline constexpr std::size_t kSeriesMax = 2000;

// Overflow is the value of a gauge's shared series beyond kSeriesMax.
enum class Overflow {
  kSum,  // for numbers of things
  kMin,  // for gauges that alert on small values: an expiry, a state that is 1 when healthy
  kMax,  // for gauges that alert on large values: an age
};

class CAPSTAN_EXPORT Metrics final : public MetricsProvider {
 public:
  explicit Metrics(const BuildInfo& build);
  ~Metrics() override;

  rest::MetricsProvider& rest() override;
  workqueue::MetricsProvider& workqueue() override;
  cache::MetricsProvider& cache() override;
  leaderelection::MetricsProvider& leader_election() override;
  ControllerMetrics& controllers() override;
  WebhookMetrics* webhooks() override;
  void RegisterServingCertificate() override;
  void OnServingCertificateRead(bool ok) override;
  // `stage` is component-base's: "ALPHA", "BETA", "DEPRECATED", "" for GA.
  void SetFeatureEnabled(std::string_view gate, std::string_view stage, bool enabled);

  // Counter, Gauge and Histogram are families of controllers. `labels` are the names. Each call has
  // one value for each name, in the same order. A handle may end after the Metrics, and a family
  // stays when its handle ends.
  class Counter {
   public:
    virtual ~Counter() = default;
    // Adding 0 creates the series, so that a rate over it has a start.
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
    // Creates the series with a count of 0.
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

  // Returns the text exposition format, version 0.0.4, sorted by name and labels. Reads process_*
  // first.
  std::string Serialize() override;

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;
};

}  // namespace capstan::metrics

// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/controller_metrics.h"

#include <string>
#include <vector>

namespace controllers::runtime {
namespace {

using metrics::Metrics;
using Labels = std::vector<std::string>;

// controller-runtime's.
std::vector<double> ReconcileBuckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
          0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
          6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

std::string ToLabel(ControllerMetrics::ReconcileResult result) {
  switch (result) {
    case ControllerMetrics::ReconcileResult::kSuccess:
      return "success";
    case ControllerMetrics::ReconcileResult::kError:
      return "error";
    case ControllerMetrics::ReconcileResult::kRequeue:
      return "requeue";
    case ControllerMetrics::ReconcileResult::kRequeueAfter:
      return "requeue_after";
  }
  return "";
}

class PrometheusControllerMetrics final : public ControllerMetrics {
 public:
  explicit PrometheusControllerMetrics(Metrics& metrics)
      : reconciles_(metrics.NewCounter("controller_runtime_reconcile_total",
                                       "Reconciliations that ended, by result.",
                                       {"controller", "result"})),
        errors_(metrics.NewCounter("controller_runtime_reconcile_errors_total",
                                   "Reconciliations that ended with an error.", {"controller"})),
        terminal_errors_(metrics.NewCounter(
            "controller_runtime_terminal_reconcile_errors_total",
            "Reconciliations that ended with an error that retrying cannot help.", {"controller"})),
        panics_(metrics.NewCounter("controller_runtime_reconcile_panics_total",
                                   "Reconciliations that ended with an exception.",
                                   {"controller"})),
        timeouts_(metrics.NewCounter("controller_runtime_reconcile_timeouts_total",
                                     "Reconciliations that took too long; 0 here, where each "
                                     "request has a deadline instead.",
                                     {"controller"})),
        durations_(metrics.NewHistogram("controller_runtime_reconcile_time_seconds",
                                        "Seconds a reconciliation took.", {"controller"},
                                        ReconcileBuckets())),
        max_concurrent_(metrics.NewGauge("controller_runtime_max_concurrent_reconciles",
                                         "Workers a controller has.", {"controller"})),
        active_workers_(metrics.NewGauge("controller_runtime_active_workers",
                                         "Workers that are at a key now.", {"controller"})),
        sync_timeouts_(metrics.NewCounter(
            "capstan_cache_sync_timeouts_total",
            "Times a cache that a controller waits for made no progress for --cache-sync-timeout.",
            {"controller", "resource"})) {}

  void Register(std::string_view controller, int max_concurrent_reconciles) override {
    const Labels labels = {std::string(controller)};
    for (const auto result : {ReconcileResult::kSuccess, ReconcileResult::kError,
                              ReconcileResult::kRequeue, ReconcileResult::kRequeueAfter}) {
      reconciles_->Add({std::string(controller), ToLabel(result)}, 0);
    }
    errors_->Add(labels, 0);
    terminal_errors_->Add(labels, 0);
    panics_->Add(labels, 0);
    timeouts_->Add(labels, 0);
    durations_->Touch(labels);
    max_concurrent_->Set(labels, max_concurrent_reconciles);
    active_workers_->Set(labels, 0);
  }

  void OnReconcile(std::string_view controller, ReconcileResult result,
                   std::chrono::nanoseconds duration, bool terminal) override {
    const Labels labels = {std::string(controller)};
    reconciles_->Add({std::string(controller), ToLabel(result)});
    durations_->Observe(labels, std::chrono::duration<double>(duration).count());
    if (result == ReconcileResult::kError) errors_->Add(labels);
    if (terminal) terminal_errors_->Add(labels);
  }

  void OnPanic(std::string_view controller) override { panics_->Add({std::string(controller)}); }

  void AddActiveWorkers(std::string_view controller, int delta) override {
    active_workers_->Add({std::string(controller)}, delta);
  }

  void OnCacheSyncTimeout(std::string_view controller, std::string_view resource) override {
    sync_timeouts_->Add({std::string(controller), std::string(resource)});
  }

 private:
  const std::unique_ptr<Metrics::Counter> reconciles_;
  const std::unique_ptr<Metrics::Counter> errors_;
  const std::unique_ptr<Metrics::Counter> terminal_errors_;
  const std::unique_ptr<Metrics::Counter> panics_;
  const std::unique_ptr<Metrics::Counter> timeouts_;
  const std::unique_ptr<Metrics::Histogram> durations_;
  const std::unique_ptr<Metrics::Gauge> max_concurrent_;
  const std::unique_ptr<Metrics::Gauge> active_workers_;
  const std::unique_ptr<Metrics::Counter> sync_timeouts_;
};

}  // namespace

std::unique_ptr<ControllerMetrics> NewControllerMetrics(Metrics& metrics) {
  return std::make_unique<PrometheusControllerMetrics>(metrics);
}

}  // namespace controllers::runtime

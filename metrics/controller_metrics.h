// SPDX-License-Identifier: Apache-2.0
// The Prometheus side of the metric interfaces of controller_runtime: controller_runtime_*,
// capstan_cache_sync_timeouts_total and certwatcher_*. Internal to this folder. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "capstan/controller_metrics.h"
#include "metrics/family.h"
#include "metrics/providers.h"

namespace capstan::metrics {

// PrometheusControllerMetrics has controller-runtime's names, labels and buckets.
class PrometheusControllerMetrics final : public ControllerMetrics {
 public:
  explicit PrometheusControllerMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void Register(std::string_view controller, int max_concurrent_reconciles) override {
    for (const std::string_view result : kResults) reconciles_.With({controller, result}, kTouch);
    errors_.With({controller}, kTouch);
    terminal_errors_.With({controller}, kTouch);
    panics_.With({controller}, kTouch);
    timeouts_.With({controller}, kTouch);
    durations_.With({controller}, [](prometheus::Histogram&) {});
    max_concurrent_.Set({controller}, max_concurrent_reconciles);
    active_workers_.Set({controller}, 0);
  }

  void OnReconcile(std::string_view controller, ReconcileResult result,
                   std::chrono::nanoseconds duration, bool terminal) override {
    reconciles_.With({controller, kResults.at(static_cast<std::size_t>(result))}, kIncrement);
    durations_.With({controller},
                    [&](prometheus::Histogram& series) { series.Observe(Seconds(duration)); });
    if (result == ReconcileResult::kError) errors_.With({controller}, kIncrement);
    if (terminal) terminal_errors_.With({controller}, kIncrement);
  }

  void OnPanic(std::string_view controller) override { panics_.With({controller}, kIncrement); }
  void OnTimeout(std::string_view controller) override { timeouts_.With({controller}, kIncrement); }
  void AddActiveWorkers(std::string_view controller, int delta) override {
    active_workers_.Add({controller}, delta);
  }
  void OnCacheSyncTimeout(std::string_view controller, std::string_view resource) override {
    sync_timeouts_.With({controller, resource}, kIncrement);
  }

 private:
  static constexpr auto kTouch = [](prometheus::Counter&) {};
  // In the order of ReconcileResult.
  static constexpr std::array<std::string_view, 4> kResults = {"success", "error", "requeue",
                                                               "requeue_after"};
  static std::vector<double> Buckets() {
    return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
            0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
            6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
  }

  prometheus::Registry& registry_;
  CounterFamily reconciles_{registry_,
                            {"controller_runtime_reconcile_total",
                             "Reconciliations that ended, by result.",
                             {"controller", "result"}}};
  CounterFamily errors_{registry_,
                        {"controller_runtime_reconcile_errors_total",
                         "Reconciliations that ended with an error.",
                         {"controller"}}};
  CounterFamily terminal_errors_{
      registry_,
      {"controller_runtime_terminal_reconcile_errors_total",
       "Reconciliations that ended with an error that retrying cannot help.",
       {"controller"}}};
  CounterFamily panics_{registry_,
                        {"controller_runtime_reconcile_panics_total",
                         "Reconciliations that ended with an exception.",
                         {"controller"}}};
  CounterFamily timeouts_{registry_,
                          {"controller_runtime_reconcile_timeouts_total",
                           "Reconciliations that were stopped because they took too long.",
                           {"controller"}}};
  HistogramFamily durations_{registry_,
                             {"controller_runtime_reconcile_time_seconds",
                              "Seconds a reconciliation took.",
                              {"controller"},
                              Buckets()}};
  GaugeFamily max_concurrent_{registry_,
                              {"controller_runtime_max_concurrent_reconciles",
                               "Workers a controller has.",
                               {"controller"}}};
  GaugeFamily active_workers_{
      registry_,
      {"controller_runtime_active_workers", "Workers that are at a key now.", {"controller"}}};
  CounterFamily sync_timeouts_{
      registry_,
      {"capstan_cache_sync_timeouts_total",
       "Times a cache that a controller waits for made no progress for --cache-sync-timeout.",
       {"controller", "resource"}}};
};

// CertificateMetrics counts the reads of serving certificates. Mirrors controller-runtime's
// pkg/certwatcher/metrics.
class CertificateMetrics {
 public:
  explicit CertificateMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void Register() {
    errors_.With(kNoLabels, [](prometheus::Counter&) {});
  }
  void OnRead(bool ok) {
    reads_.With(kNoLabels, kIncrement);
    if (!ok) errors_.With(kNoLabels, kIncrement);
  }

 private:
  static constexpr std::array<std::string_view, 0> kNoLabels = {};

  prometheus::Registry& registry_;
  CounterFamily reads_{
      registry_, {"certwatcher_read_certificate_total", "Total number of certificate reads", {}}};
  CounterFamily errors_{
      registry_,
      {"certwatcher_read_certificate_errors_total", "Total number of certificate read errors", {}}};
};

}  // namespace capstan::metrics

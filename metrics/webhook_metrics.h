// SPDX-License-Identifier: Apache-2.0
// The Prometheus side of WebhookMetrics: controller_runtime_webhook_*. Internal
// to this folder. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/controller_metrics.h"
#include "metrics/family.h"
#include "metrics/providers.h"

namespace capstan::metrics {

// PrometheusWebhookMetrics has the names, labels and buckets of controller-runtime's
// pkg/webhook/internal/metrics.
class PrometheusWebhookMetrics final : public WebhookMetrics {
 public:
  explicit PrometheusWebhookMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void Register(std::string_view webhook) override {
    for (const std::string_view code : {"200", "500"}) requests_.With({webhook, code}, kTouch);
    latencies_.With({webhook}, [](prometheus::Histogram&) {});
    in_flight_.Set({webhook}, 0);
    panics_.With(kNoLabels, kTouch);
    conversion_panics_.With(kNoLabels, kTouch);
  }
  void AddInFlight(std::string_view webhook, int delta) override {
    in_flight_.Add({webhook}, delta);
  }
  void OnResponse(std::string_view webhook, int code, std::chrono::nanoseconds latency) override {
    requests_.With({webhook, std::to_string(code)}, kIncrement);
    latencies_.With({webhook},
                    [&](prometheus::Histogram& series) { series.Observe(Seconds(latency)); });
  }
  void OnPanic() override { panics_.With(kNoLabels, kIncrement); }
  void OnConversionPanic() override { conversion_panics_.With(kNoLabels, kIncrement); }

 private:
  static constexpr std::array<std::string_view, 0> kNoLabels = {};
  static constexpr auto kTouch = [](prometheus::Counter&) {};
  static std::vector<double> Buckets() {
    return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000};
  }

  prometheus::Registry& registry_;
  CounterFamily requests_{registry_,
                          {"controller_runtime_webhook_requests_total",
                           "Requests of the API server to webhooks, by HTTP status code.",
                           {"webhook", "code"}}};
  HistogramFamily latencies_{registry_,
                             {"controller_runtime_webhook_latency_seconds",
                              "Seconds from a request to its response.",
                              {"webhook"},
                              Buckets()}};
  GaugeFamily in_flight_{registry_,
                         {"controller_runtime_webhook_requests_in_flight",
                          "Requests that wait for their response now.",
                          {"webhook"}}};
  CounterFamily panics_{
      registry_,
      {"controller_runtime_webhook_panics_total", "Exceptions of admission webhooks.", {}}};
  CounterFamily conversion_panics_{registry_,
                                   {"controller_runtime_conversion_webhook_panics_total",
                                    "Exceptions of conversion webhooks.",
                                    {}}};
};

}  // namespace capstan::metrics

// SPDX-License-Identifier: Apache-2.0
// The metrics of controllers, webhooks and serving certificates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "capstan/metrics/metrics.h"
#include "metrics/testing/promtool.h"

namespace capstan::metrics {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Returns the samples of controllers, without HELP, TYPE and buckets.
std::string Samples(Metrics& metrics) {
  std::istringstream in(metrics.Serialize());
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const bool ours = line.rfind("controller_runtime_", 0) == 0 || line.rfind("capstan_", 0) == 0;
    if (ours && line.find("_bucket{") == std::string::npos) out += line + "\n";
  }
  return out;
}

TEST(ControllerMetricsTest, CreatesEverySeriesWhenAControllerRegisters) {
  Metrics metrics({});
  ControllerMetrics& controllers = metrics.controllers();

  controllers.Register("crd", 2);

  EXPECT_EQ(Samples(metrics),
            "controller_runtime_active_workers{controller=\"crd\"} 0\n"
            "controller_runtime_max_concurrent_reconciles{controller=\"crd\"} 2\n"
            "controller_runtime_reconcile_errors_total{controller=\"crd\"} 0\n"
            "controller_runtime_reconcile_panics_total{controller=\"crd\"} 0\n"
            "controller_runtime_reconcile_time_seconds_count{controller=\"crd\"} 0\n"
            "controller_runtime_reconcile_time_seconds_sum{controller=\"crd\"} 0\n"
            "controller_runtime_reconcile_timeouts_total{controller=\"crd\"} 0\n"
            "controller_runtime_reconcile_total{controller=\"crd\",result=\"error\"} 0\n"
            "controller_runtime_reconcile_total{controller=\"crd\",result=\"requeue\"} 0\n"
            "controller_runtime_reconcile_total{controller=\"crd\",result=\"requeue_after\"} 0\n"
            "controller_runtime_reconcile_total{controller=\"crd\",result=\"success\"} 0\n"
            "controller_runtime_terminal_reconcile_errors_total{controller=\"crd\"} 0\n");
}

TEST(ControllerMetricsTest, CountsReconciliationsByResult) {
  Metrics metrics({});
  ControllerMetrics& controllers = metrics.controllers();
  controllers.Register("crd", 1);
  using ReconcileResult = ControllerMetrics::ReconcileResult;

  controllers.AddActiveWorkers("crd", 1);
  controllers.OnReconcile("crd", ReconcileResult::kSuccess, milliseconds(500), false);
  controllers.OnReconcile("crd", ReconcileResult::kError, milliseconds(1500), true);
  controllers.OnReconcile("crd", ReconcileResult::kRequeueAfter, milliseconds(1), false);
  controllers.OnPanic("crd");
  controllers.OnTimeout("crd");
  controllers.OnCacheSyncTimeout("crd", "secrets");

  const std::string samples = Samples(metrics);
  for (const char* line :
       {"controller_runtime_active_workers{controller=\"crd\"} 1\n",
        "controller_runtime_reconcile_total{controller=\"crd\",result=\"success\"} 1\n",
        "controller_runtime_reconcile_total{controller=\"crd\",result=\"error\"} 1\n",
        "controller_runtime_reconcile_total{controller=\"crd\",result=\"requeue_after\"} 1\n",
        "controller_runtime_reconcile_errors_total{controller=\"crd\"} 1\n",
        "controller_runtime_terminal_reconcile_errors_total{controller=\"crd\"} 1\n",
        "controller_runtime_reconcile_panics_total{controller=\"crd\"} 1\n",
        "controller_runtime_reconcile_timeouts_total{controller=\"crd\"} 1\n",
        "controller_runtime_reconcile_time_seconds_count{controller=\"crd\"} 3\n",
        "capstan_cache_sync_timeouts_total{controller=\"crd\",resource=\"secrets\"} 1\n"}) {
    EXPECT_THAT(samples, HasSubstr(line));
  }
}

TEST(ControllerMetricsTest, UsesTheBucketsOfControllerRuntime) {
  Metrics metrics({});
  metrics.controllers().Register("crd", 1);

  std::string buckets;
  std::istringstream in(metrics.Serialize());
  for (std::string line; std::getline(in, line);) {
    const std::size_t le = line.find("le=\"");
    if (le != std::string::npos) buckets += line.substr(le + 4, line.rfind('"') - le - 4) + " ";
  }

  EXPECT_EQ(buckets,
            "0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 "
            "1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60 +Inf ");
}

TEST(WebhookMetricsTest, HasTheNamesLabelsAndBucketsOfControllerRuntime) {
  Metrics metrics({});
  WebhookMetrics& webhooks = *metrics.webhooks();

  webhooks.Register("/convert");
  webhooks.AddInFlight("/convert", 1);
  webhooks.OnResponse("/convert", 504, milliseconds(250));
  webhooks.OnPanic();

  EXPECT_EQ(Samples(metrics),
            "controller_runtime_conversion_webhook_panics_total 0\n"
            "controller_runtime_webhook_latency_seconds_count{webhook=\"/convert\"} 1\n"
            "controller_runtime_webhook_latency_seconds_sum{webhook=\"/convert\"} 0.25\n"
            "controller_runtime_webhook_panics_total 1\n"
            "controller_runtime_webhook_requests_in_flight{webhook=\"/convert\"} 1\n"
            "controller_runtime_webhook_requests_total{code=\"200\",webhook=\"/convert\"} 0\n"
            "controller_runtime_webhook_requests_total{code=\"500\",webhook=\"/convert\"} 0\n"
            "controller_runtime_webhook_requests_total{code=\"504\",webhook=\"/convert\"} 1\n");
  EXPECT_THAT(metrics.Serialize(), HasSubstr(R"({webhook="/convert",le="1e-08"} 0)"));
  EXPECT_THAT(metrics.Serialize(), HasSubstr(R"({webhook="/convert",le="1000"} 1)"));
}

TEST(ControllerMetricsTest, PassesPromtool) {
  if (!HasPromtool()) {
    GTEST_SKIP() << "promtool is not on PATH (Debian package prometheus): the exposition was NOT "
                    "checked by it";
  }
  Metrics metrics({});
  ControllerMetrics& controllers = metrics.controllers();
  controllers.Register("crd", 1);
  controllers.OnCacheSyncTimeout("crd", "secrets");
  metrics.webhooks()->Register("/convert");

  const auto answer = CheckWithPromtool(metrics.Serialize());

  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.output, "");
}

}  // namespace
}  // namespace capstan::metrics

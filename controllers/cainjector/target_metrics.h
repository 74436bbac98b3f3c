// SPDX-License-Identifier: Apache-2.0
// TargetMetrics: what is counted and measured of targets, of all kinds together. Thread-safe. The
// families are bounded (metrics/metrics.h). Of the gauges, the targets beyond the bound share one
// series, which holds the smallest value: 0 while one of them is out of sync, the first expiry.
#pragma once

#include <memory>

#include "metrics/metrics.h"

namespace controllers::cainjector {

struct TargetMetrics {
  explicit TargetMetrics(metrics::Metrics& metrics);
  // Of a test.
  TargetMetrics(std::unique_ptr<metrics::Metrics::Counter> the_injections,
                std::unique_ptr<metrics::Metrics::Gauge> the_in_sync,
                std::unique_ptr<metrics::Metrics::Gauge> the_expiration,
                std::unique_ptr<metrics::Metrics::Gauge> the_last_expiration);

  std::unique_ptr<metrics::Metrics::Counter> injections;     // {kind,source,result}
  std::unique_ptr<metrics::Metrics::Gauge> in_sync;          // {kind,name}
  std::unique_ptr<metrics::Metrics::Gauge> expiration;       // {kind,name}
  std::unique_ptr<metrics::Metrics::Gauge> last_expiration;  // {kind,name}
};

}  // namespace controllers::cainjector

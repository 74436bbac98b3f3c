// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/target_metrics.h"

#include <utility>

namespace controllers::cainjector {

TargetMetrics::TargetMetrics(metrics::Metrics& metrics)
    : TargetMetrics(
          metrics.NewCounter(
              "capstan_injection_total",
              "Looks at targets by kind, source and result (Injected, Unchanged, or why not).",
              {"kind", "source", "result"}),
          metrics.NewGauge("capstan_injectable_in_sync",
                           "1 when the target holds the CA bundle of its source, 0 when not.",
                           {"kind", "name"}, metrics::Overflow::kMin),
          metrics.NewGauge("capstan_cabundle_expiration_timestamp_seconds",
                           "When the first certificate in the target's CA bundles expires, also of "
                           "targets that ask for no injection.",
                           {"kind", "name"}, metrics::Overflow::kMin),
          metrics.NewGauge("capstan_cabundle_last_expiration_timestamp_seconds",
                           "When the last certificate in one of the target's CA bundles expires: "
                           "nothing verifies with that bundle from then on.",
                           {"kind", "name"}, metrics::Overflow::kMin)) {}

TargetMetrics::TargetMetrics(std::unique_ptr<metrics::Metrics::Counter> the_injections,
                             std::unique_ptr<metrics::Metrics::Gauge> the_in_sync,
                             std::unique_ptr<metrics::Metrics::Gauge> the_expiration,
                             std::unique_ptr<metrics::Metrics::Gauge> the_last_expiration)
    : injections(std::move(the_injections)),
      in_sync(std::move(the_in_sync)),
      expiration(std::move(the_expiration)),
      last_expiration(std::move(the_last_expiration)) {}

}  // namespace controllers::cainjector

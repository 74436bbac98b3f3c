// SPDX-License-Identifier: Apache-2.0
// GateMetrics are the metrics of the node agent. Thread-safe. A family costs nothing before its
// first value, and its number of series is bounded (metrics/metrics.h).
#pragma once

#include <memory>

#include "metrics/metrics.h"

namespace controllers::readinessgate {

struct GateMetrics {
  explicit GateMetrics(metrics::Metrics& metrics);

  using Counter = std::unique_ptr<metrics::Metrics::Counter>;
  using Gauge = std::unique_ptr<metrics::Metrics::Gauge>;
  Gauge pending;                                      // {gate}: pods that it is closed for
  std::unique_ptr<metrics::Metrics::Histogram> wait;  // seconds until a pod's gates were open
  Counter evaluations;                                // {result}: "open", "closed"
  Counter writes;                                     // {result}
  Counter reloads;                                    // {result}: of gate sets
  Gauge interval;                                     // seconds
  Counter wakeups;                                    // {cause}
  Counter runtime_events;                             // {type}
};

}  // namespace controllers::readinessgate

// SPDX-License-Identifier: Apache-2.0
// GateMetrics are the metrics of the node agent. Thread-safe. A family costs nothing before its
// first value, and its number of series is bounded (metrics/metrics.h).
#pragma once

#include <memory>

#include "capstan/metrics/metrics.h"

namespace capstan::readinessgate {

struct GateMetrics {
  using Counter = std::unique_ptr<metrics::Metrics::Counter>;
  using Gauge = std::unique_ptr<metrics::Metrics::Gauge>;
  using Histogram = std::unique_ptr<metrics::Metrics::Histogram>;

  metrics::Metrics& registry;
  Gauge pending = registry.NewGauge("capstan_gate_pending",
                                    "Pods of this node that wait for this gate now.", {"gate"});
  Histogram wait = registry.NewHistogram(
      "capstan_gate_wait_seconds",
      "How long pods waited, from when this process saw them until they carried the ready key.", {},
      {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600});
  Counter evaluations = registry.NewCounter(
      "capstan_gate_evaluations_total",
      "Evaluations of a pod's gates by result (open, closed). None sends a request to the API "
      "server.",
      {"result"});
  Counter writes = registry.NewCounter(
      "capstan_gate_writes_total", "Patches of pods by result (written, or why not).", {"result"});
  Counter reloads = registry.NewCounter(
      "capstan_gate_set_reloads_total",
      "Times the gate sets were read by result (success, invalid).", {"result"});
  Gauge interval = registry.NewGauge("capstan_loop_interval_seconds",
                                     "How long the gate loop sleeps now if nothing happens.", {});
  Counter wakeups = registry.NewCounter("capstan_loop_wakeups_total",
                                        "Passes of the gate loop by cause.", {"cause"});
  Counter runtime_events =
      registry.NewCounter("capstan_cri_events_total",
                          "What came from the container runtime's event broker by type.", {"type"});
};

}  // namespace capstan::readinessgate

// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gate_metrics.h"

namespace controllers::readinessgate {

GateMetrics::GateMetrics(metrics::Metrics& metrics)
    : pending(metrics.NewGauge("capstan_gate_pending",
                               "Pods of this node that wait for this gate now.", {"gate"})),
      wait(metrics.NewHistogram(
          "capstan_gate_wait_seconds",
          "How long pods waited for their gates, from when this process saw them.", {},
          {0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600})),
      evaluations(metrics.NewCounter("capstan_gate_evaluations_total",
                                     "Evaluations of a pod's gates by result (open, closed). None "
                                     "sends a request to the API server.",
                                     {"result"})),
      writes(metrics.NewCounter("capstan_gate_writes_total",
                                "Patches of pods by result (written, or why not).", {"result"})),
      reloads(metrics.NewCounter("capstan_gate_set_reloads_total",
                                 "Times the gate sets were read by result (success, invalid).",
                                 {"result"})),
      interval(metrics.NewGauge("capstan_loop_interval_seconds",
                                "How long the gate loop sleeps now if nothing happens.", {})),
      wakeups(metrics.NewCounter("capstan_loop_wakeups_total", "Passes of the gate loop by cause.",
                                 {"cause"})),
      runtime_events(metrics.NewCounter(
          "capstan_cri_events_total",
          "What came from the container runtime's event broker by type.", {"type"})) {}

}  // namespace controllers::readinessgate

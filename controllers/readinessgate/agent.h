// SPDX-License-Identifier: Apache-2.0
// Agent opens the readiness gates of one node's pods. A pod whose gates are all open gets the ready
// key, which csi-driver waits for. The agent connects these parts and owns them:
//
//   API server ==> GateConfig ----Wake----> PassTicker <----Wake---- RuntimeEvents <== broker
//                 (rules, caches)               | the next pass is due, or single pods
//                      +----------------> PodReconciler --SetOutput--> PodWriter ==> API server
//
// Without gates it sends no request. With gates it watches: an evaluation reads caches only. A
// restart neither closes nor rewrites anything. It has no upstream counterpart: csi-driver polls
// and evaluates its gates itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/metrics/metrics.h"
#include "capstan/record/event_recorder.h"
#include "capstan/rest/client.h"
#include "capstan/runnable.h"
#include "controllers/readinessgate/events/runtime_events.h"
#include "controllers/readinessgate/gate_config.h"
#include "controllers/readinessgate/gate_metrics.h"
#include "controllers/readinessgate/options.h"
#include "controllers/readinessgate/pass_ticker.h"
#include "controllers/readinessgate/pod_reconciler.h"
#include "controllers/readinessgate/pod_writer.h"

namespace capstan::readinessgate {

class Agent final : public Runnable {
 public:
  struct Collaborators {
    rest::Client& client;
    record::EventRecorder& events;
    metrics::Metrics& metrics;
  };
  // The collaborators outlive it.
  Agent(const Collaborators& with, AgentOptions options);

  // Blocks until `stop`. Fails when the socket for runtime events cannot be opened.
  Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "node-agent"; }
  // For /readyz: every pod of the node has been evaluated once, and all caches are synced. The
  // error names the caches that are not. Thread-safe.
  Expected<void> Ready() const;
  // For status pages. Both are thread-safe and never wait for a pass.
  std::vector<PodReconciler::SeenPod> Pods() const { return reconciler_.Seen(); }
  std::vector<cache::SharedInformerFactory::CacheStatus> CacheStatuses() const {
    return config_.CacheStatuses();
  }

 private:
  Expected<void> OpenRuntimeEvents();
  PassResult RunPass();
  void ReconcileAtOnce(const std::vector<std::string>& pods);

  const AgentOptions options_;
  const GateMetrics metrics_;
  const std::unique_ptr<metrics::Metrics::Counter> lookups_;
  // Each part only knows those before it.
  PassTicker ticker_;
  GateConfig config_;
  PodWriter writer_;
  PodReconciler reconciler_;
  std::unique_ptr<RuntimeEvents> runtime_events_;  // null: not configured
  std::optional<GateConfig::InUse> in_use_;        // by the last pass
  bool changed_at_once_ = false;                   // since then, by ReconcileAtOnce
  std::uint64_t failures_seen_ = 0;
  std::atomic<bool> first_pass_done_ = false;
};

}  // namespace capstan::readinessgate

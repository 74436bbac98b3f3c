// SPDX-License-Identifier: Apache-2.0
// Agent: the readiness gates of one node's pods, put together: caches, the loop, the passes it
// makes, the writer. A pod whose gates are all open gets the ready key, which csi-driver waits for.
//
// Without gates it sends no request at all. With gates it watches; it asks nothing again and again:
// an evaluation reads caches. A restart neither closes nor rewrites anything. Start blocks; Ready
// is thread-safe. No upstream: csi-driver evaluates its gates itself, and polls.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "controllers/readinessgate/events/runtime_events.h"
#include "controllers/readinessgate/gate_metrics.h"
#include "controllers/readinessgate/gate_pass.h"
#include "controllers/readinessgate/generations.h"
#include "controllers/readinessgate/loop/gate_loop.h"
#include "controllers/readinessgate/options.h"
#include "controllers/readinessgate/pod_writer.h"
#include "controllers/runtime/runnable.h"
#include "metrics/metrics.h"

namespace controllers::readinessgate {

class Agent final : public runtime::Runnable {
 public:
  struct Collaborators {
    clientgo::rest::Client& client;
    clientgo::record::EventRecorder& events;
    metrics::Metrics& metrics;
  };
  // All outlive it.
  Agent(const Collaborators& with, AgentOptions options);
  ~Agent() override;

  // Runnable: an error when the socket for runtime events cannot be opened.
  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "node-agent"; }
  // For /readyz: every pod of the node has been looked at once, and all caches are synced. The
  // error names the caches that are not.
  clientgo::util::Expected<void> Ready() const;
  // For people who look. Thread-safe; neither waits for a pass.
  std::vector<GatePass::SeenPod> Pods() const { return pass_.Seen(); }
  std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> Caches() const {
    return generations_.Caches();
  }

 private:
  PassResult Pass();
  void ShowRuntimeEvents();

  const AgentOptions options_;
  const GateMetrics metrics_;
  const std::unique_ptr<metrics::Metrics::Counter> lookups_;
  GateLoop loop_;
  Generations generations_;
  GatePass pass_;
  PodWriter writer_;
  std::unique_ptr<RuntimeEvents> runtime_events_;
  RuntimeEvents::Counts shown_;  // in the metrics
  std::uint64_t failures_seen_ = 0;
  std::atomic<bool> first_pass_done_ = false;
};

}  // namespace controllers::readinessgate

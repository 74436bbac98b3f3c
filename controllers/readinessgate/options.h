// SPDX-License-Identifier: Apache-2.0
// AgentOptions configures a node agent. cmd/node-agent fills it from flags.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "capstan/backoff.h"
#include "capstan/clock.h"
#include "capstan/runtime/object.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/pass_ticker.h"
#include "controllers/readinessgate/pod_output.h"

namespace capstan::readinessgate {

struct AgentOptions {
  std::string node_name;
  std::string csi_driver = "csi.cert-manager.io";
  std::shared_ptr<const GateSet> default_gates = {};    // for pods that name no set; null: none
  std::shared_ptr<const GateSet> mandatory_gates = {};  // for every pod; null: none
  PodsWithoutGates pods_without_gates = PodsWithoutGates::kOpen;
  std::optional<runtime::ObjectKey> gate_sets = {};  // the ConfigMap with named sets
  OutputKinds outputs = {};
  // A pod that waits longer gets an Event with the reason. 0: never.
  std::chrono::nanoseconds pending_event_after = std::chrono::minutes(1);
  LoopMode loop_mode = LoopMode::kAdaptive;
  std::string runtime_events_socket = {};  // empty: no socket is opened
  bool watch_list = true;                  // the WatchListClient gate
  // All agents see a change of the gate sets at once. Each waits for a random part of this time
  // before it lists what the new sets need.
  std::chrono::nanoseconds relist_spread = std::chrono::seconds(5);
  std::function<double()> random = RandomUnit;  // in [0, 1)
  std::string field_manager = "capstan-node-agent";
  std::string version = {};  // of the program, for the status
  Clock& clock = Clock::Real();

  // Without gates the agent sends no request.
  bool HasGates() const {
    return default_gates != nullptr || mandatory_gates != nullptr || gate_sets.has_value();
  }
};

}  // namespace capstan::readinessgate

// SPDX-License-Identifier: Apache-2.0
// Options: what the command line of capstan-node-agent says, as plain validated values. This is the
// only place that reads its flags and feature gates; everything below gets options.
//
// What csi-driver has too (--node-id, --pod-readiness-gate with its grammar and its error texts) is
// the same here. Set up once, before threads start.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "clientgo/util/error.h"
#include "cmd/internal/program/options.h"
#include "cmd/internal/program/program.h"
#include "controllers/readinessgate/options.h"
#include "controllers/runtime/serving.h"
#include "featuregate/feature_gate.h"

namespace cmd::node_agent {

struct Options : program::CommonOptions {
  controllers::readinessgate::AgentOptions agent;
  // After an outage of the API server the agents of all nodes return within this time.
  std::chrono::nanoseconds recovery_spread = std::chrono::seconds(5);
};

// The values after FlagSet::Parse; sets `gates` from --feature-gates. kInvalidArgument: one line
// that names the flag and the remedy.
clientgo::util::Expected<Options> ReadOptions(featuregate::FeatureGate& gates);

}  // namespace cmd::node_agent

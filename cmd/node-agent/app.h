// SPDX-License-Identifier: Apache-2.0
// The App of capstan-node-agent: the client, the agent and the endpoints, which one Manager runs.
// There is no leader election, because each node has its own agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/program.h"
#include "cmd/node-agent/options.h"

namespace capstan::cmd::node_agent {

// Reads the kubeconfig and makes the client; sends no request. Run fails when the socket for
// runtime events cannot be opened. An API server that cannot be used is not an error: requests are
// retried, and /readyz reports the reason.
Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags);

}  // namespace capstan::cmd::node_agent

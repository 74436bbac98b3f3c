// SPDX-License-Identifier: Apache-2.0
// What the agent's /statusz says of the pods on its node. A pure function.
#pragma once

#include <vector>

#include "controllers/readinessgate/gate_pass.h"
#include "statusz/page.h"

namespace cmd::node_agent {

// Who waits comes first.
statusz::Table PodsTable(const std::vector<controllers::readinessgate::GatePass::SeenPod>& pods);

}  // namespace cmd::node_agent

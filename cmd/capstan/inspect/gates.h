// SPDX-License-Identifier: Apache-2.0
// Gates reads what the node agent wrote to pods: the gate set, and each gate's state and since
// when. An agent with --output=condition only writes whether all gates are open.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "cmd/capstan/inspect/terminal.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::cmd::cli::inspect {

struct PodGates {
  std::string pod = {};  // "namespace/name"
  std::string set = {};  // from the annotation; empty: the agent's flags apply
  std::string state =
      {};  // "Pending", "Open", "Latched", "Error"; "Unknown": not written by the agent
  readinessgate::PodStatus status = {};
  std::string reason = {};  // the condition's reason, if there is no status
  std::string since = {};   // the condition's lastTransitionTime
};

// Returns the pods (all, of a namespace, or one) that have the agent's status or condition.
// kNotFound: the named pod has neither.
Expected<std::vector<PodGates>> Gates(const std::stop_token& stop, rest::Client& client,
                                      const std::string& ns, const std::string& name);
// Returns a table with a row for each gate.
std::string GatesTable(const std::vector<PodGates>& pods, const Terminal& terminal);
// Returns an empty line, then the fix for each reason that waiting does not resolve. Empty: there
// is no such reason.
std::string GatesHints(const std::vector<PodGates>& pods);
std::string GatesJson(const std::vector<PodGates>& pods);

}  // namespace capstan::cmd::cli::inspect

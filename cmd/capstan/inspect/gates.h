// SPDX-License-Identifier: Apache-2.0
// Gates: what the node agent wrote on pods: each pod's gate set, each gate's state, and since when.
// An agent with --output=condition writes no more than whether all of them are open.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"
#include "cmd/capstan/inspect/terminal.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace cmd::capstan::inspect {

struct PodGates {
  std::string pod = {};    // "namespace/name"
  std::string set = {};    // the annotation's; empty: the agent's flags count
  std::string state = {};  // "Pending", "Open", "Latched", "Error"; "Unknown": not the agent's text
  controllers::readinessgate::PodStatus status = {};
  std::string reason = {};  // of the condition, when there is nothing but that
  std::string since = {};   // its lastTransitionTime
};

// Of all pods, of a namespace's, or of one: those that carry the agent's status or condition. Of
// one that does not, kNotFound says what that means.
clientgo::util::Expected<std::vector<PodGates>> Gates(const std::stop_token& stop,
                                                      clientgo::rest::Client& client,
                                                      const std::string& ns,
                                                      const std::string& name);
// A row for each gate.
std::string GatesTable(const std::vector<PodGates>& pods, const Terminal& terminal);
// What to do about each reason that waiting does not resolve: a line each, under an empty line.
// Empty: there is none.
std::string GatesHints(const std::vector<PodGates>& pods);
std::string GatesJson(const std::vector<PodGates>& pods);

}  // namespace cmd::capstan::inspect

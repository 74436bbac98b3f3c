// SPDX-License-Identifier: Apache-2.0
// Explanation: every link from a target's annotation to the bundle in it, the first broken one, and
// what mends it. Never holds secret data: of a source only names, annotations and expiry are told.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/rest/client.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/terminal.h"

namespace cmd::capstan::inspect {

struct ChainLink {
  enum class State { kOk, kWaits, kBroken, kUnknown, kNotReached };
  std::string name = {};  // "Secret"
  State state = State::kNotReached;
  std::string detail = {};
};

struct Explanation {
  std::string kind = {};
  std::string name = {};
  // ToString(State); "NotAsked": no annotation asks for injection; "NotWatched": Finding::watched
  std::string state = {};
  std::string reason = {};  // as docs/reasons.md has it; empty when NotAsked or NotWatched
  std::string message = {};
  std::vector<ChainLink> links = {};
  std::string manager = {};  // who injects, when that matters: the Lease's holder
  std::vector<std::string> notes = {};
  std::string mend = {};  // a kubectl command; of what is Unknown: a capstan command

  bool all_well() const { return state == "InSync" || state == "Skipped"; }
  bool unknown() const { return state == "Unknown"; }
};

// A few more GETs for the names on the way: of a Certificate, and of the manager's Lease.
Explanation Explain(const std::stop_token& stop, clientgo::rest::Client& client,
                    const Finding& finding);

std::string ToText(const Explanation& explanation, const Terminal& terminal);
std::string ToJson(const Explanation& explanation);

}  // namespace cmd::capstan::inspect

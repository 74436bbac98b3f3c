// SPDX-License-Identifier: Apache-2.0
// Explanation lists every link from a target's annotation to its bundle, the first broken link, and
// the fix. Of a source it contains only names, annotations and expiry, never secret data.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "capstan/rest/client.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::cli::inspect {

struct ChainLink {
  enum class State { kOk, kWaits, kBroken, kUnknown, kNotReached };
  std::string name = {};  // "Secret"
  State state = State::kNotReached;
  std::string detail = {};
  std::string reason = {};  // of a server: its outcome, see docs/trust.md
};

struct Explanation {
  std::string kind = {};
  std::string name = {};
  // ToString(State); "NotRequested": no annotation; "NotWatched": see Finding::watched
  std::string state = {};
  // See docs/reasons.md, "Endpoint" and an outcome of docs/trust.md, or empty when NotRequested or
  // NotWatched.
  std::string reason = {};
  std::string message = {};
  std::vector<ChainLink> links = {};
  std::string manager = {};  // the Lease's holder, if the target is pending
  std::vector<std::string> notes = {};
  // A command of kubectl, or of capstan when the state is Unknown. Without a command, it is "# "
  // and what to do in words.
  std::string fix = {};

  bool all_well() const { return state == "InSync" || state == "Skipped"; }
  bool unknown() const { return state == "Unknown"; }
};

// Sends GETs for a Certificate and for the manager's Lease.
Explanation Explain(const std::stop_token& stop, rest::Client& client, const Finding& finding);

std::string ToText(const Explanation& explanation, const Terminal& terminal);
std::string ToJson(const Explanation& explanation);

}  // namespace capstan::cmd::cli::inspect

// SPDX-License-Identifier: Apache-2.0
// Verifies the servers that the API server calls for targets, from where this program runs.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "cmd/capstan/inspect/finding.h"
#include "cmd/capstan/inspect/terminal.h"
#include "controllers/cainjector/endpoints/endpoint_check.h"

namespace capstan::cmd::cli::inspect {

// ServerFinding is the state of one server of a target.
struct ServerFinding {
  std::string kind;  // of the target
  std::string name;
  cainjector::EndpointResult result;

  bool verified() const { return result.verdict.outcome == cainjector::EndpointOutcome::kVerified; }
  // Returns whether the Service or its endpoints could not be read.
  bool unknown() const { return result.verdict.outcome == cainjector::EndpointOutcome::kUnknown; }
};
using ServerFindings = std::vector<ServerFinding>;

// Verifies the servers of these targets, and returns them in that order. Each server is asked once,
// four at a time. The error is that of reading a target, or kCanceled.
Expected<ServerFindings> VerifyServers(const std::stop_token& stop,
                                       const cainjector::EndpointCheck& check,
                                       const std::vector<Finding>& targets);

std::string ServersTable(const ServerFindings& servers, const Terminal& terminal);
// Returns {"items":[{"kind","name","place","server","address","outcome","expires","message"}]}.
std::string ServersJson(const ServerFindings& servers);

}  // namespace capstan::cmd::cli::inspect

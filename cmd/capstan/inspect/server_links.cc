// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/server_links.h"

#include <string>
#include <utility>
#include <vector>

#include "cmd/capstan/inspect/endpoints.h"
#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect/server_fix.h"
#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cmd::cli::inspect {
namespace {

using LinkState = ChainLink::State;

constexpr const char* kName = "server";

bool CallsServers(const Finding& finding) {
  const auto& gvr = finding.target->type().gvr;
  const auto* type = cainjector::TargetServersType(gvr.resource);
  return type != nullptr && type->gvr == gvr && finding.state != State::kSkipped;
}

// Returns the failure of an unknown outcome. The API server's message names a missing right.
cainjector::Failure FailureOf(const cainjector::EndpointResult& result) {
  const std::string& message = result.verdict.message;
  const bool forbidden = message.find("is forbidden") != std::string::npos;
  return {.reason = forbidden ? cainjector::Reason::kForbidden : cainjector::Reason::kError,
          .message = message,
          .error = {.reason = forbidden ? ErrorReason::kForbidden : ErrorReason::kUnknown,
                    .message = message}};
}

LinkState StateOf(const cainjector::EndpointResult& result, bool as_oneself) {
  if (result.verdict.outcome == cainjector::EndpointOutcome::kVerified) return LinkState::kOk;
  const bool unknown = result.verdict.outcome == cainjector::EndpointOutcome::kUnknown &&
                       IsAboutCaller(FailureOf(result), as_oneself);
  return unknown ? LinkState::kUnknown : LinkState::kBroken;
}

ChainLink LinkOf(const cainjector::EndpointResult& result, bool as_oneself) {
  const auto& [outcome, message, expires] = result.verdict;
  ChainLink link{.name = kName,
                 .state = StateOf(result, as_oneself),
                 .detail = result.server,
                 .reason = std::string(ToString(outcome))};
  if (link.state == LinkState::kOk) {
    link.detail += " of the " + result.place + " is trusted";
    if (expires) link.detail += ", expires " + cainjector::ExpiryText(*expires);
    return link;
  }
  if (!result.address.empty() && result.address != result.server) {
    link.detail += " at " + result.address;
  }
  if (!result.place.empty()) link.detail += " of the " + result.place + ": ";
  link.detail += link.reason + ": " + message;
  return link;
}

// Sets the conclusion of an explanation whose link to this server is not fine.
void Conclude(const Finding& finding, const cainjector::EndpointResult& result,
              const ChainLink& link, Explanation& explanation) {
  explanation.message = link.detail;
  const bool unknown = link.state == LinkState::kUnknown;
  explanation.state = ToString(unknown ? State::kUnknown : State::kBroken);
  const auto fix =
      FixOfServer(KubectlName(*finding.target) + " " + ShellQuoted(finding.name()), result);
  if (result.verdict.outcome != cainjector::EndpointOutcome::kUnknown) {
    explanation.reason = "Endpoint" + link.reason;  // as the manager's Event
    explanation.fix = fix.Text();
    return;
  }
  Finding failed = finding;
  Break(failed, FailureOf(result));
  explanation.reason = ToString(failed.reason);
  explanation.fix = unknown ? FixUnknown(failed, "--endpoints") : FixOf(failed, {});
}

}  // namespace

void AddServerLinks(const std::stop_token& stop, const cainjector::EndpointCheck& check,
                    const Finding& finding, bool as_oneself, Explanation& explanation) {
  if (explanation.links.empty() || !CallsServers(finding)) return;
  if (finding.state != State::kInSync) {
    explanation.links.push_back({.name = kName});
    return;
  }
  std::vector<cainjector::EndpointResult> results;
  if (auto servers = VerifyServers(stop, check, {finding})) {
    for (ServerFinding& server : *servers) results.push_back(std::move(server.result));
  } else {
    results.emplace_back().verdict = {
        .outcome = cainjector::EndpointOutcome::kUnknown,
        .message = "failed to read the servers: " + servers.error().message};
  }
  bool broken = false;  // wins over unknown
  bool unknown = false;
  for (const cainjector::EndpointResult& result : results) {
    ChainLink link = LinkOf(result, as_oneself);
    const bool breaks = link.state == LinkState::kBroken;
    const bool hides = link.state == LinkState::kUnknown;
    if ((breaks && !broken) || (hides && !broken && !unknown)) {
      Conclude(finding, result, link, explanation);
    }
    broken = broken || breaks;
    unknown = unknown || hides;
    explanation.links.push_back(std::move(link));
  }
  if (!broken && !unknown && !results.empty()) {
    explanation.message += ", and its servers are trusted";
  }
}

}  // namespace capstan::cmd::cli::inspect

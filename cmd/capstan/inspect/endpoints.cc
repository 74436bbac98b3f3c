// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/endpoints.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

#include "capstan/clientgo/util/thread.h"
#include "cmd/capstan/inspect/json_items.h"

namespace capstan::cmd::cli::inspect {
namespace {

using clientgo::runtime::WriteField;
using clientgo::util::Err;
using clientgo::util::Expected;
using controllers::cainjector::EndpointResult;

constexpr std::size_t kAtATime = 4;

Tone ToneOf(const ServerFinding& server) {
  if (server.verified()) return Tone::kGood;
  return server.unknown() ? Tone::kWait : Tone::kBad;
}

std::string Expires(const ServerFinding& server) {
  const auto& expires = server.result.verdict.expires;
  return expires ? controllers::cainjector::ExpiryText(*expires) : std::string();
}

std::string OrDash(std::string text) { return text.empty() ? "-" : std::move(text); }

}  // namespace

Expected<ServerFindings> VerifyServers(const std::stop_token& stop,
                                       const controllers::cainjector::EndpointCheck& check,
                                       const std::vector<Finding>& targets) {
  std::vector<Expected<std::vector<EndpointResult>>> results(targets.size());
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(kAtATime, targets.size()); ++i) {
      workers.push_back(clientgo::util::StartThread("endpoints", [&](const std::stop_token&) {
        for (std::size_t at = next++; at < targets.size(); at = next++) {
          const Finding& target = targets[at];
          results[at] = check.Run(stop, target.target->type().gvr.resource, target.name());
        }
      }));
    }
  }
  ServerFindings servers;
  for (std::size_t at = 0; at < targets.size(); ++at) {
    if (!results[at]) return Err(std::move(results[at].error()));
    for (EndpointResult& result : *results[at]) {
      servers.push_back({targets[at].kind(), targets[at].name(), std::move(result)});
    }
  }
  return servers;
}

std::string ServersTable(const ServerFindings& servers, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const ServerFinding& server : servers) {
    const EndpointResult& result = server.result;
    rows.push_back({{std::string(ToString(result.verdict.outcome)), ToneOf(server)},
                    {server.kind},
                    {server.name},
                    {result.place},
                    {result.server},
                    {OrDash(result.address)},
                    {OrDash(Expires(server))},
                    {result.verdict.message, Tone::kFaint}});
  }
  return Table(terminal,
               {"OUTCOME", "KIND", "NAME", "PLACE", "SERVER", "ADDRESS", "EXPIRES", "MESSAGE"},
               rows);
}

std::string ServersJson(const ServerFindings& servers) {
  return ItemsJson(servers,
                   [&](clientgo::runtime::JsonWriter& writer, const ServerFinding& server) {
                     WriteField(writer, "kind", server.kind);
                     WriteField(writer, "name", server.name);
                     WriteField(writer, "place", server.result.place);
                     WriteField(writer, "server", server.result.server);
                     WriteField(writer, "address", server.result.address);
                     WriteField(writer, "outcome", ToString(server.result.verdict.outcome));
                     WriteField(writer, "expires", Expires(server));
                     WriteField(writer, "message", server.result.verdict.message);
                   });
}

}  // namespace capstan::cmd::cli::inspect

// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/endpoints.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <thread>
#include <utility>

#include "capstan/thread.h"
#include "cmd/capstan/inspect/json_items.h"

namespace capstan::cmd::cli::inspect {
namespace {

constexpr std::size_t kAtATime = 4;

Tone ToneOf(const ServerFinding& server) {
  if (server.verified()) return Tone::kGood;
  return server.unknown() ? Tone::kWait : Tone::kBad;
}

std::string Expires(const ServerFinding& server) {
  const auto& expires = server.result.verdict.expires;
  return expires ? cainjector::ExpiryText(*expires) : std::string();
}

std::string OrDash(std::string text) { return text.empty() ? "-" : std::move(text); }

// Returns the servers of these targets in their order, or nullptr if a target calls none.
Expected<std::vector<cainjector::TargetServersPtr>> ReadServers(
    const std::stop_token& stop, const cainjector::EndpointCheck& check,
    const std::vector<Finding>& targets) {
  std::map<std::string, std::vector<std::size_t>> by_resource;
  for (std::size_t at = 0; at < targets.size(); ++at) {
    by_resource[targets[at].target->type().gvr.resource].push_back(at);
  }
  std::vector<cainjector::TargetServersPtr> servers(targets.size());
  for (const auto& [resource, positions] : by_resource) {
    std::vector<std::string> names;
    for (const std::size_t at : positions) names.push_back(targets[at].name());
    auto read = check.Read(stop, resource, names);
    if (!read) return Err(std::move(read.error()));
    for (std::size_t i = 0; i < names.size(); ++i) servers[positions[i]] = (*read)[i];
  }
  return servers;
}

struct Asked {
  const cainjector::ServerReference* reference = nullptr;
  cainjector::ServerAnswers answers = {};
};

void AskAll(const std::stop_token& stop, const cainjector::EndpointCheck& check,
            std::map<std::string, Asked>& servers) {
  std::vector<Asked*> all;
  all.reserve(servers.size());
  for (auto& [key, server] : servers) all.push_back(&server);
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min(kAtATime, all.size()); ++i) {
    workers.push_back(StartThread("endpoints", [&](const std::stop_token&) {
      for (std::size_t at = next++; at < all.size(); at = next++) {
        all[at]->answers = check.Ask(stop, *all[at]->reference);
      }
    }));
  }
}

}  // namespace

Expected<ServerFindings> VerifyServers(const std::stop_token& stop,
                                       const cainjector::EndpointCheck& check,
                                       const std::vector<Finding>& targets) {
  const auto read = ReadServers(stop, check, targets);
  if (!read) return Err(read.error());
  std::map<std::string, Asked> asked;  // many targets have the same server
  for (const cainjector::TargetServersPtr& target : *read) {
    if (target == nullptr) continue;
    for (const auto& server : target->servers()) {
      asked[server.reference.Key()].reference = &server.reference;
    }
  }
  AskAll(stop, check, asked);
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "stopped");
  ServerFindings servers;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  for (std::size_t at = 0; at < targets.size(); ++at) {
    if ((*read)[at] == nullptr) continue;
    for (const auto& server : (*read)[at]->servers()) {
      servers.push_back(
          {targets[at].kind(), targets[at].name(),
           Judge(server, asked.at(server.reference.Key()).answers, *server.ca_bundle, now)});
    }
  }
  return servers;
}

std::string ServersTable(const ServerFindings& servers, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const ServerFinding& server : servers) {
    const cainjector::EndpointResult& result = server.result;
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
  return ItemsJson(servers, [&](runtime::JsonWriter& writer, const ServerFinding& server) {
    runtime::WriteField(writer, "kind", server.kind);
    runtime::WriteField(writer, "name", server.name);
    runtime::WriteField(writer, "place", server.result.place);
    runtime::WriteField(writer, "server", server.result.server);
    runtime::WriteField(writer, "address", server.result.address);
    runtime::WriteField(writer, "outcome", ToString(server.result.verdict.outcome));
    runtime::WriteField(writer, "expires", Expires(server));
    runtime::WriteField(writer, "message", server.result.verdict.message);
  });
}

}  // namespace capstan::cmd::cli::inspect

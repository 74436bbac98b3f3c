// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_check.h"

#include <map>
#include <memory>
#include <utility>

namespace capstan::cainjector {
namespace {

// Definitions are large, and few of many have a conversion webhook.
Expected<std::vector<TargetServersPtr>> GetEach(const std::stop_token& stop, rest::Client& client,
                                                const runtime::ResourceType& type,
                                                const std::vector<std::string>& names) {
  std::vector<TargetServersPtr> found;
  for (const std::string& name : names) {
    const auto object = client.Get(stop, type, {.namespace_ = "", .name = name});
    if (!object && !IsNotFound(object.error())) return Err(object.error());
    found.push_back(object ? runtime::StaticObjectCast<TargetServers>(*object) : nullptr);
  }
  return found;
}

}  // namespace

EndpointCheck::EndpointCheck(rest::Client& client)
    : EndpointCheck(client, std::make_shared<transport::TlsProbe>()) {}

EndpointCheck::EndpointCheck(rest::Client& client,
                             const std::shared_ptr<transport::TlsProbe>& probe)
    : EndpointCheck(
          client,
          [probe](std::stop_token stop, const transport::TlsProbe::Server& server) {
            return probe->PeerCertificates(std::move(stop), server, kHandshakeTimeout);
          },
          [probe](const std::stop_token& stop, const std::string& host) {
            return probe->Addresses(stop, host, kHandshakeTimeout);
          }) {}

EndpointCheck::EndpointCheck(rest::Client& client, Probe probe, Lookup lookup)
    : client_(client), probe_(std::move(probe)), lookup_(std::move(lookup)) {}

// The rights are those of the targets' caches: `list`, and for definitions `get`.
Expected<std::vector<TargetServersPtr>> EndpointCheck::Read(
    std::stop_token stop, const std::string& resource,
    const std::vector<std::string>& names) const {
  const runtime::ResourceType* type = TargetServersType(resource);
  std::vector<TargetServersPtr> found(names.size());
  if (type == nullptr || names.empty()) return found;
  if (type->kind == "CustomResourceDefinition") return GetEach(stop, client_, *type, names);
  std::map<std::string_view, TargetServersPtr*> wanted;
  for (std::size_t i = 0; i < names.size(); ++i) wanted.emplace(names[i], &found[i]);
  rest::ListOptions options;
  if (names.size() == 1) options.field_selector = "metadata.name=" + names.front();
  const auto listed =
      client_.List(std::move(stop), *type, options, [&](const runtime::ObjectPtr& object) {
        const auto slot = wanted.find(object->name());
        if (slot != wanted.end()) *slot->second = runtime::StaticObjectCast<TargetServers>(object);
      });
  if (!listed) return Err(listed.error());
  return found;
}

ServerAnswer EndpointCheck::AskAt(const std::stop_token& stop, const ServerReference& server,
                                  const ServerAddress& address) const {
  return {.address = HostPort(address.host, address.port),
          .chain = probe_(stop, {.host = address.host,
                                 .port = std::to_string(address.port),
                                 .name = server.ServerName()})};
}

// A tenant may choose the host, so that each address may take the whole time of a handshake.
// Therefore the second address that cannot be asked ends it.
std::vector<ServerAnswer> EndpointCheck::AskHost(const std::stop_token& stop,
                                                 const ServerReference& server,
                                                 const ServerAddress& host) const {
  const auto found = lookup_(stop, host.host);
  if (!found) return {{.address = HostPort(host.host, host.port), .chain = Err(found.error())}};
  std::vector<ServerAnswer> answers;
  std::vector<ServerAnswer> failures;
  for (const std::string& address : *found) {
    if (answers.size() == kServiceAddressesMax || failures.size() == 2) break;
    auto answer = AskAt(stop, server, {.host = address, .port = host.port});
    (answer.chain ? answers : failures).push_back(std::move(answer));
  }
  return answers.empty() ? failures : answers;
}

ServerAnswers EndpointCheck::Ask(const std::stop_token& stop, const ServerReference& server,
                                 std::size_t replicas_max) const {
  ServerAnswers answers;
  if (server.service.name.empty()) {
    answers.answers = AskHost(stop, server, {.host = server.host, .port = server.port});
    return answers;
  }
  const auto found = FindServiceAddresses(stop, client_, server.service, server.port, replicas_max);
  if (!found) {
    answers.no_address = found.error();
    return answers;
  }
  if (found->external) {
    answers.answers = AskHost(stop, server, found->addresses.front());
    return answers;
  }
  answers.all_replicas = found->all;
  for (const ServerAddress& address : found->addresses) {
    answers.answers.push_back(AskAt(stop, server, address));
    if (!answers.answers.back().chain) break;
  }
  return answers;
}

}  // namespace capstan::cainjector

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_check.h"

#include <map>
#include <memory>
#include <utility>

namespace capstan::controllers::cainjector {
namespace {

using clientgo::runtime::ObjectPtr;
using clientgo::runtime::ResourceType;
using clientgo::runtime::StaticObjectCast;
using clientgo::transport::TlsProbe;
using clientgo::util::Err;
using clientgo::util::Expected;

EndpointCheck::Probe NewProbe() {
  return
      [probe = std::make_shared<TlsProbe>()](std::stop_token stop, const TlsProbe::Server& server) {
        return probe->PeerCertificates(std::move(stop), server, kHandshakeTimeout);
      };
}

// Definitions are large, and few of many have a conversion webhook.
Expected<std::vector<TargetServersPtr>> GetEach(const std::stop_token& stop,
                                                clientgo::rest::Client& client,
                                                const ResourceType& type,
                                                const std::vector<std::string>& names) {
  std::vector<TargetServersPtr> found;
  for (const std::string& name : names) {
    const auto object = client.Get(stop, type, {.namespace_ = "", .name = name});
    if (!object && !IsNotFound(object.error())) return Err(object.error());
    found.push_back(object ? StaticObjectCast<TargetServers>(*object) : nullptr);
  }
  return found;
}

}  // namespace

EndpointCheck::EndpointCheck(clientgo::rest::Client& client) : EndpointCheck(client, NewProbe()) {}

EndpointCheck::EndpointCheck(clientgo::rest::Client& client, Probe probe)
    : client_(client), probe_(std::move(probe)) {}

// The rights are those of the targets' caches: `list`, and for definitions `get`.
Expected<std::vector<TargetServersPtr>> EndpointCheck::Read(
    std::stop_token stop, const std::string& resource,
    const std::vector<std::string>& names) const {
  const ResourceType* type = TargetServersType(resource);
  std::vector<TargetServersPtr> found(names.size());
  if (type == nullptr || names.empty()) return found;
  if (type->kind == "CustomResourceDefinition") return GetEach(stop, client_, *type, names);
  std::map<std::string_view, TargetServersPtr*> wanted;
  for (std::size_t i = 0; i < names.size(); ++i) wanted.emplace(names[i], &found[i]);
  clientgo::rest::ListOptions options;
  if (names.size() == 1) options.field_selector = "metadata.name=" + names.front();
  const auto listed = client_.List(std::move(stop), *type, options, [&](const ObjectPtr& object) {
    const auto slot = wanted.find(object->name());
    if (slot != wanted.end()) *slot->second = StaticObjectCast<TargetServers>(object);
  });
  if (!listed) return Err(listed.error());
  return found;
}

ServerAnswers EndpointCheck::Ask(const std::stop_token& stop, const ServerReference& server,
                                 std::size_t replicas_max) const {
  ServerAnswers answers;
  std::vector<ServerAddress> addresses = {{.host = server.host, .port = server.port}};
  if (!server.service.name.empty()) {
    auto found = FindServiceAddresses(stop, client_, server.service, server.port, replicas_max);
    if (!found) {
      answers.no_address = std::move(found.error());
      return answers;
    }
    addresses = std::move(found->addresses);
    answers.all_replicas = found->all;
  }
  for (const ServerAddress& address : addresses) {
    answers.answers.push_back({.address = HostPort(address.host, address.port),
                               .chain = probe_(stop, {.host = address.host,
                                                      .port = std::to_string(address.port),
                                                      .name = server.ServerName()})});
    if (!answers.answers.back().chain) break;
  }
  return answers;
}

}  // namespace capstan::controllers::cainjector

// SPDX-License-Identifier: Apache-2.0
// TargetServers lists the servers that kube-apiserver calls for a target, and the bundles to trust.
// Immutable. Mirrors WebhookClientConfig and the spec of an APIService.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::cainjector {

// ServerReference is what a target refers to: a port of a Service, or the host of a URL.
struct ServerReference {
  runtime::ObjectKey service = {};  // without a name: `host` is of a URL
  std::string host = {};
  int port = 443;

  // Returns the name that the server's certificate must have.
  std::string ServerName() const {
    if (!service.name.empty()) return service.name + "." + service.namespace_ + ".svc";
    return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;  // as Go's crypto/tls
  }
  // Returns a text that no other server has.
  std::string Key() const {
    return (service.name.empty() ? "url/" + host : "service/" + service.String()) + ":" +
           std::to_string(port);
  }
  friend bool operator==(const ServerReference&, const ServerReference&) = default;
};

// TargetServer is one server of a target.
struct TargetServer {
  std::string place = {};  // "webhook \"w\"", "spec", "conversion webhook"
  ServerReference reference = {};
  // As bytes, decoded from base64. Never nullptr. Equal bundles are held once.
  std::shared_ptr<const std::string> ca_bundle = {};

  friend bool operator==(const TargetServer&, const TargetServer&) = default;
};

class TargetServers final : public runtime::Object {
 public:
  TargetServers(const runtime::ObjectIdentity& meta, std::vector<TargetServer> servers)
      : Object(meta), servers_(std::move(servers)) {}

  // Empty: kube-apiserver calls no server over TLS for this object.
  const std::vector<TargetServer>& servers() const { return servers_; }

 private:
  std::vector<TargetServer> servers_;
};

using TargetServersPtr = runtime::ObjectPtrTo<TargetServers>;

// Returns the type whose objects are TargetServers for a resource of targets such as
// "apiservices", or nullptr when the API server calls no server for that resource.
const runtime::ResourceType* TargetServersType(const std::string& resource);

}  // namespace capstan::cainjector

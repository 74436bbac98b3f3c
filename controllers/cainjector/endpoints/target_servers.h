// SPDX-License-Identifier: Apache-2.0
// TargetServers lists the servers that kube-apiserver calls for a target, with their addresses and
// the bundles to trust. It is read from the API server when the servers are verified, and never
// cached. Immutable. Mirrors WebhookClientConfig and the spec of an APIService.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capstan/clientgo/runtime/object.h"
#include "capstan/clientgo/runtime/resource_type.h"

namespace capstan::controllers::cainjector {

// TargetServer is one server of a target: a Service, or the host of a URL.
struct TargetServer {
  std::string place = {};                     // "webhook \"w\"", "spec", "conversion webhook"
  clientgo::runtime::ObjectKey service = {};  // without a name: `host` is of a URL
  std::string host = {};
  int port = 443;
  std::string ca_bundle = {};  // as bytes, decoded from base64

  // Returns the name that the server's certificate must have.
  std::string ServerName() const {
    return service.name.empty() ? host : service.name + "." + service.namespace_ + ".svc";
  }
};

class TargetServers final : public clientgo::runtime::Object {
 public:
  TargetServers(const clientgo::runtime::ObjectIdentity& meta, std::vector<TargetServer> servers)
      : Object(meta), servers_(std::move(servers)) {}

  // Empty: kube-apiserver calls no server over TLS for this object.
  const std::vector<TargetServer>& servers() const { return servers_; }

 private:
  std::vector<TargetServer> servers_;
};

// Returns the type whose objects are TargetServers for a resource of targets such as
// "apiservices", or nullptr when the API server calls no server for that resource.
const clientgo::runtime::ResourceType* TargetServersType(const std::string& resource);

}  // namespace capstan::controllers::cainjector

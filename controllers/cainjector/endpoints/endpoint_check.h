// SPDX-License-Identifier: Apache-2.0
// EndpointCheck verifies the servers of a target as kube-apiserver does when it calls them: a TLS
// handshake that trusts the target's bundle and nothing else. No request is sent to the servers.
// The manager and `capstan check --endpoints` use it. Thread-safe. Has no upstream.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/transport/tls_probe.h"
#include "capstan/clientgo/util/clock.h"
#include "controllers/cainjector/endpoints/target_servers.h"
#include "controllers/cainjector/rules/server_certificate.h"

namespace capstan::controllers::cainjector {

// The limit of one handshake, with the lookup of a host name.
inline constexpr std::chrono::seconds kHandshakeTimeout{5};

// EndpointResult is the result of one server.
struct EndpointResult {
  std::string place;    // in the target, as TargetServer::place
  std::string server;   // "orders.shop.svc:443"
  std::string address;  // "10.0.0.7:8443", the one that the verdict is about; empty when unknown
  ServerVerdict verdict;
};

class EndpointCheck {
 public:
  using Probe = std::function<clientgo::util::Expected<std::vector<std::string>>(
      std::stop_token stop, const clientgo::transport::TlsProbe::Server& server)>;

  // `client` outlives this.
  EndpointCheck(clientgo::rest::Client& client, clientgo::util::Clock& clock);
  EndpointCheck(clientgo::rest::Client& client, clientgo::util::Clock& clock, Probe probe);

  // Verifies the servers of a target, each with the bundle that the target holds. A server with
  // several replicas gets the first bad verdict. `resource` is the target's, such as "apiservices".
  // With `trial`, PEM, each server is verified with that bundle instead, at every ready endpoint.
  // The error is that of reading the target; a resource without servers has no result.
  clientgo::util::Expected<std::vector<EndpointResult>> Run(
      std::stop_token stop, const std::string& resource, const std::string& name,
      const std::string* trial = nullptr) const;

 private:
  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Read(
      std::stop_token stop, const clientgo::runtime::ResourceType& type,
      const std::string& name) const;
  EndpointResult Verify(const std::stop_token& stop, const TargetServer& server,
                        const std::string* trial) const;

  clientgo::rest::Client& client_;
  clientgo::util::Clock& clock_;
  const Probe probe_;
};

}  // namespace capstan::controllers::cainjector

// SPDX-License-Identifier: Apache-2.0
// Compares what a server presented with a CA bundle. One answer serves all targets that refer to
// the server, and several bundles. Pure functions, thread-safe. Has no upstream.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "controllers/cainjector/endpoints/target_servers.h"
#include "controllers/cainjector/rules/server_certificate.h"

namespace capstan::cainjector {

// The limit of one handshake, with the lookup of a host name.
inline constexpr std::chrono::seconds kHandshakeTimeout{5};

// ServerAnswer is what the server at one address presented, as TlsProbe::PeerCertificates.
struct ServerAnswer {
  std::string address;  // "10.0.0.7:8443"
  Expected<std::vector<std::string>> chain;
};

// ServerAnswers is what the replicas of a server presented. The last one may be a failure.
struct ServerAnswers {
  // True: there are no other replicas. Only the ready endpoints of a Service can be listed. Behind
  // a host name, and also behind an address, there may be a load balancer.
  bool all_replicas = false;
  std::optional<ServerVerdict> no_address = {};  // why none is known
  std::vector<ServerAnswer> answers = {};

  // Reports whether a server was not asked, because the lookup of its name did not get its turn.
  // That says nothing about the server.
  bool incomplete() const;
};

// EndpointResult is the result of one server of a target.
struct EndpointResult {
  std::string place;    // in the target, as TargetServer::place
  std::string server;   // "orders.shop.svc:443"
  std::string address;  // "10.0.0.7:8443", the one that the verdict is about; empty when unknown
  ServerVerdict verdict;
};

// Verifies each answer with `bundle`, PEM. A server with several replicas gets the first bad
// verdict, or else the one whose certificate expires first.
EndpointResult Judge(const TargetServer& server, const ServerAnswers& answers,
                     std::string_view bundle, CertificateTime now);

// Returns "host:port", with brackets around an IPv6 address.
std::string HostPort(const std::string& host, int port);

}  // namespace capstan::cainjector

// SPDX-License-Identifier: Apache-2.0
// Finds the addresses of the ready endpoints of a Service, in its EndpointSlices. A
// verification needs neither DNS nor kube-proxy, and tests each replica, since one of them may
// still serve a former certificate. Mirrors ResolveEndpoint in kube-apiserver's aggregator.
// Differs: it returns several endpoints, not a random one.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"
#include "controllers/cainjector/rules/server_certificate.h"

namespace capstan::cainjector {

struct ServerAddress {
  std::string host;
  int port = 443;
};

// The maximum number of replicas of a Service that are verified.
inline constexpr std::size_t kServiceAddressesMax = 5;

struct ServiceAddresses {
  std::vector<ServerAddress> addresses;  // sorted
  bool all = false;                      // there are no others
  bool external = false;                 // the only one is a host name of others
};

// Returns at most `addresses_max` addresses for a port of the Service, with two requests.
// The error is the outcome of a verification: kNoEndpoints, or kUnknown when the objects
// cannot be read. Thread-safe.
tl::expected<ServiceAddresses, ServerVerdict> FindServiceAddresses(
    std::stop_token stop, rest::Client& client, const runtime::ObjectKey& service, int port,
    std::size_t addresses_max = kServiceAddressesMax);

}  // namespace capstan::cainjector

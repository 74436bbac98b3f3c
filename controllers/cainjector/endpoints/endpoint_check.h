// SPDX-License-Identifier: Apache-2.0
// EndpointCheck verifies the servers of targets as kube-apiserver does when it calls them: a TLS
// handshake that trusts the target's bundle and nothing else. No request is sent to the servers.
// The manager and `capstan check --endpoints` use it. Thread-safe. Has no upstream.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/rest/client.h"
#include "capstan/transport/tls_probe.h"
#include "controllers/cainjector/endpoints/server_answers.h"
#include "controllers/cainjector/endpoints/service_addresses.h"
#include "controllers/cainjector/endpoints/target_servers.h"

namespace capstan::cainjector {

class EndpointCheck {
 public:
  using Probe = std::function<Expected<std::vector<std::string>>(
      std::stop_token stop, const transport::TlsProbe::Server& server)>;

  // Returns the addresses of a host name, at least one.
  using Lookup = std::function<Expected<std::vector<std::string>>(const std::stop_token& stop,
                                                                  const std::string& host)>;

  // `client` outlives this.
  explicit EndpointCheck(rest::Client& client);
  // Without a lookup, a host name is asked once.
  EndpointCheck(
      rest::Client& client, Probe probe,
      Lookup lookup = [](const std::stop_token& /*stop*/, const std::string& host) {
        return std::vector{host};
      });

  // Reads the servers of these targets of one resource, such as "apiservices", in that order;
  // nullptr: there is no such target, or the resource has no servers. One request reads them all,
  // but each definition needs one.
  Expected<std::vector<TargetServersPtr>> Read(std::stop_token stop, const std::string& resource,
                                               const std::vector<std::string>& names) const;
  // Asks the replicas of a server for their certificates, until one cannot be asked. A host name is
  // asked at each of its addresses, kServiceAddressesMax at most. As clients do, it skips those
  // that cannot be reached when another one can.
  ServerAnswers Ask(const std::stop_token& stop, const ServerReference& server,
                    std::size_t replicas_max = kServiceAddressesMax) const;

 private:
  EndpointCheck(rest::Client& client, const std::shared_ptr<transport::TlsProbe>& probe);
  ServerAnswer AskAt(const std::stop_token& stop, const ServerReference& server,
                     const ServerAddress& address) const;
  std::vector<ServerAnswer> AskHost(const std::stop_token& stop, const ServerReference& server,
                                    const ServerAddress& host) const;

  rest::Client& client_;
  const Probe probe_;
  const Lookup lookup_;
};

}  // namespace capstan::cainjector

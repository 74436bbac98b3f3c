// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_check.h"

#include <limits>
#include <memory>
#include <utility>

#include "controllers/cainjector/endpoints/service_addresses.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::runtime::ObjectPtr;
using clientgo::transport::TlsProbe;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

// A former CA leaves only when no replica needs it.
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

EndpointCheck::Probe NewProbe() {
  return
      [probe = std::make_shared<TlsProbe>()](std::stop_token stop, const TlsProbe::Server& server) {
        return probe->PeerCertificates(std::move(stop), server, kHandshakeTimeout);
      };
}

ServerVerdict Failed(const Error& error) {
  ServerVerdict verdict{.outcome = EndpointOutcome::kRefused, .message = error.message};
  switch (error.reason) {
    case ErrorReason::kNoSuchHost:
      verdict.outcome = EndpointOutcome::kNoSuchHost;
      break;
    case ErrorReason::kDeadlineExceeded:
      verdict.outcome = EndpointOutcome::kTimeout;
      verdict.message =
          "no TLS handshake within " + std::to_string(kHandshakeTimeout.count()) + " s";
      break;
    case ErrorReason::kConnectionRefused:
    case ErrorReason::kUnexpectedEof:
      break;
    default:
      if (error.message.starts_with("tls: ")) verdict.outcome = EndpointOutcome::kNotTls;
  }
  return verdict;
}

std::string HostPort(const std::string& host, int port) {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

EndpointCheck::EndpointCheck(clientgo::rest::Client& client, clientgo::util::Clock& clock)
    : EndpointCheck(client, clock, NewProbe()) {}

EndpointCheck::EndpointCheck(clientgo::rest::Client& client, clientgo::util::Clock& clock,
                             Probe probe)
    : client_(client), clock_(clock), probe_(std::move(probe)) {}

Expected<std::vector<EndpointResult>> EndpointCheck::Run(std::stop_token stop,
                                                         const std::string& resource,
                                                         const std::string& name,
                                                         const std::string* trial) const {
  std::vector<EndpointResult> results;
  const auto* type = TargetServersType(resource);
  if (type == nullptr) return results;
  const auto target = Read(stop, *type, name);
  if (!target) return Err(target.error());
  for (const TargetServer& server : static_cast<const TargetServers&>(**target).servers()) {
    results.push_back(Verify(stop, server, trial));
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "stopped");
  }
  return results;
}

// The rights are those of the targets' caches: `list`, and for definitions, which are large, `get`.
Expected<ObjectPtr> EndpointCheck::Read(std::stop_token stop,
                                        const clientgo::runtime::ResourceType& type,
                                        const std::string& name) const {
  if (type.kind == "CustomResourceDefinition") {
    return client_.Get(std::move(stop), type, {.namespace_ = "", .name = name});
  }
  ObjectPtr found;
  const auto listed =
      client_.List(std::move(stop), type, {.field_selector = "metadata.name=" + name},
                   [&](ObjectPtr object) { found = std::move(object); });
  if (!listed) return Err(listed.error());
  if (found == nullptr) return Err(ErrorReason::kNotFound, type.kind + " " + name + " not found");
  return found;
}

EndpointResult EndpointCheck::Verify(const std::stop_token& stop, const TargetServer& server,
                                     const std::string* trial) const {
  const std::string name = server.ServerName();
  EndpointResult result{
      .place = server.place, .server = HostPort(name, server.port), .address = "", .verdict = {}};
  std::vector<ServerAddress> addresses = {{.host = server.host, .port = server.port}};
  if (!server.service.name.empty()) {
    auto found = FindServiceAddresses(stop, client_, server.service, server.port,
                                      trial == nullptr ? kServiceAddressesMax : kNoLimit);
    if (!found) {
      result.verdict = std::move(found.error());
      return result;
    }
    addresses = *std::move(found);
  }
  for (const ServerAddress& address : addresses) {
    result.address = HostPort(address.host, address.port);
    const auto chain =
        probe_(stop, {.host = address.host, .port = std::to_string(address.port), .name = name});
    ServerVerdict verdict =
        chain ? VerifyServer(*chain, trial == nullptr ? server.ca_bundle : *trial, name,
                             std::chrono::floor<std::chrono::seconds>(clock_.WallNow()))
              : Failed(chain.error());
    // Of several good ones, the certificate that expires first.
    const bool good = verdict.outcome == EndpointOutcome::kVerified;
    if (!good || !result.verdict.expires || verdict.expires < result.verdict.expires) {
      result.verdict = std::move(verdict);
    }
    if (!good) break;
  }
  return result;
}

}  // namespace capstan::controllers::cainjector

// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/server_fix.h"

#include <optional>

#include "capstan/runtime/object.h"
#include "cmd/capstan/inspect/fix.h"

namespace capstan::cmd::cli::inspect {
namespace {

// Returns the Service of the name "orders.shop.svc", or nullopt for the host of a URL.
std::optional<runtime::ObjectKey> ServiceOf(const std::string& host) {
  const std::size_t dot = host.find('.');
  if (dot == std::string::npos || !host.ends_with(".svc")) return std::nullopt;
  const std::size_t end = host.size() - 4;
  if (dot >= end || host.find('.', dot + 1) != end) return std::nullopt;
  return runtime::ObjectKey{.namespace_ = host.substr(dot + 1, end - dot - 1),
                            .name = host.substr(0, dot)};
}

// Returns the host of "host:port" or "[address]:port".
std::string HostOf(const std::string& server) {
  const std::string host = server.substr(0, server.rfind(':'));
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

std::string ServerFix::Text() const {
  if (advice.empty()) return command;
  return command + (command.empty() ? "" : "   ") + "# " + advice;
}

ServerFix FixOfServer(const std::string& target, const cainjector::EndpointResult& result) {
  const std::string host = HostOf(result.server);
  const auto service = ServiceOf(host);
  const std::string ns = "-n " + (service ? ShellQuoted(service->namespace_) : "NAMESPACE");
  const auto of_service = [&](const std::string& command, const std::string& more = "") {
    return service ? "kubectl " + command + " " + ns + more : std::string();
  };
  const std::string name = service ? " " + ShellQuoted(service->name) : std::string();
  const std::string restart = of_service("rollout restart deployment", " DEPLOYMENT");
  const std::string edit = service ? of_service("edit service", name) : "kubectl edit " + target;
  switch (result.verdict.outcome) {
    case cainjector::EndpointOutcome::kVerified:
      break;
    case cainjector::EndpointOutcome::kUnknownAuthority:
      return {
          "After a rotation: let the server reload its certificate. Otherwise the annotation "
          "names the wrong source.",
          restart};
    case cainjector::EndpointOutcome::kNameMismatch:
      return {"Add " + host + " to dnsNames of its Certificate, or an address to ipAddresses.",
              "kubectl edit certificate " + ns + " CERTIFICATE"};
    case cainjector::EndpointOutcome::kExpired:
      return {"Renew it, or let the server reload it.", restart};
    case cainjector::EndpointOutcome::kNoBundle:
      return {"Fix the link that explain names.", "capstan explain " + target};
    case cainjector::EndpointOutcome::kRefused:
      return {"Start it, or correct the port.", edit};
    case cainjector::EndpointOutcome::kNotTls:
      return {"Correct the port or the server.", edit};
    case cainjector::EndpointOutcome::kTimeout:
      return {"Look for a NetworkPolicy or a firewall.", of_service("get networkpolicies")};
    case cainjector::EndpointOutcome::kNoSuchHost:
      return {"Correct the URL, or the external name.", edit};
    case cainjector::EndpointOutcome::kNoEndpoints:
      return {"Start the pods, or correct the object.", of_service("describe service", name)};
    case cainjector::EndpointOutcome::kUnknown:
      return {"Grant the rights."};
  }
  return {};
}

}  // namespace capstan::cmd::cli::inspect

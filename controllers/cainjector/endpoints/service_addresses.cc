// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/service_addresses.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "capstan/client.h"
#include "capstan/kind.h"
#include "capstan/typed_object.h"

namespace capstan::cainjector {
namespace {

struct Port {
  std::string name = {};
  int port = 0;
  std::string protocol = {};
};

struct Service {
  struct Spec {
    std::string type = {};
    std::string external_name = {};
    std::string cluster_ip = {};  // "None": it has no address of its own
    std::vector<std::string> ip_families = {};
    std::vector<Port> ports = {};
  } spec = {};
};

struct EndpointSlice {
  struct Conditions {
    bool ready = true;  // also without the condition
  };
  struct Endpoint {
    std::vector<std::string> addresses = {};  // consumers use the first only
    Conditions conditions = {};
  };
  std::string address_type = {};
  std::vector<Port> ports = {};
  std::vector<Endpoint> endpoints = {};
};

}  // namespace
}  // namespace capstan::cainjector

namespace capstan {

template <>
inline constexpr auto kFields<cainjector::Port> = Fields(Field("name", &cainjector::Port::name),
                                                         Field("port", &cainjector::Port::port),
                                                         Field("protocol",
                                                               &cainjector::Port::protocol));

template <>
inline constexpr auto kKind<cainjector::Service> =
    Kind("", "v1", "Service", "services")
        .Namespaced()
        .Partial()
        .Spec(Field("type", &cainjector::Service::Spec::type),
              Field("externalName", &cainjector::Service::Spec::external_name),
              Field("clusterIP", &cainjector::Service::Spec::cluster_ip),
              Field("ipFamilies", &cainjector::Service::Spec::ip_families),
              Field("ports", &cainjector::Service::Spec::ports));

template <>
inline constexpr auto kKind<cainjector::EndpointSlice> =
    Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
        .Namespaced()
        .Partial()
        .Fields(Field("addressType", &cainjector::EndpointSlice::address_type),
                Field("ports", &cainjector::EndpointSlice::ports),
                Field("endpoints", &cainjector::EndpointSlice::endpoints,
                      Field("addresses", &cainjector::EndpointSlice::Endpoint::addresses),
                      Field("conditions", &cainjector::EndpointSlice::Endpoint::conditions,
                            Field("ready", &cainjector::EndpointSlice::Conditions::ready))));

}  // namespace capstan

namespace capstan::cainjector {
namespace {

// A UDP port may have the number of a TCP port.
bool IsTcp(const Port& port) { return port.protocol.empty() || port.protocol == "TCP"; }

// Returns the name of a TCP port, which is empty for the only one.
std::optional<std::string> NameOf(const Service& service, int number) {
  for (const Port& port : service.spec.ports) {
    if (IsTcp(port) && port.port == number) return port.name;
  }
  return std::nullopt;
}

// Adds the addresses of the ready endpoints for the port of this name.
void AddReady(const EndpointSlice& slice, const std::string& port_name,
              std::set<std::pair<std::string, int>>& to) {
  for (const Port& port : slice.ports) {
    if (!IsTcp(port) || port.name != port_name) continue;
    for (const EndpointSlice::Endpoint& endpoint : slice.endpoints) {
      if (!endpoint.conditions.ready || endpoint.addresses.empty()) continue;
      const std::string& host = endpoint.addresses.front();
      if (!host.empty()) to.emplace(host, port.port);
    }
  }
}

tl::unexpected<ServerVerdict> Fail(EndpointOutcome outcome, std::string message) {
  return tl::unexpected(ServerVerdict{.outcome = outcome, .message = std::move(message)});
}

}  // namespace

tl::expected<ServiceAddresses, ServerVerdict> FindServiceAddresses(
    std::stop_token stop, rest::Client& client, const runtime::ObjectKey& service, int port,
    std::size_t addresses_max) {
  const std::string what = "Service " + service.String();
  const auto object = capstan::Client<Service>(client).Get(stop, service);
  if (!object && IsNotFound(object.error())) {
    return Fail(EndpointOutcome::kNoEndpoints, what + " does not exist");
  }
  if (!object) return Fail(EndpointOutcome::kUnknown, object.error().Wrap(what).message);
  const Service::Spec& spec = (*object)->spec;
  if (spec.type == "ExternalName" && !spec.external_name.empty()) {
    return ServiceAddresses{.addresses = {{.host = spec.external_name, .port = port}},
                            .external = true};
  }
  if (spec.cluster_ip == "None") {
    return Fail(EndpointOutcome::kNoEndpoints,
                what + " is headless; the API server calls a Service at its cluster IP");
  }
  const auto port_name = NameOf(**object, port);
  if (!port_name) {
    return Fail(EndpointOutcome::kNoEndpoints, what + " has no TCP port " + std::to_string(port));
  }
  // Large Services have several slices. Dual-stack ones have slices of both families. The first of
  // ipFamilies is that of the Service's own address.
  const std::string family = spec.ip_families.empty() ? "" : spec.ip_families.front();
  std::set<std::pair<std::string, int>> found;
  std::set<std::pair<std::string, int>> of_other_family;
  const auto listed = client.List(
      std::move(stop), TypeOf<EndpointSlice>(),
      {.namespace_ = service.namespace_,
       .label_selector = "kubernetes.io/service-name=" + service.name},
      [&](const runtime::ObjectPtr& item) {
        const auto& slice = static_cast<const TypedObject<EndpointSlice>&>(*item);
        AddReady(slice, *port_name, slice.address_type == family ? found : of_other_family);
      });
  if (!listed) {
    return Fail(EndpointOutcome::kUnknown, listed.error().Wrap("the endpoints of " + what).message);
  }
  if (found.empty()) found = std::move(of_other_family);
  if (found.empty()) {
    return Fail(EndpointOutcome::kNoEndpoints, what + " has no ready endpoint");
  }
  ServiceAddresses result{.addresses = {}, .all = found.size() <= addresses_max};
  for (const auto& [host, number] : found) {
    if (result.addresses.size() == addresses_max) break;
    result.addresses.push_back({.host = host, .port = number});
  }
  return result;
}

}  // namespace capstan::cainjector

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/service_addresses.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "capstan/runtime/json_value.h"

namespace capstan::cainjector {
namespace {

struct Port {
  std::string name;
  int number = 0;
};

// Returns the ports of TCP. A UDP port may have the same number.
std::vector<Port> PortsIn(const runtime::JsonValue* list) {
  std::vector<Port> ports;
  if (list == nullptr) return ports;
  for (const runtime::JsonValue& port : runtime::JsonElements(*list)) {
    const std::string_view protocol = runtime::GetString(port, "protocol");
    if (!protocol.empty() && protocol != "TCP") continue;
    ports.push_back({std::string(runtime::GetString(port, "name")), runtime::GetInt(port, "port")});
  }
  return ports;
}

// Returns the first string of a list, or "".
std::string FirstIn(const runtime::JsonValue* list) {
  if (list == nullptr) return {};
  for (const runtime::JsonValue& item : runtime::JsonElements(*list)) {
    return std::string(runtime::AsString(item).value_or(""));
  }
  return {};
}

class Service final : public runtime::Object {
 public:
  Service(const runtime::ObjectIdentity& meta, std::string external_name, bool headless,
          std::string family, std::vector<Port> ports)
      : runtime::Object(meta),
        external_name_(std::move(external_name)),
        headless_(headless),
        family_(std::move(family)),
        ports_(std::move(ports)) {}
  const std::string& external_name() const { return external_name_; }
  // It has no address of its own.
  bool headless() const { return headless_; }
  // Returns the family of the Service's own address, which is the first of ipFamilies.
  const std::string& family() const { return family_; }
  // Returns the name of a port, which is empty for the only one.
  std::optional<std::string> NameOf(int port) const {
    for (const Port& candidate : ports_) {
      if (candidate.number == port) return candidate.name;
    }
    return std::nullopt;
  }
  static const runtime::ResourceType& Type() {
    static const runtime::ResourceType type = {
        .gvr = {"", "v1", "services"},
        .kind = "Service",
        .namespaced = true,
        .projection = {{"spec", "type"},
                       {"spec", "externalName"},
                       {"spec", "clusterIP"},
                       {"spec", "ipFamilies"},
                       {"spec", "ports", "name"},
                       {"spec", "ports", "port"},
                       {"spec", "ports", "protocol"}},
        .decode = [](const runtime::ObjectIdentity& meta,
                     const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
          const runtime::JsonValue* spec = runtime::Find(value, "spec");
          const bool external =
              spec != nullptr && runtime::GetString(*spec, "type") == "ExternalName";
          return runtime::MakeObject<Service>(
              meta,
              external ? std::string(runtime::GetString(*spec, "externalName")) : std::string(),
              spec != nullptr && runtime::GetString(*spec, "clusterIP") == "None",
              FirstIn(runtime::FindPath(value, {"spec", "ipFamilies"})),
              PortsIn(runtime::FindPath(value, {"spec", "ports"})));
        }};
    return type;
  }

 private:
  std::string external_name_;
  bool headless_;
  std::string family_;
  std::vector<Port> ports_;
};

class EndpointSlice final : public runtime::Object {
 public:
  EndpointSlice(const runtime::ObjectIdentity& meta, std::string family, std::vector<Port> ports,
                std::vector<std::string> ready)
      : runtime::Object(meta),
        family_(std::move(family)),
        ports_(std::move(ports)),
        ready_(std::move(ready)) {}
  const std::string& family() const { return family_; }
  const std::vector<Port>& ports() const { return ports_; }
  const std::vector<std::string>& ready() const { return ready_; }
  static const runtime::ResourceType& Type() {
    static const runtime::ResourceType type = {
        .gvr = {"discovery.k8s.io", "v1", "endpointslices"},
        .kind = "EndpointSlice",
        .namespaced = true,
        .projection = {{"addressType"},
                       {"ports", "name"},
                       {"ports", "port"},
                       {"ports", "protocol"},
                       {"endpoints", "addresses"},
                       {"endpoints", "conditions", "ready"}},
        .decode = [](const runtime::ObjectIdentity& meta,
                     const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
          return runtime::MakeObject<EndpointSlice>(
              meta, std::string(runtime::GetString(value, "addressType")),
              PortsIn(runtime::Find(value, "ports")), ReadyIn(runtime::Find(value, "endpoints")));
        }};
    return type;
  }

 private:
  static std::vector<std::string> ReadyIn(const runtime::JsonValue* endpoints) {
    std::vector<std::string> ready;
    if (endpoints == nullptr) return ready;
    for (const runtime::JsonValue& endpoint : runtime::JsonElements(*endpoints)) {
      const runtime::JsonValue* condition = runtime::FindPath(endpoint, {"conditions", "ready"});
      // Without the condition an endpoint counts as ready.
      if (condition != nullptr && !runtime::AsBool(*condition).value_or(true)) continue;
      // Consumers use the first address only.
      std::string address = FirstIn(runtime::Find(endpoint, "addresses"));
      if (!address.empty()) ready.push_back(std::move(address));
    }
    return ready;
  }

  std::string family_;
  std::vector<Port> ports_;
  std::vector<std::string> ready_;
};

tl::unexpected<ServerVerdict> Fail(EndpointOutcome outcome, std::string message) {
  return tl::unexpected(ServerVerdict{.outcome = outcome, .message = std::move(message)});
}

}  // namespace

tl::expected<ServiceAddresses, ServerVerdict> FindServiceAddresses(
    std::stop_token stop, rest::Client& client, const runtime::ObjectKey& service, int port,
    std::size_t addresses_max) {
  const std::string what = "Service " + service.String();
  const auto object = rest::Get<Service>(stop, client, service);
  if (!object && IsNotFound(object.error())) {
    return Fail(EndpointOutcome::kNoEndpoints, what + " does not exist");
  }
  if (!object) return Fail(EndpointOutcome::kUnknown, object.error().Wrap(what).message);
  if (!(*object)->external_name().empty()) {
    return ServiceAddresses{.addresses = {{.host = (*object)->external_name(), .port = port}},
                            .external = true};
  }
  if ((*object)->headless()) {
    return Fail(EndpointOutcome::kNoEndpoints,
                what + " is headless; the API server calls a Service at its cluster IP");
  }
  const auto port_name = (*object)->NameOf(port);
  if (!port_name) {
    return Fail(EndpointOutcome::kNoEndpoints, what + " has no TCP port " + std::to_string(port));
  }
  // Large Services have several slices. Dual-stack ones have slices of both families.
  std::set<std::pair<std::string, int>> found;
  std::set<std::pair<std::string, int>> of_other_family;
  const auto listed =
      client.List(std::move(stop), EndpointSlice::Type(),
                  {.namespace_ = service.namespace_,
                   .label_selector = "kubernetes.io/service-name=" + service.name},
                  [&](const runtime::ObjectPtr& item) {
                    const auto& slice = static_cast<const EndpointSlice&>(*item);
                    auto& into = slice.family() == (*object)->family() ? found : of_other_family;
                    for (const Port& candidate : slice.ports()) {
                      if (candidate.name != *port_name) continue;
                      for (const std::string& host : slice.ready()) {
                        into.emplace(host, candidate.number);
                      }
                    }
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

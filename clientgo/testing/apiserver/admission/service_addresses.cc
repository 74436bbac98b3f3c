// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/service_addresses.h"

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;

constexpr std::string_view kHeadless = "None";
constexpr int kFirstPort = 30000;
constexpr int kLastPort = 32767;

// Allocated is what the Services of all namespaces have.
struct Allocated {
  std::set<std::string, std::less<>> addresses = {};
  std::set<std::int64_t> ports = {};
};

std::int64_t NodePort(const Value& port) {
  const Value* const number = runtime::Find(port, "nodePort");
  return number != nullptr && number->IsInt64() ? number->GetInt64() : 0;
}

// Returns what all Services have, or all but the one with the key `except`.
Allocated FindAllocated(const PluginRequest& request, std::string_view except = {}) {
  Allocated all;
  const Storage& storage = request.storage;
  storage.Visit(request.resource, "", storage.resource_version(), "",
                [&](const Storage::Entry& entry) {
                  if (entry.key == except) return true;
                  const auto service = ParseObject(*entry.object);
                  const Value& spec = ObjectAt(*service, "spec");
                  all.addresses.emplace(runtime::GetString(spec, "clusterIP"));
                  for (const Value& port : ListAt(spec, "ports").GetArray()) {
                    all.ports.insert(NodePort(port));
                  }
                  const Value* const health = runtime::Find(spec, "healthCheckNodePort");
                  if (health != nullptr && health->IsInt64()) all.ports.insert(health->GetInt64());
                  return true;
                });
  return all;
}

// Returns a free address in 10.0.0.0/16; empty: there is none.
std::string FreeAddress(const Allocated& allocated) {
  for (int third = 0; third < 256; ++third) {
    for (int last = 1; last < 255; ++last) {
      std::string address = "10.0." + std::to_string(third) + "." + std::to_string(last);
      if (!allocated.addresses.contains(address)) return address;
    }
  }
  return {};
}

bool NeedsAddress(const Value& spec) { return runtime::GetString(spec, "type") != "ExternalName"; }

bool NeedsPorts(const Value& spec) {
  const std::string_view type = runtime::GetString(spec, "type");
  const Value* const allocate = runtime::Find(spec, "allocateLoadBalancerNodePorts");
  return type == "NodePort" ||
         (type == "LoadBalancer" && (allocate == nullptr || allocate->IsTrue()));
}

// Reports whether the Service has a port that tells load balancers which nodes have endpoints.
bool NeedsHealthPort(const Value& spec) {
  return runtime::GetString(spec, "type") == "LoadBalancer" &&
         runtime::GetString(spec, "externalTrafficPolicy") == "Local";
}

bool UsesPorts(const Value& spec) {
  const std::string_view type = runtime::GetString(spec, "type");
  return type == "NodePort" || type == "LoadBalancer";
}

bool IsExternal(const Value& spec) {
  return UsesPorts(spec) ||
         (runtime::GetString(spec, "type") == "ClusterIP" && !ListAt(spec, "externalIPs").Empty());
}

bool HasValue(const Value& spec, const char* key) {
  const Value* const value = runtime::Find(spec, key);
  if (value == nullptr || value->IsNull()) return false;
  return !(value->IsArray() && value->Empty()) &&
         !(value->IsString() && value->GetStringLength() == 0);
}

bool IsSame(const Value& live, const Value& spec, const char* key) {
  if (!HasValue(live, key) || !HasValue(spec, key))
    return HasValue(live, key) == HasValue(spec, key);
  return *runtime::Find(live, key) == *runtime::Find(spec, key);
}

std::set<std::int64_t> NodePorts(const Value& spec) {
  std::set<std::int64_t> numbers;
  for (const Value& port : ListAt(spec, "ports").GetArray()) numbers.insert(NodePort(port));
  numbers.erase(0);
  return numbers;
}

void KeepValue(const Value& live, Value& spec, const char* key, JsonAllocator& allocator) {
  if (HasValue(live, key)) Set(spec, key, Value(*runtime::Find(live, key), allocator), allocator);
}

// Takes the node ports that the update omits from the ports of the stored Service with the same
// names, unless another port has them.
void KeepNodePorts(const Value& live, Value& spec, JsonAllocator& allocator) {
  std::set<std::int64_t> used = NodePorts(spec);
  Value* const ports = FindMutable(spec, "ports");
  if (ports == nullptr || !ports->IsArray()) return;
  for (Value& port : ports->GetArray()) {
    if (!port.IsObject() || NodePort(port) != 0) continue;
    for (const Value& before : ListAt(live, "ports").GetArray()) {
      const std::int64_t number = NodePort(before);
      if (runtime::GetString(before, "name") != runtime::GetString(port, "name")) continue;
      if (number != 0 && used.insert(number).second) SetJson(port, "nodePort", number, allocator);
    }
  }
}

// Takes what the update omits from the stored Service. Mirrors patchAllocatedValues and
// normalizeClusterIPs of k8s.io/kubernetes/pkg/registry/core/service/storage.
void KeepAllocated(const Value& live, Value& spec, JsonAllocator& allocator) {
  if (NeedsAddress(live) && NeedsAddress(spec)) {
    if (!HasValue(spec, "clusterIP")) KeepValue(live, spec, "clusterIP", allocator);
    const bool same = IsSame(live, spec, "clusterIP");
    if (same && !HasValue(spec, "clusterIPs")) KeepValue(live, spec, "clusterIPs", allocator);
    // A client that knows only clusterIP has changed it.
    if (!same && IsSame(live, spec, "clusterIPs")) Remove(spec, "clusterIPs");
    for (const char* const key : {"ipFamilies", "ipFamilyPolicy"}) {
      if (!HasValue(spec, key)) KeepValue(live, spec, key, allocator);
    }
  }
  if (UsesPorts(live) && UsesPorts(spec)) KeepNodePorts(live, spec, allocator);
  if (NeedsHealthPort(live) && NeedsHealthPort(spec) && !HasValue(spec, "healthCheckNodePort")) {
    KeepValue(live, spec, "healthCheckNodePort", allocator);
  }
}

// Removes the fields that a new type does not have and that the request did not change. Mirrors
// dropTypeDependentFields of k8s.io/kubernetes/pkg/registry/core/service.
void DropUnused(const Value& live, Value& spec) {
  const auto drop = [&](bool before, bool after, std::initializer_list<const char*> keys) {
    if (!before || after) return;
    for (const char* const key : keys) {
      if (IsSame(live, spec, key)) Remove(spec, key);
    }
  };
  const auto is_balancer = [](const Value& one) {
    return runtime::GetString(one, "type") == "LoadBalancer";
  };
  drop(NeedsAddress(live), NeedsAddress(spec),
       {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"});
  drop(NeedsHealthPort(live), NeedsHealthPort(spec), {"healthCheckNodePort"});
  drop(is_balancer(live), is_balancer(spec),
       {"allocateLoadBalancerNodePorts", "loadBalancerClass"});
  drop(IsExternal(live), IsExternal(spec), {"externalTrafficPolicy"});
  Value* const ports = FindMutable(spec, "ports");
  if (!UsesPorts(live) || UsesPorts(spec) || NodePorts(live) != NodePorts(spec)) return;
  if (ports == nullptr || !ports->IsArray()) return;
  for (Value& port : ports->GetArray()) {
    if (port.IsObject()) Remove(port, "nodePort");
  }
}

// Returns the error of a field whose value is not a string, so it has no quotes.
Status InvalidUnquoted(const PluginRequest& request, std::string_view name, std::string field,
                       const std::string& value, const std::string& why) {
  return Invalid(request.resource, name,
                 {{.reason = "FieldValueInvalid",
                   .message = "Invalid value: " + value + ": " + why,
                   .field = std::move(field)}});
}

// Returns why the Service cannot have this node port, which it chose; empty: it can.
std::string FindPortProblem(const Allocated& others, std::int64_t port) {
  if (port < kFirstPort || port > kLastPort) {
    return "provided port is not in the valid range. The range of valid ports is " +
           std::to_string(kFirstPort) + "-" + std::to_string(kLastPort);
  }
  return others.ports.contains(port) ? "provided port is already allocated" : "";
}

}  // namespace

std::optional<Status> CheckServiceAddresses(const PluginRequest& request,
                                            const runtime::JsonDocument& service) {
  static const Value none(rapidjson::kObjectType);
  const Value& spec = ObjectAt(service, "spec");
  const Value& live = request.live == nullptr ? none : ObjectAt(*request.live, "spec");
  const std::string_view name = Metadata(service, "name");
  const std::string address(runtime::GetString(spec, "clusterIP"));
  const bool same_address = IsSame(live, spec, "clusterIP") || address == kHeadless;
  const bool same_ports = !UsesPorts(spec) || (NodePorts(live) == NodePorts(spec) &&
                                               IsSame(live, spec, "healthCheckNodePort"));
  if (same_address && same_ports) return std::nullopt;
  // Before its name is looked for, a new Service is compared with one of the same name, too.
  const Allocated others = FindAllocated(
      request, request.live == nullptr ? std::string() : Key(request.namespace_, name));
  if (!same_address && others.addresses.contains(address)) {
    return InvalidUnquoted(
        request, name, "spec.clusterIPs", "[\"" + address + "\"]",
        "failed to allocate IP " + address + ": provided IP is already allocated");
  }
  if (same_ports) return std::nullopt;
  const std::set<std::int64_t> known = NodePorts(live);
  const auto ports = ListAt(spec, "ports").GetArray();
  for (rapidjson::SizeType i = 0; i < ports.Size(); ++i) {
    const std::int64_t number = NodePort(ports[i]);
    if (number == 0 || known.contains(number)) continue;
    const std::string problem = FindPortProblem(others, number);
    if (problem.empty()) continue;
    return InvalidUnquoted(request, name, "spec.ports[" + std::to_string(i) + "].nodePort",
                           std::to_string(number), problem);
  }
  const std::int64_t health = NumberAt(spec, "healthCheckNodePort");
  if (health == 0 || IsSame(live, spec, "healthCheckNodePort")) return std::nullopt;
  const std::string problem = FindPortProblem(others, health);
  if (problem.empty()) return std::nullopt;
  return InternalErrorOccurred("failed to allocate requested HealthCheck NodePort " +
                               std::to_string(health) + ": " + problem);
}

std::optional<Status> SetServiceAddresses(const PluginRequest& request,
                                          runtime::JsonDocument& service) {
  auto& allocator = service.GetAllocator();
  Value& spec = Ensure(service, "spec", allocator);
  if (request.live != nullptr) {
    const Value& live = ObjectAt(*request.live, "spec");
    DropUnused(live, spec);
    KeepAllocated(live, spec, allocator);
  }
  if (request.live == nullptr && HasValue(spec, "clusterIP") && !HasValue(spec, "clusterIPs")) {
    SetJson(spec, "clusterIPs", Json::List({std::string(runtime::GetString(spec, "clusterIP"))}),
            allocator);
  }
  if (!NeedsAddress(spec)) {
    // A Service without an address has it as an empty text only in Go.
    if (!HasValue(spec, "clusterIP")) Remove(spec, "clusterIP");
    return std::nullopt;
  }
  Allocated allocated = FindAllocated(request);
  std::string address(runtime::GetString(spec, "clusterIP"));
  if (address.empty()) {
    address = FreeAddress(allocated);
    if (address.empty()) return InternalError("failed to allocate IP 0.0.0.0: range is full");
    SetString(spec, "clusterIP", address, allocator);
  }
  if (!HasValue(spec, "clusterIPs")) {
    SetJson(spec, "clusterIPs", Json::List({address}), allocator);
  }
  const bool both = address == kHeadless && ObjectAt(spec, "selector").ObjectEmpty();
  if (runtime::Find(spec, "ipFamilies") == nullptr) {
    SetJson(spec, "ipFamilies", both ? Json::List({"IPv4", "IPv6"}) : Json::List({"IPv4"}),
            allocator);
  }
  if (runtime::Find(spec, "ipFamilyPolicy") == nullptr) {
    SetString(spec, "ipFamilyPolicy", both ? "RequireDualStack" : "SingleStack", allocator);
  }
  int next = kFirstPort;
  const auto find_port = [&] {
    while (next <= kLastPort && allocated.ports.contains(next)) ++next;
    allocated.ports.insert(next);
    return next;
  };
  if (NeedsHealthPort(spec) && !HasValue(spec, "healthCheckNodePort")) {
    SetJson(spec, "healthCheckNodePort", find_port(), allocator);
  }
  Value* const ports = FindMutable(spec, "ports");
  if (!NeedsPorts(spec) || ports == nullptr || !ports->IsArray()) return std::nullopt;
  for (Value& port : ports->GetArray()) {
    if (!port.IsObject() || NodePort(port) != 0) continue;
    const int number = find_port();
    if (number > kLastPort) return InternalError("failed to allocate a nodePort: range is full");
    SetJson(port, "nodePort", number, allocator);
  }
  return std::nullopt;
}

}  // namespace capstan::testing::apiserver

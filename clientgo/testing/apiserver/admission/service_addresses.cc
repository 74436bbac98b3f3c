// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/service_addresses.h"

#include <sys/socket.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;

constexpr std::string_view kHeadless = "None";
constexpr std::string_view kIpv4 = "IPv4";
constexpr std::string_view kIpv6 = "IPv6";
constexpr std::string_view kOneFamily = "SingleStack";
constexpr std::string_view kBothFamilies = "RequireDualStack";
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
    if (!same && IsSame(live, spec, "clusterIPs")) {
      Remove(spec, "clusterIPs");
      const std::string address(runtime::GetString(spec, "clusterIP"));
      if (!address.empty()) SetJson(spec, "clusterIPs", Json::List({address}), allocator);
    }
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

using Families = std::vector<std::string>;

// Returns the families of the addresses that the Service has, in their order.
Families FamiliesOf(const Value& spec) {
  Families families = TextsAt(spec, "ipFamilies");
  const auto addresses = TextsAt(spec, "clusterIPs");
  for (std::size_t i = families.size(); i < addresses.size() && addresses[i] != kHeadless; ++i) {
    families.emplace_back(ParseAddress(addresses[i])->family == AF_INET ? kIpv4 : kIpv6);
  }
  return families;
}

// Reports whether the families of the Service do not depend on the cluster.
bool HasFreeFamilies(const Value& spec) {
  return runtime::GetString(spec, "clusterIP") == kHeadless &&
         ObjectAt(spec, "selector").ObjectEmpty();
}

// Returns what is wrong with the families that the Service requests. This cluster has IPv4.
std::vector<Cause> CheckFamilyPolicy(const Value& spec, const Families& families) {
  std::vector<Cause> causes;
  FieldRules rules(causes);
  const Place place(spec, "spec");
  const Place policy = place["ipFamilyPolicy"];
  const auto addresses = place["clusterIPs"].Items();
  const auto given = place["ipFamilies"].Items();
  constexpr std::string_view kBoth =
      "must be 'RequireDualStack' or 'PreferDualStack' when multiple ";
  if (policy.Text() == kOneFamily && addresses.size() == 2) {
    rules.Invalid(policy, std::string(kBoth) + "cluster IPs are specified");
  }
  if (policy.Text() == kOneFamily && given.size() == 2) {
    rules.Invalid(policy, std::string(kBoth) + "IP families are specified");
  }
  for (std::size_t i = given.size(); i < families.size(); ++i) {
    if (families[i] == kIpv4) continue;
    rules.InvalidAs(addresses[i], place["clusterIPs"].Json(),
                    "IPv6 is not configured on this cluster");
  }
  if (!causes.empty() || HasFreeFamilies(spec)) return causes;
  if (policy.Text() == kBothFamilies) {
    rules.Invalid(policy, "this cluster is not configured for dual-stack services");
  }
  for (const Place& family : given) {
    if (family.Text() != kIpv4) rules.Invalid(family, "not configured on this cluster");
  }
  return causes;
}

// Sets the families of a Service with addresses. Mirrors initIPFamilyFields.
std::optional<Status> SetFamilies(const PluginRequest& request, std::string_view name, Value& spec,
                                  JsonAllocator& allocator) {
  const bool free = HasFreeFamilies(spec);
  if (!HasValue(spec, "ipFamilyPolicy")) {
    SetString(spec, "ipFamilyPolicy", free ? kBothFamilies : kOneFamily, allocator);
  }
  std::vector<Cause> causes;
  FieldRules rules(causes);
  CheckClusterAddresses(Place(spec, "spec"), rules);
  if (!causes.empty()) return Invalid(request.resource, name, std::move(causes));
  Families families = FamiliesOf(spec);
  causes = CheckFamilyPolicy(spec, families);
  if (!causes.empty()) return Invalid(request.resource, name, std::move(causes));
  if (families.empty()) families.emplace_back(kIpv4);
  if (free && families.size() < 2 && runtime::GetString(spec, "ipFamilyPolicy") != kOneFamily) {
    families.emplace_back(families.front() == kIpv4 ? kIpv6 : kIpv4);
  }
  SetJson(spec, "ipFamilies", Json::List(std::vector<Json>(families.begin(), families.end())),
          allocator);
  return std::nullopt;
}

// Sets the missing ports of the nodes. Two ports with one number, for two protocols, share one if
// the Service is new.
std::optional<Status> SetNodePorts(const PluginRequest& request, Value& spec, Allocated& allocated,
                                   JsonAllocator& allocator) {
  int next = kFirstPort;
  const auto find_port = [&] {
    while (next <= kLastPort && allocated.ports.contains(next)) ++next;
    allocated.ports.insert(next);
    return next;
  };
  Value* const ports = FindMutable(spec, "ports");
  if (NeedsPorts(spec) && ports != nullptr && ports->IsArray()) {
    std::map<std::int64_t, std::int64_t> shared;  // the node port of each number
    for (const Value& port : ports->GetArray()) {
      if (NodePort(port) != 0) shared.emplace(NumberAt(port, "port"), NodePort(port));
    }
    for (Value& port : ports->GetArray()) {
      if (!port.IsObject() || NodePort(port) != 0) continue;
      std::int64_t& number = shared[NumberAt(port, "port")];
      if (number == 0 || request.live != nullptr) number = find_port();
      if (number > kLastPort) return InternalError("failed to allocate a nodePort: range is full");
      SetJson(port, "nodePort", number, allocator);
    }
  }
  if (NeedsHealthPort(spec) && !HasValue(spec, "healthCheckNodePort")) {
    SetJson(spec, "healthCheckNodePort", find_port(), allocator);
  }
  return std::nullopt;
}

// Returns why the Service cannot have an address or port that it chose; nullopt: it can.
std::optional<Status> CheckServiceAddresses(const PluginRequest& request,
                                            const runtime::JsonDocument& service) {
  if (request.dry_run) return std::nullopt;
  static const Value none(rapidjson::kObjectType);
  const Value& spec = ObjectAt(service, "spec");
  const Value& live = request.live == nullptr ? none : ObjectAt(*request.live, "spec");
  const std::string_view name = Metadata(service, "name");
  const std::string address(runtime::GetString(spec, "clusterIP"));
  const bool same_address = HasValue(live, "clusterIP") || address.empty() || address == kHeadless;
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

}  // namespace

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
  const std::string_view name = Metadata(service, "name");
  if (auto rejection = SetFamilies(request, name, spec, allocator)) return rejection;
  if (auto rejection = CheckServiceAddresses(request, service)) return rejection;
  Allocated allocated = FindAllocated(request);
  if (!HasValue(spec, "clusterIP")) {
    const std::string address = FreeAddress(allocated);
    if (address.empty()) return InternalError("failed to allocate IP 0.0.0.0: range is full");
    SetString(spec, "clusterIP", address, allocator);
    SetJson(spec, "clusterIPs", Json::List({address}), allocator);
  }
  return SetNodePorts(request, spec, allocated, allocator);
}

}  // namespace capstan::testing::apiserver

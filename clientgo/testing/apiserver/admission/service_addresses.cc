// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/service_addresses.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

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

Allocated FindAllocated(const PluginRequest& request) {
  Allocated all;
  const Storage& storage = request.storage;
  storage.Visit(request.resource, "", storage.resource_version(), "",
                [&](const Storage::Entry& entry) {
                  const auto service = ParseObject(*entry.object);
                  const Value& spec = ObjectAt(*service, "spec");
                  all.addresses.emplace(runtime::GetString(spec, "clusterIP"));
                  for (const Value& port : ListAt(spec, "ports").GetArray()) {
                    all.ports.insert(NodePort(port));
                  }
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

// Takes what the update omits from the stored Service.
void KeepAllocated(const Value& live, Value& spec, JsonAllocator& allocator) {
  if (NeedsAddress(live) && NeedsAddress(spec)) {
    for (const char* const key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      const Value* const before = runtime::Find(live, key);
      if (before == nullptr || runtime::Find(spec, key) != nullptr) continue;
      Set(spec, key, Value(*before, allocator), allocator);
    }
  }
  Value* const ports = FindMutable(spec, "ports");
  if (!NeedsPorts(live) || !NeedsPorts(spec) || ports == nullptr || !ports->IsArray()) return;
  for (Value& port : ports->GetArray()) {
    if (!port.IsObject() || NodePort(port) != 0) continue;
    for (const Value& before : ListAt(live, "ports").GetArray()) {
      const Value* const a = runtime::Find(before, "port");
      const Value* const b = runtime::Find(port, "port");
      const bool same =
          a != nullptr && b != nullptr && *a == *b &&
          runtime::GetString(before, "protocol") == runtime::GetString(port, "protocol");
      if (same && NodePort(before) != 0) {
        SetJson(port, "nodePort", NodePort(before), allocator);
      }
    }
  }
}

}  // namespace

std::optional<Status> SetServiceAddresses(const PluginRequest& request,
                                          runtime::JsonDocument& service) {
  auto& allocator = service.GetAllocator();
  Value& spec = Ensure(service, "spec", allocator);
  if (request.live != nullptr) KeepAllocated(ObjectAt(*request.live, "spec"), spec, allocator);
  if (!NeedsAddress(spec)) {
    for (const char* const key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      Remove(spec, key);
    }
    return std::nullopt;
  }
  Allocated allocated = FindAllocated(request);
  std::string address(runtime::GetString(spec, "clusterIP"));
  if (address.empty()) {
    address = FreeAddress(allocated);
    if (address.empty()) return InternalError("failed to allocate IP 0.0.0.0: range is full");
    SetString(spec, "clusterIP", address, allocator);
  }
  if (runtime::Find(spec, "clusterIPs") == nullptr) {
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
  Value* const ports = FindMutable(spec, "ports");
  if (!NeedsPorts(spec) || ports == nullptr || !ports->IsArray()) return std::nullopt;
  int next = kFirstPort;
  for (Value& port : ports->GetArray()) {
    if (!port.IsObject() || NodePort(port) != 0) continue;
    while (next <= kLastPort && allocated.ports.contains(next)) ++next;
    if (next > kLastPort) return InternalError("failed to allocate a nodePort: range is full");
    allocated.ports.insert(next);
    SetJson(port, "nodePort", next, allocator);
  }
  return std::nullopt;
}

}  // namespace capstan::testing::apiserver

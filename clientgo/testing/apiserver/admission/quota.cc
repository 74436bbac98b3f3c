// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/quota.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/admission/quota_scopes.h"
#include "clientgo/util/one_of.h"

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;

// The kinds whose objects have a name of their own in quotas: "pods" beside "count/pods".
constexpr std::array<std::string_view, 7> kCounted = {"configmaps",     "persistentvolumeclaims",
                                                      "pods",           "replicationcontrollers",
                                                      "resourcequotas", "secrets",
                                                      "services"};

constexpr std::array<std::string_view, 3> kCompute = {"cpu", "memory", "ephemeral-storage"};

std::string CountName(const Resource& resource) { return "count/" + resource.Qualified(); }

void AddPod(const Value& pod, Amounts& usage) {
  const std::string_view phase = runtime::GetString(ObjectAt(pod, "status"), "phase");
  if (phase == "Succeeded" || phase == "Failed") return;
  usage["pods"] = Amount::Of(1);
  const Value& spec = ObjectAt(pod, "spec");
  Amounts requests = PodAmounts(spec, "requests");
  Amounts limits = PodAmounts(spec, "limits");
  const Amounts overhead = ParseAmounts(ObjectAt(spec, "overhead"));
  Add(requests, overhead);
  for (const auto& [name, amount] : requests) {
    if (IsOneOf(name, kCompute) || name.starts_with("hugepages-")) usage[name] = amount;
    usage["requests." + name] = amount;
  }
  for (const auto& [name, amount] : limits) {
    if (!IsOneOf(name, kCompute)) continue;
    usage["limits." + name] = amount;
    const auto more = overhead.find(name);
    if (more != overhead.end() && amount.milli > 0) {
      usage["limits." + name].milli += more->second.milli;
    }
  }
}

void AddService(const Value& service, Amounts& usage) {
  const Value& spec = ObjectAt(service, "spec");
  const std::string_view type = runtime::GetString(spec, "type");
  const auto ports = static_cast<std::int64_t>(ListAt(spec, "ports").Size());
  const Value* const allocates = runtime::Find(spec, "allocateLoadBalancerNodePorts");
  const bool balanced = type == "LoadBalancer";
  if (balanced) usage["services.loadbalancers"] = Amount::Of(1);
  const bool node_ports =
      type == "NodePort" || (balanced && (allocates == nullptr || allocates->IsTrue()));
  if (node_ports) usage["services.nodeports"] = Amount::Of(ports);
}

void AddClaim(const Value& claim, Amounts& usage) {
  const Value& spec = ObjectAt(claim, "spec");
  const Amounts requests = ParseAmounts(ObjectAt(ObjectAt(spec, "resources"), "requests"));
  const auto storage = requests.find("storage");
  const std::string storage_class(runtime::GetString(spec, "storageClassName"));
  const std::string prefix = storage_class + ".storageclass.storage.k8s.io/";
  if (!storage_class.empty()) usage[prefix + "persistentvolumeclaims"] = Amount::Of(1);
  if (storage == requests.end()) return;
  usage["requests.storage"] = storage->second;
  if (!storage_class.empty()) usage[prefix + "requests.storage"] = storage->second;
}

// Returns what one object uses.
Amounts UsageOfObject(const Resource& resource, const Value& object) {
  Amounts usage;
  usage[CountName(resource)] = Amount::Of(1);
  if (!resource.group.empty()) return usage;
  if (resource.kind == "Pod") {
    AddPod(object, usage);
    return usage;
  }
  if (IsOneOf(resource.plural, kCounted)) usage[std::string(resource.plural)] = Amount::Of(1);
  if (resource.kind == "Service") AddService(object, usage);
  if (resource.kind == "PersistentVolumeClaim") AddClaim(object, usage);
  return usage;
}

// Returns the amounts whose names are in `names`.
Amounts Mask(const Amounts& amounts, const Amounts& names) {
  Amounts masked;
  for (const auto& [name, amount] : amounts) {
    if (names.contains(name)) masked[name] = amount;
  }
  return masked;
}

std::string TextOf(const Amounts& amounts) {
  return Join(amounts, ",", [](const auto& one) { return one.first + "=" + one.second.Text(); });
}

// Reports whether a Pod names resources for all of its containers together.
bool HasPodResources(const Value& pod) {
  const Value& resources = ObjectAt(ObjectAt(pod, "spec"), "resources");
  for (const char* const list : {"requests", "limits"}) {
    for (const auto& [name, amount] : ParseAmounts(ObjectAt(resources, list))) {
      if (name == "cpu" || name == "memory" || name.starts_with("hugepages-")) return true;
    }
  }
  return false;
}

// Returns which resources a quota requires that a container does not name; empty: it names all.
std::string MissingResources(const Value& pod, const Amounts& hard) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kRequired = {
      {{"cpu", "requests"},
       {"limits.cpu", "limits"},
       {"limits.memory", "limits"},
       {"memory", "requests"},
       {"requests.cpu", "requests"},
       {"requests.memory", "requests"}}};
  std::map<std::string_view, std::set<std::string>> missing;
  if (HasPodResources(pod)) return {};
  for (const auto& [name, list] : kRequired) {
    if (!hard.contains(name)) continue;
    const std::string_view resource = name.substr(name.find('.') + 1);
    for (const char* const containers : {"containers", "initContainers"}) {
      for (const Value& container : ListAt(ObjectAt(pod, "spec"), containers).GetArray()) {
        const Value& amounts = ObjectAt(ObjectAt(container, "resources"), list);
        if (runtime::Find(amounts, resource) != nullptr) continue;
        missing[name].insert(std::string(runtime::GetString(container, "name")));
      }
    }
  }
  return Join(missing, "; ", [](const auto& one) {
    return std::string(one.first) + " for: " + Join(one.second, ",");
  });
}

// Returns the resource whose objects count for a resource of a quota, besides Pods.
const Resource* CountedResource(std::string_view name) {
  constexpr std::string_view kCount = "count/";
  if (name.starts_with(kCount)) {
    name.remove_prefix(kCount.size());
    for (const Resource& resource : Resources()) {
      if (resource.namespaced && resource.Qualified() == name) return &resource;
    }
    return nullptr;
  }
  if (name.starts_with("services.")) name = "services";
  if (name == "requests.storage" || name.find(".storageclass.") != std::string_view::npos) {
    name = "persistentvolumeclaims";
  }
  if (IsOneOf(name, kCounted)) return FindResource("", "v1", name);
  return FindResource("", "v1", "pods");
}

// Quota is a ResourceQuota with the amounts of its status.
struct Quota {
  std::string name;
  Amounts hard;
  Amounts used;
  std::unique_ptr<runtime::JsonDocument> object;
};

// Returns the quotas that count an object.
std::vector<Quota> QuotasFor(const PluginRequest& request, const Value& next) {
  std::vector<Quota> quotas;
  const Storage& storage = request.storage;
  const auto add = [&](const Storage::Entry& entry) {
    auto object = ParseObject(*entry.object);
    if (!IsInScopes(*object, request.resource, next)) return true;
    const Value& status = ObjectAt(*object, "status");
    quotas.push_back({.name = std::string(Metadata(*object, "name")),
                      .hard = ParseAmounts(ObjectAt(status, "hard")),
                      .used = ParseAmounts(ObjectAt(status, "used")),
                      .object = nullptr});
    quotas.back().object = std::move(object);
    return true;
  };
  storage.Visit(*FindResource("", "v1", "resourcequotas"), request.namespace_,
                storage.resource_version(), "", add);
  return quotas;
}

// Returns the names in a quota for which objects of this resource count.
std::vector<std::string_view> LimitedBy(const Quota& quota, const Resource& resource) {
  std::vector<std::string_view> names;
  for (const auto& [name, amount] : quota.hard) {
    const Resource* const counted = CountedResource(name);
    if (counted != nullptr && counted->Qualified() == resource.Qualified()) names.push_back(name);
  }
  return names;
}

// Reports whether the request may change what its object uses. That of Pods changes when they end,
// which needs no room.
bool IsCharged(const PluginRequest& request, const Value& next) {
  if (!request.resource.namespaced) return false;
  if (request.live == nullptr) return true;
  if (!request.resource.group.empty()) return false;
  const std::string_view kind = request.resource.kind;
  if (kind == "Service" || kind == "PersistentVolumeClaim") return true;
  return kind == "Pod" &&
         (request.subresource == "resize" || IsTerminating(*request.live) != IsTerminating(next));
}

}  // namespace

Amounts UsageOf(const Storage& storage, std::string_view ns, const Value& quota,
                const Amounts& hard) {
  Amounts usage;
  std::set<const Resource*> resources;
  for (const auto& [name, amount] : hard) {
    usage[name] = {.milli = 0, .format = amount.format};
    resources.insert(CountedResource(name));
  }
  for (const Resource* const resource : resources) {
    if (resource == nullptr) continue;
    storage.Visit(*resource, ns, storage.resource_version(), "", [&](const Storage::Entry& entry) {
      const auto object = ParseObject(*entry.object);
      if (IsInScopes(quota, *resource, *object)) {
        Add(usage, Mask(UsageOfObject(*resource, *object), hard));
      }
      return true;
    });
  }
  return usage;
}

Result<std::vector<QuotaCharge>> ChargesOf(const PluginRequest& request,
                                           const runtime::JsonDocument& next) {
  std::vector<QuotaCharge> charges;
  const Resource& resource = request.resource;
  const bool concerned = request.subresource.empty() || request.subresource == "resize";
  if (request.in_process || !concerned || !IsCharged(request, next)) return charges;
  const auto reject = [&](const std::string& why) {
    return tl::unexpected(ForbiddenBecause(resource, Metadata(next, "name"), why));
  };
  const Amounts usage = UsageOfObject(resource, next);
  const std::vector<Quota> quotas = QuotasFor(request, next);
  for (const Quota& quota : quotas) {
    if (resource.group.empty() && resource.kind == "Pod") {
      const std::string missing = MissingResources(next, quota.hard);
      if (!missing.empty()) {
        return reject("failed quota: " + quota.name + ": must specify " + missing);
      }
    }
    const std::vector<std::string_view> limited = LimitedBy(quota, resource);
    const auto known = [&](std::string_view name) { return quota.used.contains(name); };
    if (!std::ranges::all_of(limited, known)) {
      return reject("status unknown for quota: " + quota.name +
                    ", resources: " + Join(limited, ","));
    }
  }
  for (const Quota& quota : quotas) {
    Amounts before;
    if (request.live != nullptr && IsInScopes(*quota.object, resource, *request.live)) {
      before = UsageOfObject(resource, *request.live);
    }
    Amounts added;
    Amounts exceeded;
    Amounts used = quota.used;
    for (const auto& [name, amount] : Mask(usage, quota.hard)) {
      const auto old = before.find(name);
      const std::int64_t more = amount.milli - (old == before.end() ? 0 : old->second.milli);
      if (more <= 0) continue;
      added[name] = {.milli = more, .format = amount.format};
      Add(used, {{name, added[name]}});
      if (used[name].milli > quota.hard.at(name).milli) exceeded[name] = {};
    }
    if (!exceeded.empty()) {
      return reject("exceeded quota: " + quota.name +
                    ", requested: " + TextOf(Mask(added, exceeded)) +
                    ", used: " + TextOf(Mask(quota.used, exceeded)) +
                    ", limited: " + TextOf(Mask(quota.hard, exceeded)));
    }
    if (!added.empty()) charges.push_back({.quota = quota.name, .used = std::move(used)});
  }
  return charges;
}

}  // namespace capstan::testing::apiserver

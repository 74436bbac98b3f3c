// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/plugins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "clientgo/testing/apiserver/admission/limit_ranger.h"
#include "clientgo/testing/apiserver/admission/service_addresses.h"

namespace capstan::testing::apiserver {
namespace {

using Document = std::unique_ptr<runtime::JsonDocument>;
using Rejection = std::optional<Status>;

// Returns the object; null if it does not exist.
Document Find(const Storage& storage, const Resource* resource, std::string_view key) {
  const ObjectPtr object = resource == nullptr ? nullptr : storage.Get(*resource, key);
  return object == nullptr ? nullptr : ParseObject(*object);
}

// Returns the cluster-scoped object that `is_better` prefers to the others; null if there is none.
// It gets null for the first one.
Document FindBest(const Storage& storage, const Resource* resource,
                  const std::function<bool(const runtime::JsonDocument& object,
                                           const runtime::JsonDocument* best)>& is_better) {
  Document best;
  if (resource == nullptr) return best;
  storage.Visit(*resource, "", storage.resource_version(), "", [&](const Storage::Entry& entry) {
    Document object = ParseObject(*entry.object);
    if (is_better(*object, best.get())) best = std::move(object);
    return true;
  });
  return best;
}

bool HasAnnotation(const runtime::JsonValue& object, std::string_view key) {
  return runtime::Find(ObjectAt(ObjectAt(object, "metadata"), "annotations"), key) != nullptr;
}

bool IsAnnotatedTrue(const runtime::JsonValue& object, std::string_view key) {
  return runtime::GetString(ObjectAt(ObjectAt(object, "metadata"), "annotations"), key) == "true";
}

void Append(runtime::JsonDocument& object, std::string_view list, const Json& item) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  runtime::JsonValue* items = FindMutable(spec, list);
  if (items == nullptr || !items->IsArray()) {
    items = &Set(spec, list, runtime::JsonValue(rapidjson::kArrayType), allocator);
  }
  runtime::JsonDocument parsed(&allocator);
  parsed.Parse(item.text().data(), item.text().size());
  items->PushBack(static_cast<runtime::JsonValue&>(parsed), allocator);
}

bool Tolerates(const runtime::JsonValue& pod, std::string_view taint) {
  const runtime::JsonValue& tolerations = ListAt(ObjectAt(pod, "spec"), "tolerations");
  return std::any_of(
      tolerations.Begin(), tolerations.End(), [&](const runtime::JsonValue& toleration) {
        const std::string_view key = runtime::GetString(toleration, "key");
        const std::string_view effect = runtime::GetString(toleration, "effect");
        return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
      });
}

// Plugin DefaultTolerationSeconds. A Pod stays for five minutes on a Node that is not ready. An
// update gets what the Pod had.
Rejection AddTolerations(const PluginRequest& request, runtime::JsonDocument& pod) {
  for (const char* const taint :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool wanted = request.live == nullptr || Tolerates(*request.live, taint);
    if (!wanted || Tolerates(pod, taint)) continue;
    Append(pod, "tolerations",
           {{"key", taint},
            {"operator", "Exists"},
            {"effect", "NoExecute"},
            {"tolerationSeconds", 300}});
  }
  return std::nullopt;
}

const Resource* PriorityClasses() {
  return FindResource("scheduling.k8s.io", "v1", "priorityclasses");
}

bool IsGlobalDefault(const runtime::JsonValue& priority_class) {
  const runtime::JsonValue* const value = runtime::Find(priority_class, "globalDefault");
  return value != nullptr && value->IsTrue();
}

std::int64_t ValueOf(const runtime::JsonValue& priority_class) {
  const runtime::JsonValue* const value = runtime::Find(priority_class, "value");
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

Document DefaultPriorityClass(const Storage& storage) {
  return FindBest(storage, PriorityClasses(), [](const auto& object, const auto* best) {
    return IsGlobalDefault(object) && (best == nullptr || ValueOf(object) < ValueOf(*best));
  });
}

// Plugin Priority, for Pods.
Rejection SetPriority(const PluginRequest& request, runtime::JsonDocument& pod) {
  auto& allocator = pod.GetAllocator();
  runtime::JsonValue& spec = Ensure(pod, "spec", allocator);
  if (request.live != nullptr) {
    for (const char* const key : {"priority", "preemptionPolicy"}) {
      const runtime::JsonValue* const before = runtime::Find(ObjectAt(*request.live, "spec"), key);
      if (before == nullptr || runtime::Find(spec, key) != nullptr) continue;
      Set(spec, key, runtime::JsonValue(*before, allocator), allocator);
    }
    return std::nullopt;
  }
  const auto forbid = [&](const std::string& why) {
    return ForbiddenBecause(request.resource, Metadata(pod, "name"), why);
  };
  const std::string name(runtime::GetString(spec, "priorityClassName"));
  const Document found = name.empty() ? DefaultPriorityClass(request.storage)
                                      : Find(request.storage, PriorityClasses(), name);
  // The two classes of the system always exist.
  const std::int64_t system = name == "system-cluster-critical" ? 2'000'000'000
                              : name == "system-node-critical"  ? 2'000'001'000
                                                                : 0;
  if (!name.empty() && found == nullptr && system == 0) {
    return forbid("no PriorityClass with name " + name + " was found");
  }
  const std::int64_t priority = found == nullptr ? system : ValueOf(*found);
  std::string policy = "PreemptLowerPriority";
  if (found != nullptr) policy = runtime::GetString(*found, "preemptionPolicy");
  const runtime::JsonValue* const given = runtime::Find(spec, "priority");
  if (given != nullptr && (!given->IsInt64() || given->GetInt64() != priority)) {
    return forbid("the integer value of priority (" + runtime::ToJson(*given) +
                  ") must not be provided in pod spec; priority admission controller computed " +
                  std::to_string(priority) + " from the given PriorityClass name");
  }
  const std::string given_policy(runtime::GetString(spec, "preemptionPolicy"));
  if (!given_policy.empty() && !policy.empty() && given_policy != policy) {
    return forbid("the string value of PreemptionPolicy (" + given_policy +
                  ") must not be provided in pod spec; priority admission controller computed " +
                  policy + " from the given PriorityClass name");
  }
  if (name.empty() && found != nullptr) {
    SetString(spec, "priorityClassName", Metadata(*found, "name"), allocator);
  }
  SetJson(spec, "priority", priority, allocator);
  if (!policy.empty()) SetString(spec, "preemptionPolicy", policy, allocator);
  return std::nullopt;
}

// Plugin Priority, for the classes: one of them is the default.
Rejection AdmitPriorityClass(const PluginRequest& request, runtime::JsonDocument& next) {
  if (!IsGlobalDefault(next)) return std::nullopt;
  const Document known = DefaultPriorityClass(request.storage);
  if (known == nullptr) return std::nullopt;
  const std::string other(Metadata(*known, "name"));
  if (request.live != nullptr && other == Metadata(next, "name")) return std::nullopt;
  return ForbiddenBecause(
      request.resource, Metadata(next, "name"),
      "PriorityClass " + other + " is already marked as default. Only one default can exist");
}

// Plugin RuntimeClass: the overhead and the scheduling of the class are those of its Pods.
Rejection ApplyRuntimeClass(const PluginRequest& request, runtime::JsonDocument& pod) {
  auto& allocator = pod.GetAllocator();
  runtime::JsonValue& spec = Ensure(pod, "spec", allocator);
  const std::string name(runtime::GetString(spec, "runtimeClassName"));
  if (name.empty() || request.live != nullptr) return std::nullopt;
  const auto forbid = [&](const std::string& why) {
    return ForbiddenBecause(request.resource, Metadata(pod, "name"), why);
  };
  const Document found =
      Find(request.storage, FindResource("node.k8s.io", "v1", "runtimeclasses"), name);
  if (found == nullptr) return forbid("pod rejected: RuntimeClass \"" + name + "\" not found");
  const runtime::JsonValue* const overhead = runtime::FindPath(*found, {"overhead", "podFixed"});
  const runtime::JsonValue* const given = runtime::Find(spec, "overhead");
  if (overhead != nullptr && given != nullptr && *given != *overhead) {
    return forbid("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  if (overhead != nullptr) {
    Set(spec, "overhead", runtime::JsonValue(*overhead, allocator), allocator);
  }
  const runtime::JsonValue& scheduling = ObjectAt(*found, "scheduling");
  for (const auto& label : ObjectAt(scheduling, "nodeSelector").GetObject()) {
    runtime::JsonValue& selector = Ensure(spec, "nodeSelector", allocator);
    const std::string_view key = runtime::ToView(label.name);
    const runtime::JsonValue* const same = runtime::Find(selector, key);
    if (same != nullptr && *same != label.value) {
      return forbid("conflict: runtimeClass.scheduling.nodeSelector[" + std::string(key) + "] = " +
                    std::string(runtime::ToView(label.value)) + "; pod.spec.nodeSelector[" +
                    std::string(key) + "] = " + std::string(runtime::ToView(*same)));
    }
    Set(selector, key, runtime::JsonValue(label.value, allocator), allocator);
  }
  for (const runtime::JsonValue& toleration : ListAt(scheduling, "tolerations").GetArray()) {
    const runtime::JsonValue& known = ListAt(spec, "tolerations");
    if (std::find(known.Begin(), known.End(), toleration) != known.End()) continue;
    Append(pod, "tolerations", toleration);
  }
  return std::nullopt;
}

Rejection AdmitPod(const PluginRequest& request, runtime::JsonDocument& pod) {
  for (const auto plugin : {SetPriority, AddTolerations, ApplyRuntimeClass}) {
    if (auto rejection = plugin(request, pod)) return rejection;
  }
  return std::nullopt;
}

// Plugin TaintNodesByCondition.
Rejection TaintNode(const PluginRequest& request, runtime::JsonDocument& node) {
  if (request.live != nullptr) return std::nullopt;
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  const runtime::JsonValue& taints = ListAt(ObjectAt(node, "spec"), "taints");
  const bool tainted =
      std::any_of(taints.Begin(), taints.End(), [&](const runtime::JsonValue& taint) {
        return runtime::GetString(taint, "key") == kNotReady &&
               runtime::GetString(taint, "effect") == "NoSchedule";
      });
  if (!tainted) Append(node, "taints", {{"key", kNotReady}, {"effect", "NoSchedule"}});
  return std::nullopt;
}

// Plugin StorageObjectInUseProtection.
Rejection ProtectVolume(const PluginRequest& request, runtime::JsonDocument& volume) {
  if (request.live == nullptr) AddFinalizer(volume, "kubernetes.io/pv-protection");
  return std::nullopt;
}

// Returns the newest of the classes that are annotated as the default.
Document DefaultClass(const Storage& storage, const Resource* classes, std::string_view annotation,
                      std::string_view old_annotation) {
  return FindBest(storage, classes, [&](const auto& object, const auto* best) {
    const bool marked = IsAnnotatedTrue(object, annotation) ||
                        (!old_annotation.empty() && IsAnnotatedTrue(object, old_annotation));
    // Objects are visited in the order of their names, of which the first wins.
    return marked && (best == nullptr ||
                      Metadata(object, "creationTimestamp") > Metadata(*best, "creationTimestamp"));
  });
}

// Plugins StorageObjectInUseProtection and DefaultStorageClass.
Rejection AdmitClaim(const PluginRequest& request, runtime::JsonDocument& claim) {
  if (request.live != nullptr) return std::nullopt;
  AddFinalizer(claim, "kubernetes.io/pvc-protection");
  auto& allocator = claim.GetAllocator();
  runtime::JsonValue& spec = Ensure(claim, "spec", allocator);
  const bool chosen = runtime::Find(spec, "storageClassName") != nullptr ||
                      HasAnnotation(claim, "volume.beta.kubernetes.io/storage-class");
  if (chosen) return std::nullopt;
  const Document found =
      DefaultClass(request.storage, FindResource("storage.k8s.io", "v1", "storageclasses"),
                   "storageclass.kubernetes.io/is-default-class",
                   "storageclass.beta.kubernetes.io/is-default-class");
  if (found != nullptr) SetString(spec, "storageClassName", Metadata(*found, "name"), allocator);
  return std::nullopt;
}

// Plugin DefaultIngressClass.
Rejection AdmitIngress(const PluginRequest& request, runtime::JsonDocument& ingress) {
  if (request.live != nullptr) return std::nullopt;
  auto& allocator = ingress.GetAllocator();
  runtime::JsonValue& spec = Ensure(ingress, "spec", allocator);
  const bool chosen = runtime::Find(spec, "ingressClassName") != nullptr ||
                      HasAnnotation(ingress, "kubernetes.io/ingress.class");
  if (chosen) return std::nullopt;
  const Document found =
      DefaultClass(request.storage, FindResource("networking.k8s.io", "v1", "ingressclasses"),
                   "ingressclass.kubernetes.io/is-default-class", {});
  if (found != nullptr) SetString(spec, "ingressClassName", Metadata(*found, "name"), allocator);
  return std::nullopt;
}

// A request names the user who made it. Not a plugin in kube-apiserver, where its strategy does
// this.
Rejection NameRequestor(const PluginRequest& request, runtime::JsonDocument& next) {
  if (request.live != nullptr) return std::nullopt;
  auto& allocator = next.GetAllocator();
  runtime::JsonValue& spec = Ensure(next, "spec", allocator);
  for (const char* const key : {"username", "uid", "groups", "extra"}) Remove(spec, key);
  if (request.user == nullptr) return std::nullopt;
  SetString(spec, "username", request.user->name, allocator);
  SetJson(spec, "groups", Json::List(request.user->groups), allocator);
  return std::nullopt;
}

// Row is what the plugins do for a kind.
struct Row {
  std::string_view group;
  std::string_view plural;
  Rejection (*admit)(const PluginRequest& request, runtime::JsonDocument& next);
};

constexpr std::array kRows = {
    Row{"", "nodes", TaintNode},
    Row{"", "persistentvolumeclaims", AdmitClaim},
    Row{"", "persistentvolumes", ProtectVolume},
    Row{"", "pods", AdmitPod},
    Row{"certificates.k8s.io", "certificatesigningrequests", NameRequestor},
    Row{"networking.k8s.io", "ingresses", AdmitIngress},
    Row{"scheduling.k8s.io", "priorityclasses", AdmitPriorityClass},
};

}  // namespace

std::optional<Status> RunMutatingPlugins(const PluginRequest& request,
                                         runtime::JsonDocument& next) {
  if (request.in_process || !request.subresource.empty()) return std::nullopt;
  SetLimitDefaults(request, next);
  for (const Row& row : kRows) {
    if (row.plural != request.resource.plural || row.group != request.resource.group) continue;
    return row.admit(request, next);
  }
  return std::nullopt;
}

std::optional<Status> BeginWrite(const PluginRequest& request, runtime::JsonDocument& next) {
  const bool service = request.resource.kind == "Service" && request.resource.group.empty();
  if (!service || request.in_process || !request.subresource.empty()) return std::nullopt;
  return SetServiceAddresses(request, next);
}

std::optional<Status> RunValidatingPlugins(const PluginRequest& request,
                                           const runtime::JsonDocument& next) {
  const bool concerned = request.subresource.empty() || request.subresource == "resize";
  if (request.in_process || !concerned) return std::nullopt;
  return CheckLimits(request, next);
}

}  // namespace capstan::testing::apiserver

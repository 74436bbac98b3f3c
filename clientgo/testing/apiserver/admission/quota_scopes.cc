// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/quota_scopes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/decoding/strategies.h"

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;

bool IsBestEffort(const Value& pod) {
  const std::string_view quality = runtime::GetString(ObjectAt(pod, "status"), "qosClass");
  return (quality.empty() ? QualityOfService(ObjectAt(pod, "spec")) : quality) == "BestEffort";
}

// Reports whether the term of an affinity selects Pods in other namespaces.
bool CrossesNamespaces(const Value& term) {
  return !ListAt(term, "namespaces").Empty() || runtime::Find(term, "namespaceSelector") != nullptr;
}

bool HasCrossNamespaceAffinity(const Value& pod) {
  const Value& affinity = ObjectAt(ObjectAt(pod, "spec"), "affinity");
  const auto crosses = [](const Value& kind) {
    const Value& required = ListAt(kind, "requiredDuringSchedulingIgnoredDuringExecution");
    const Value& preferred = ListAt(kind, "preferredDuringSchedulingIgnoredDuringExecution");
    return std::any_of(required.Begin(), required.End(), CrossesNamespaces) ||
           std::any_of(preferred.Begin(), preferred.End(), [](const Value& weighted) {
             return CrossesNamespaces(ObjectAt(weighted, "podAffinityTerm"));
           });
  };
  return crosses(ObjectAt(affinity, "podAffinity")) ||
         crosses(ObjectAt(affinity, "podAntiAffinity"));
}

// Returns the classes that a claim refers to: the wanted one, the current one, and the one that it
// changes to.
std::vector<std::string_view> AttributesClasses(const Value& claim) {
  const Value& status = ObjectAt(claim, "status");
  std::vector<std::string_view> classes = {
      runtime::GetString(ObjectAt(claim, "spec"), "volumeAttributesClassName"),
      runtime::GetString(status, "currentVolumeAttributesClassName"),
      runtime::GetString(ObjectAt(status, "modifyVolumeStatus"),
                         "targetVolumeAttributesClassName")};
  classes.erase(std::remove(classes.begin(), classes.end(), ""), classes.end());
  return classes;
}

// Reports whether a name, which is empty if there is none, is selected.
bool Selects(std::string_view op, const Value& values, std::string_view name) {
  if (op == "Exists") return !name.empty();
  if (op == "DoesNotExist") return name.empty();
  const bool listed =
      !name.empty() && std::any_of(values.Begin(), values.End(), [&](const Value& value) {
        return runtime::ToView(value) == name;
      });
  return listed == (op == "In");
}

bool IsClaimInScope(std::string_view scope, std::string_view op, const Value& values,
                    const Value& claim) {
  if (scope != "VolumeAttributesClass") return false;
  const auto classes = AttributesClasses(claim);
  if (classes.empty()) return Selects(op, values, "");
  return std::any_of(classes.begin(), classes.end(),
                     [&](std::string_view name) { return Selects(op, values, name); });
}

bool IsPodInScope(std::string_view scope, std::string_view op, const Value& values,
                  const Value& pod) {
  if (scope == "Terminating") return IsTerminating(pod);
  if (scope == "NotTerminating") return !IsTerminating(pod);
  if (scope == "BestEffort") return IsBestEffort(pod);
  if (scope == "NotBestEffort") return !IsBestEffort(pod);
  if (scope == "CrossNamespacePodAffinity") return HasCrossNamespaceAffinity(pod);
  if (scope != "PriorityClass") return false;
  return Selects(op, values, runtime::GetString(ObjectAt(pod, "spec"), "priorityClassName"));
}

bool IsInScope(std::string_view scope, std::string_view op, const Value& values,
               const Resource& resource, const Value& object) {
  if (!resource.group.empty()) return false;
  if (resource.kind == "Pod") return IsPodInScope(scope, op, values, object);
  return resource.kind == "PersistentVolumeClaim" && IsClaimInScope(scope, op, values, object);
}

}  // namespace

bool IsTerminating(const runtime::JsonValue& pod) {
  const Value* const deadline = runtime::Find(ObjectAt(pod, "spec"), "activeDeadlineSeconds");
  return deadline != nullptr && deadline->IsInt64() && deadline->GetInt64() >= 0;
}

bool IsInScopes(const runtime::JsonValue& quota, const Resource& resource,
                const runtime::JsonValue& object) {
  const Value& spec = ObjectAt(quota, "spec");
  const Value& scopes = ListAt(spec, "scopes");
  const Value& expressions = ListAt(ObjectAt(spec, "scopeSelector"), "matchExpressions");
  return std::all_of(scopes.Begin(), scopes.End(),
                     [&](const Value& scope) {
                       return IsInScope(runtime::ToView(scope), "Exists", Value(), resource,
                                        object);
                     }) &&
         std::all_of(expressions.Begin(), expressions.End(), [&](const Value& expression) {
           return IsInScope(runtime::GetString(expression, "scopeName"),
                            runtime::GetString(expression, "operator"),
                            ListAt(expression, "values"), resource, object);
         });
}

}  // namespace capstan::testing::apiserver

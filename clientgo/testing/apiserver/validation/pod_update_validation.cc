// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kMayNotChange =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// The defaults of a PodSpec and of its parts, and what admission plugins of kube-apiserver set.
constexpr std::string_view kSpecDefaults =
    R"({"restartPolicy":"Always","dnsPolicy":"ClusterFirst","terminationGracePeriodSeconds":30,)"
    R"("schedulerName":"default-scheduler","enableServiceLinks":true,"priority":0,)"
    R"("preemptionPolicy":"PreemptLowerPriority","serviceAccountName":"default",)"
    R"("serviceAccount":"default"})";
constexpr std::string_view kContainerDefaults =
    R"({"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"})";
constexpr std::string_view kPortDefaults = R"({"protocol":"TCP"})";
constexpr std::string_view kProbeDefaults =
    R"({"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3})";
constexpr std::string_view kSourceDefaults = R"({"defaultMode":420})";

// Removes the members that have the value in `defaults`.
void DropDefaults(runtime::JsonValue& object, std::string_view defaults) {
  std::string error;
  const auto values = ParseJson(defaults, &error);
  for (const auto& member : std::as_const(*values).GetObject()) {
    const runtime::JsonValue* const value = runtime::Find(object, runtime::ToView(member.name));
    if (value != nullptr && *value == member.value) Remove(object, runtime::ToView(member.name));
  }
}

void DropDefaultsOfItems(runtime::JsonValue& object, std::string_view list,
                         std::string_view defaults) {
  runtime::JsonValue* const items = FindMutable(object, list);
  if (items == nullptr || !items->IsArray()) return;
  for (runtime::JsonValue& item : items->GetArray()) DropDefaults(item, defaults);
}

// Removes nulls, and empty maps and lists, except what chooses a type ("emptyDir":{}).
void DropEmpty(runtime::JsonValue& value) {
  if (value.IsArray()) {
    for (runtime::JsonValue& item : value.GetArray()) DropEmpty(item);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    DropEmpty(member->value);
    const std::string_view name = runtime::ToView(member->name);
    const bool type = name == "emptyDir" || name == "exec" || name == "configMap";
    const bool drop = member->value.IsNull() || (!type && IsEmptyContainer(member->value));
    member = drop ? value.EraseMember(member) : member + 1;
  }
}

void SimplifyContainers(runtime::JsonValue& spec, std::string_view list) {
  runtime::JsonValue* const containers = FindMutable(spec, list);
  if (containers == nullptr || !containers->IsArray()) return;
  for (runtime::JsonValue& container : containers->GetArray()) {
    DropDefaults(container, kContainerDefaults);
    DropDefaultsOfItems(container, "ports", kPortDefaults);
    for (const char* const key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      runtime::JsonValue* const probe = FindMutable(container, key);
      if (probe != nullptr) DropDefaults(*probe, kProbeDefaults);
    }
  }
}

// Removes what a kube-apiserver would add to a PodSpec without it.
void Simplify(runtime::JsonValue& spec) {
  DropDefaults(spec, kSpecDefaults);
  for (const char* const list : {"containers", "initContainers"}) SimplifyContainers(spec, list);
  runtime::JsonValue* const volumes = FindMutable(spec, "volumes");
  if (volumes != nullptr && volumes->IsArray()) {
    for (runtime::JsonValue& volume : volumes->GetArray()) {
      for (const char* const type : {"secret", "configMap", "projected", "downwardAPI"}) {
        runtime::JsonValue* const source = FindMutable(volume, type);
        if (source != nullptr) DropDefaults(*source, kSourceDefaults);
      }
    }
  }
  DropEmpty(spec);
}

// The default of imagePullPolicy depends on the image. One that only one of the two has counts as
// the default.
void DropOneSidedPullPolicies(runtime::JsonValue& live, runtime::JsonValue& next,
                              std::string_view list) {
  runtime::JsonValue* const before = FindMutable(live, list);
  runtime::JsonValue* const after = FindMutable(next, list);
  if (before == nullptr || after == nullptr || !before->IsArray() || !after->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < std::min(before->Size(), after->Size()); ++i) {
    constexpr std::string_view kPolicy = "imagePullPolicy";
    if (runtime::Find((*before)[i], kPolicy) != nullptr &&
        runtime::Find((*after)[i], kPolicy) != nullptr)
      continue;
    if ((*before)[i].IsObject()) Remove((*before)[i], kPolicy);
    if ((*after)[i].IsObject()) Remove((*after)[i], kPolicy);
  }
}

// Two is a pair of PodSpecs in the form that can be compared.
struct Two {
  Two(const runtime::JsonValue& live_spec, const runtime::JsonValue& next_spec) {
    live.CopyFrom(live_spec, live.GetAllocator());
    next.CopyFrom(next_spec, next.GetAllocator());
    for (runtime::JsonDocument* const spec : {&live, &next}) {
      if (spec->IsObject()) Simplify(*spec);
    }
    for (const char* const list : {"containers", "initContainers"}) {
      DropOneSidedPullPolicies(live, next, list);
    }
  }
  // Takes the member of `live`.
  void Keep(std::string_view key) { KeepMember(live, next, key); }
  void KeepImages(std::string_view list);

  runtime::JsonDocument live;
  runtime::JsonDocument next;
};

void Two::KeepImages(std::string_view list) {
  const runtime::JsonValue& before = ListAt(live, list);
  runtime::JsonValue* const after = FindMutable(next, list);
  if (after == nullptr || !after->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < std::min(before.Size(), after->Size()); ++i) {
    const runtime::JsonValue* const image = runtime::Find(before[i], "image");
    if (image == nullptr || !(*after)[i].IsObject()) continue;
    Set((*after)[i], "image", runtime::JsonValue(*image, next.GetAllocator()), next.GetAllocator());
  }
}

// Returns the members that differ: "-restartPolicy: \"Always\"\n+restartPolicy: \"Never\"\n".
std::string Difference(const runtime::JsonValue& live, const runtime::JsonValue& next) {
  std::string text;
  const auto add = [&text](char sign, const auto& member, const runtime::JsonValue& other) {
    const runtime::JsonValue* const same = runtime::Find(other, runtime::ToView(member.name));
    if (same != nullptr && *same == member.value) return;
    text += sign + std::string(runtime::ToView(member.name)) + ": " +
            runtime::ToJson(member.value) + "\n";
  };
  for (const auto& member : live.GetObject()) add('-', member, next);
  for (const auto& member : next.GetObject()) add('+', member, live);
  return text;
}

// Returns whether no container was added or removed.
bool CheckImages(const Place& live, const Place& next, FieldRules& rules) {
  const auto containers = next.Items();
  if (containers.size() != live.Items().size()) {
    rules.Forbidden(next, "pod updates may not add or remove containers");
    return false;
  }
  for (const Place& container : containers) {
    rules.RequireText(container["image"]);
    CheckImageSpace(container["image"], rules);
  }
  return true;
}

// Returns whether the deadline is a valid one.
bool CheckDeadline(const Place& live, const Place& next, FieldRules& rules) {
  const auto before = live.Number();
  const auto after = next.Number();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (after && (*after < 0 || *after > kMost)) {
    rules.Between(next, 0, kMost);
    return false;
  }
  if (after && before && *before < *after) {
    rules.Invalid(next, "must be less than or equal to previous value");
    return false;
  }
  if (before && !after) {
    rules.Invalid(next, "must not update from a positive integer to nil value");
  }
  return true;
}

// A toleration can be added, and its tolerationSeconds can change.
void CheckTolerations(const Place& live, const Place& next, FieldRules& rules) {
  const auto without_seconds = [](const Place& toleration) {
    runtime::JsonDocument copy;
    copy.CopyFrom(toleration.value(), copy.GetAllocator());
    if (copy.IsObject()) Remove(copy, "tolerationSeconds");
    return copy;
  };
  const auto items = next.Items();
  for (const Place& toleration : live.Items()) {
    const runtime::JsonDocument wanted = without_seconds(toleration);
    const bool found = std::any_of(items.begin(), items.end(), [&](const Place& item) {
      return without_seconds(item) == wanted;
    });
    if (found) continue;
    rules.Forbidden(next, "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
  CheckPodTolerations(next, rules);  // as CheckPod does, so 1.34 lists their errors twice
}

void CheckGates(const Place& live, const Place& next, FieldRules& rules) {
  const auto before = live.Items();
  for (const Place& gate : next.Items()) {
    const std::string_view name = gate["name"].Text();
    const bool known = std::any_of(before.begin(), before.end(),
                                   [&](const Place& one) { return one["name"].Text() == name; });
    if (known) continue;
    rules.Forbidden(gate["name"], "only deletion is allowed, but found new scheduling gate '" +
                                      std::string(name) + "'");
  }
}

}  // namespace

bool SamePodSpec(const runtime::JsonValue& live, const runtime::JsonValue& next) {
  const Two specs(live, next);
  return specs.live == specs.next;
}

void CheckPodUpdate(const Place& live, const Place& next, std::vector<Cause>& causes) {
  FieldRules rules(causes);
  for (const char* const list : {"containers", "initContainers"}) {
    if (!CheckImages(live[list], next[list], rules)) return;
  }
  constexpr const char* kDeadline = "activeDeadlineSeconds";
  if (!CheckDeadline(live[kDeadline], next[kDeadline], rules)) return;
  CheckTolerations(live["tolerations"], next["tolerations"], rules);
  CheckGates(live["schedulingGates"], next["schedulingGates"], rules);
  Two specs(live.value(), next.value());
  for (const char* const list : {"containers", "initContainers"}) specs.KeepImages(list);
  for (const char* const key : {kDeadline, "tolerations", "schedulingGates"}) specs.Keep(key);
  constexpr const char* kGrace = "terminationGracePeriodSeconds";
  if (live[kGrace].Number().value_or(0) < 0 && next[kGrace].Number() == 1) specs.Keep(kGrace);
  if (!live["schedulingGates"].Items().empty()) {
    for (const char* const key : {"nodeSelector", "affinity"}) specs.Keep(key);
  }
  if (specs.live == specs.next) return;
  rules.Forbidden(next, std::string(kMayNotChange) + "\n" + Difference(specs.live, specs.next));
}

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/pod_update_validation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/testing/apiserver/internal/field_rules.h"
#include "capstan/testing/apiserver/internal/pod_validation.h"

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
void DropDefaults(JsonValue& object, std::string_view defaults) {
  std::string error;
  const auto values = ParseJson(defaults, &error);
  for (const auto& member : std::as_const(*values).GetObject()) {
    const JsonValue* const value = Find(object, ToView(member.name));
    if (value != nullptr && *value == member.value) Remove(object, ToView(member.name));
  }
}

void DropDefaultsOfItems(JsonValue& object, std::string_view list, std::string_view defaults) {
  JsonValue* const items = FindMutable(object, list);
  if (items == nullptr || !items->IsArray()) return;
  for (JsonValue& item : items->GetArray()) DropDefaults(item, defaults);
}

// Removes nulls, and empty maps and lists, except what chooses a type ("emptyDir":{}).
void DropEmpty(JsonValue& value) {
  if (value.IsArray()) {
    for (JsonValue& item : value.GetArray()) DropEmpty(item);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    DropEmpty(member->value);
    const std::string_view name = ToView(member->name);
    const bool type = name == "emptyDir" || name == "exec" || name == "configMap";
    const bool drop = member->value.IsNull() || (!type && IsEmptyContainer(member->value));
    member = drop ? value.EraseMember(member) : member + 1;
  }
}

void SimplifyContainers(JsonValue& spec, std::string_view list) {
  JsonValue* const containers = FindMutable(spec, list);
  if (containers == nullptr || !containers->IsArray()) return;
  for (JsonValue& container : containers->GetArray()) {
    DropDefaults(container, kContainerDefaults);
    DropDefaultsOfItems(container, "ports", kPortDefaults);
    for (const char* const key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
      JsonValue* const probe = FindMutable(container, key);
      if (probe != nullptr) DropDefaults(*probe, kProbeDefaults);
    }
  }
}

// Removes what a kube-apiserver would add to a PodSpec without it.
void Simplify(JsonValue& spec) {
  DropDefaults(spec, kSpecDefaults);
  for (const char* const list : {"containers", "initContainers"}) SimplifyContainers(spec, list);
  JsonValue* const volumes = FindMutable(spec, "volumes");
  if (volumes != nullptr && volumes->IsArray()) {
    for (JsonValue& volume : volumes->GetArray()) {
      for (const char* const type : {"secret", "configMap", "projected", "downwardAPI"}) {
        JsonValue* const source = FindMutable(volume, type);
        if (source != nullptr) DropDefaults(*source, kSourceDefaults);
      }
    }
  }
  DropEmpty(spec);
}

// The default of imagePullPolicy depends on the image. One that only one of the two has counts as
// the default.
void DropOneSidedPullPolicies(JsonValue& live, JsonValue& next, std::string_view list) {
  JsonValue* const before = FindMutable(live, list);
  JsonValue* const after = FindMutable(next, list);
  if (before == nullptr || after == nullptr || !before->IsArray() || !after->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < std::min(before->Size(), after->Size()); ++i) {
    constexpr std::string_view kPolicy = "imagePullPolicy";
    if (Find((*before)[i], kPolicy) != nullptr && Find((*after)[i], kPolicy) != nullptr) continue;
    if ((*before)[i].IsObject()) Remove((*before)[i], kPolicy);
    if ((*after)[i].IsObject()) Remove((*after)[i], kPolicy);
  }
}

// Two is a pair of PodSpecs in the form that can be compared.
struct Two {
  Two(const JsonValue& live_spec, const JsonValue& next_spec) {
    live.CopyFrom(live_spec, live.GetAllocator());
    next.CopyFrom(next_spec, next.GetAllocator());
    for (JsonDocument* const spec : {&live, &next}) {
      if (spec->IsObject()) Simplify(*spec);
    }
    for (const char* const list : {"containers", "initContainers"}) {
      DropOneSidedPullPolicies(live, next, list);
    }
  }
  // Takes the member of `live`.
  void Keep(std::string_view key) { KeepMember(live, next, key); }
  void KeepImages(std::string_view list);

  JsonDocument live;
  JsonDocument next;
};

void Two::KeepImages(std::string_view list) {
  const JsonValue& before = ListAt(live, list);
  JsonValue* const after = FindMutable(next, list);
  if (after == nullptr || !after->IsArray()) return;
  for (rapidjson::SizeType i = 0; i < std::min(before.Size(), after->Size()); ++i) {
    const JsonValue* const image = Find(before[i], "image");
    if (image == nullptr || !(*after)[i].IsObject()) continue;
    Set((*after)[i], "image", JsonValue(*image, next.GetAllocator()), next.GetAllocator());
  }
}

// Returns the members that differ: "-restartPolicy: \"Always\"\n+restartPolicy: \"Never\"\n".
std::string Difference(const JsonValue& live, const JsonValue& next) {
  std::string text;
  const auto add = [&text](char sign, const auto& member, const JsonValue& other) {
    const JsonValue* const same = Find(other, ToView(member.name));
    if (same != nullptr && *same == member.value) return;
    text += sign + std::string(ToView(member.name)) + ": " +
            clientgo::runtime::ToJson(member.value) + "\n";
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
    JsonDocument copy;
    copy.CopyFrom(toleration.value(), copy.GetAllocator());
    if (copy.IsObject()) Remove(copy, "tolerationSeconds");
    return copy;
  };
  const auto items = next.Items();
  for (const Place& toleration : live.Items()) {
    const JsonDocument wanted = without_seconds(toleration);
    const bool found = std::any_of(items.begin(), items.end(), [&](const Place& item) {
      return without_seconds(item) == wanted;
    });
    if (found) continue;
    rules.Forbidden(next, "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
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

bool SamePodSpec(const JsonValue& live, const JsonValue& next) {
  const Two specs(live, next);
  return specs.live == specs.next;
}

std::vector<Cause> ValidatePodUpdate(const JsonValue& live, const JsonValue& next) {
  std::vector<Cause> causes;
  FieldRules rules(causes);
  const Place before(ObjectAt(live, "spec"), "spec");
  const Place after(ObjectAt(next, "spec"), "spec");
  for (const char* const list : {"containers", "initContainers"}) {
    if (!CheckImages(before[list], after[list], rules)) return causes;
  }
  constexpr const char* kDeadline = "activeDeadlineSeconds";
  if (!CheckDeadline(before[kDeadline], after[kDeadline], rules)) return causes;
  CheckTolerations(before["tolerations"], after["tolerations"], rules);
  CheckGates(before["schedulingGates"], after["schedulingGates"], rules);
  Two specs(before.value(), after.value());
  for (const char* const list : {"containers", "initContainers"}) specs.KeepImages(list);
  for (const char* const key : {kDeadline, "tolerations", "schedulingGates"}) specs.Keep(key);
  constexpr const char* kGrace = "terminationGracePeriodSeconds";
  if (before[kGrace].Number().value_or(0) < 0 && after[kGrace].Number() == 1) specs.Keep(kGrace);
  if (!before["schedulingGates"].Items().empty()) {
    for (const char* const key : {"nodeSelector", "affinity"}) specs.Keep(key);
  }
  if (specs.live == specs.next) return causes;
  rules.Forbidden(after, std::string(kMayNotChange) + "\n" + Difference(specs.live, specs.next));
  return causes;
}

}  // namespace capstan::testing::apiserver

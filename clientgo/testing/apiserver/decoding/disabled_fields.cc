// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/disabled_fields.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/mutex.h"

namespace capstan::testing::apiserver {
namespace {

// DisabledField is a row of the table.
struct DisabledField {
  std::string_view type;
  std::string_view field;
  std::string_view with = {};                          // it is only dropped if it has this member
  void (*drop)(runtime::JsonValue& object) = nullptr;  // instead of the field
};

// Returns the objects in the lists of containers of a PodSpec.
std::vector<runtime::JsonValue*> ContainersOf(runtime::JsonValue& spec,
                                              std::initializer_list<std::string_view> lists) {
  std::vector<runtime::JsonValue*> containers;
  for (const std::string_view list : lists) {
    runtime::JsonValue* const items = FindMutable(spec, list);
    if (items == nullptr || !items->IsArray()) continue;
    for (runtime::JsonValue& item : items->GetArray()) {
      if (item.IsObject()) containers.push_back(&item);
    }
  }
  return containers;
}

// Removes the items of a list for which `drop` returns true.
void DropItems(runtime::JsonValue& object, std::string_view list, const auto& drop) {
  runtime::JsonValue* const items = FindMutable(object, list);
  if (items == nullptr || !items->IsArray()) return;
  auto* kept = items->Begin();
  for (auto* item = items->Begin(); item != items->End(); ++item) {
    if (item->IsObject() && drop(*item)) continue;
    if (kept != item) kept->Swap(*item);
    ++kept;
  }
  while (kept != items->End()) items->PopBack();
  if (items->Empty()) Remove(object, list);
}

// Drops what a container may not have without the gates ContainerRestartRules,
// ContainerStopSignals and ImageVolume. Volumes of images disappear with their mounts.
void DropFromPodSpec(runtime::JsonValue& spec) {
  std::set<std::string, std::less<>> images;
  DropItems(spec, "volumes", [&](const runtime::JsonValue& volume) {
    const bool image = runtime::Find(volume, "image") != nullptr;
    if (image) images.emplace(runtime::GetString(volume, "name"));
    return image;
  });
  for (runtime::JsonValue* const container :
       ContainersOf(spec, {"containers", "initContainers", "ephemeralContainers"})) {
    if (!images.empty()) {
      DropItems(*container, "volumeMounts", [&](const runtime::JsonValue& mount) {
        return images.contains(runtime::GetString(mount, "name"));
      });
    }
    Remove(*container, "restartPolicyRules");
    runtime::JsonValue* const lifecycle = FindMutable(*container, "lifecycle");
    if (lifecycle == nullptr || runtime::Find(*lifecycle, "stopSignal") == nullptr) continue;
    Remove(*lifecycle, "stopSignal");
    if (lifecycle->ObjectEmpty()) Remove(*container, "lifecycle");
  }
  for (runtime::JsonValue* const container :
       ContainersOf(spec, {"containers", "ephemeralContainers"})) {
    Remove(*container, "restartPolicy");
  }
  for (runtime::JsonValue* const container : ContainersOf(spec, {"initContainers"})) {
    if (runtime::GetString(*container, "restartPolicy") != "Always") {
      Remove(*container, "restartPolicy");
    }
  }
}

constexpr std::array kDisabled = {
    DisabledField{"apps.v1.DeploymentStatus", "terminatingReplicas"},
    DisabledField{"apps.v1.ReplicaSetStatus", "terminatingReplicas"},
    DisabledField{"apps.v1.RollingUpdateStatefulSetStrategy", "maxUnavailable"},
    DisabledField{"autoscaling.v2.HPAScalingRules", "tolerance"},
    DisabledField{"coordination.v1.LeaseSpec", "preferredHolder"},
    DisabledField{"coordination.v1.LeaseSpec", "strategy"},
    DisabledField{"core.v1.EnvVarSource", "fileKeyRef"},
    DisabledField{"core.v1.NodeSpec", "configSource"},
    DisabledField{"core.v1.NodeStatus", "config"},
    DisabledField{"core.v1.PersistentVolumeClaimSpec", "dataSourceRef", "namespace"},
    DisabledField{"core.v1.PodSpec", "hostnameOverride"},
    DisabledField{.type = "core.v1.PodSpec", .field = {}, .drop = DropFromPodSpec},
    DisabledField{"core.v1.VolumeProjection", "clusterTrustBundle"},
    DisabledField{"core.v1.VolumeProjection", "podCertificate"},
    DisabledField{"discovery.v1.Endpoint", "deprecatedTopology"},
    DisabledField{"storage.v1.CSIDriverSpec", "nodeAllocatableUpdatePeriodSeconds"},
};

bool IsListed(const runtime::Message& message) {
  return std::any_of(kDisabled.begin(), kDisabled.end(),
                     [&](const DisabledField& row) { return row.type == message.name(); });
}

// Reports whether objects of the type have such a field at any depth. `known` has the answers. A
// type that contains itself adds nothing.
bool HasDisabled(const runtime::Message& message, std::map<const runtime::Message*, bool>& known) {
  const auto [at, added] = known.emplace(&message, false);
  if (!added) return at->second;
  bool found = IsListed(message);
  for (const runtime::Field& field : message.fields()) {
    if (field.message != nullptr && HasDisabled(*field.message, known)) found = true;
  }
  return known[&message] = found;
}

bool HasDisabled(const runtime::Message& message) {
  static Mutex mutex;
  static auto& known = *new std::map<const runtime::Message*, bool>;
  const MutexLock lock(mutex);
  return HasDisabled(message, known);
}

void DropFrom(const runtime::Message& message, runtime::JsonValue& object) {
  for (const DisabledField& row : kDisabled) {
    if (row.type != message.name()) continue;
    if (row.drop != nullptr) {
      row.drop(object);
      continue;
    }
    const runtime::JsonValue* const value = runtime::Find(object, row.field);
    if (value == nullptr) continue;
    if (!row.with.empty() && runtime::GetString(*value, row.with).empty()) continue;
    Remove(object, row.field);
  }
}

}  // namespace

void DropDisabledFields(const runtime::Message* message, runtime::JsonValue& object) {
  if (message == nullptr || !object.IsObject() || !HasDisabled(*message)) return;
  DropFrom(*message, object);
  for (const runtime::Field& field : message->fields()) {
    if (field.message == nullptr) continue;
    if (field.name.empty()) {
      DropDisabledFields(field.message, object);  // its fields are members of this object
      continue;
    }
    runtime::JsonValue* const value = FindMutable(object, field.name);
    if (value == nullptr) continue;
    if (value->IsArray()) {
      for (runtime::JsonValue& item : value->GetArray()) DropDisabledFields(field.message, item);
    } else if (value->IsObject() && field.shape == runtime::Field::Shape::kMap) {
      for (auto member = value->MemberBegin(); value->MemberEnd() - member > 0; ++member) {
        DropDisabledFields(field.message, member->value);
      }
    } else {
      DropDisabledFields(field.message, *value);
    }
  }
}

}  // namespace capstan::testing::apiserver

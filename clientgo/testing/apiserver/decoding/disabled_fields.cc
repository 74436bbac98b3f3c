// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/disabled_fields.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "capstan/mutex.h"

namespace capstan::testing::apiserver {
namespace {

// DisabledField is a row of the table.
struct DisabledField {
  std::string_view type;
  std::string_view field;
  std::string_view with = {};  // it is only dropped if it has this member
};

constexpr std::array kDisabled = {
    DisabledField{"autoscaling.v2.HPAScalingRules", "tolerance"},
    DisabledField{"coordination.v1.LeaseSpec", "preferredHolder"},
    DisabledField{"coordination.v1.LeaseSpec", "strategy"},
    DisabledField{"core.v1.NodeSpec", "configSource"},
    DisabledField{"core.v1.NodeStatus", "config"},
    DisabledField{"core.v1.PersistentVolumeClaimSpec", "dataSourceRef", "namespace"},
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

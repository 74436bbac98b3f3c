// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/condition.h"

#include <algorithm>

#include "clientgo/runtime/json.h"

namespace clientgo::api {

Conditions DecodeConditions(const runtime::JsonValue& object) {
  Conditions conditions;
  const runtime::JsonValue* list = runtime::FindPath(object, {"status", "conditions"});
  if (list == nullptr || !list->IsArray()) return conditions;
  conditions.reserve(list->Size());
  for (const runtime::JsonValue& entry : list->GetArray()) {
    const std::string_view type = runtime::GetString(entry, "type");
    if (type.empty()) continue;
    conditions.push_back(
        {.type = std::string(type), .status = std::string(runtime::GetString(entry, "status"))});
  }
  return conditions;
}

const Condition* FindCondition(const Conditions& conditions, std::string_view type) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

std::size_t HeapBytes(const Conditions& conditions) {
  std::size_t bytes = conditions.capacity() * sizeof(Condition);
  for (const Condition& condition : conditions) {
    bytes += condition.type.capacity() + condition.status.capacity();
  }
  return bytes;
}

}  // namespace clientgo::api

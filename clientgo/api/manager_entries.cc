// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/manager_entries.h"

#include <algorithm>
#include <limits>

#include "clientgo/runtime/json.h"

namespace clientgo::api {

ManagerEntries FindManagerEntries(const runtime::JsonValue& object, std::string_view manager) {
  ManagerEntries found;
  const runtime::JsonValue* list = runtime::FindPath(object, {"metadata", "managedFields"});
  if (manager.empty() || list == nullptr || !list->IsArray()) return found;
  constexpr runtime::rapidjson::SizeType kIndexMax = std::numeric_limits<std::int16_t>::max();
  // Backwards: the first one stays.
  for (runtime::rapidjson::SizeType i = std::min(list->Size(), kIndexMax); i-- > 0;) {
    const runtime::JsonValue& entry = (*list)[i];
    if (runtime::GetString(entry, "manager") != manager) continue;
    if (!runtime::GetString(entry, "subresource").empty()) continue;
    const std::string_view operation = runtime::GetString(entry, "operation");
    if (operation == "Apply") found.apply = static_cast<std::int16_t>(i);
    if (operation == "Update") found.update = static_cast<std::int16_t>(i);
  }
  return found;
}

std::vector<runtime::Projection::Path> ManagerEntriesPaths(std::string_view manager) {
  std::vector<runtime::Projection::Path> paths;
  if (manager.empty()) return paths;
  for (const char* field : {"manager", "operation", "subresource"}) {
    paths.push_back({"metadata", "managedFields", field});
  }
  return paths;
}

}  // namespace clientgo::api

// SPDX-License-Identifier: Apache-2.0
// Writes the document of -o json: {"items": [...]} with an object for each item.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/runtime/json.h"

namespace cmd::capstan::inspect {

// Writes the member `key`: an array of objects. `write(item)` writes an object's members.
template <typename Items, typename Write>
void WriteObjects(clientgo::runtime::JsonWriter& writer, std::string_view key, const Items& items,
                  const Write& write) {
  clientgo::runtime::WriteKey(writer, key);
  writer.StartArray();
  for (const auto& item : items) {
    writer.StartObject();
    write(item);
    writer.EndObject();
  }
  writer.EndArray();
}

// Returns the document. `write(writer, item)` writes the members of an item.
template <typename Items, typename Write>
std::string ItemsJson(const Items& items, const Write& write) {
  clientgo::runtime::JsonBuffer buffer;
  clientgo::runtime::JsonWriter writer(buffer);
  writer.StartObject();
  WriteObjects(writer, "items", items, [&](const auto& item) { write(writer, item); });
  writer.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace cmd::capstan::inspect

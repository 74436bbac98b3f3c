// SPDX-License-Identifier: Apache-2.0
// The JSON of -o json: one document {"items": [...]}, an object for each thing told.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/runtime/json.h"

namespace cmd::capstan::inspect {

// The member `key`: an array of an object for each of `items`, whose members `write(item)` writes.
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

// The document; `write(writer, item)` writes the members of an item.
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

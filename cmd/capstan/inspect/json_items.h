// SPDX-License-Identifier: Apache-2.0
// Writes the documents of -o json.
#pragma once

#include <string>
#include <string_view>

#include "capstan/runtime/json_writer.h"

namespace capstan::cmd::cli::inspect {

// Writes the member `key`: an array of objects. `write(item)` writes an object's members.
template <typename Items, typename Write>
void WriteObjects(runtime::JsonWriter& writer, std::string_view key, const Items& items,
                  const Write& write) {
  writer.Key(key);
  writer.StartArray();
  for (const auto& item : items) {
    writer.StartObject();
    write(item);
    writer.EndObject();
  }
  writer.EndArray();
}

// Returns a document with one object. `write(writer)` writes its members.
template <typename Write>
std::string ObjectJson(const Write& write) {
  runtime::JsonWriter writer;
  writer.StartObject();
  write(writer);
  writer.EndObject();
  return writer.text() + "\n";
}

// Returns {"items": [...]}. `write(writer, item)` writes the members of an item.
template <typename Items, typename Write>
std::string ItemsJson(const Items& items, const Write& write) {
  return ObjectJson([&](runtime::JsonWriter& writer) {
    WriteObjects(writer, "items", items, [&](const auto& item) { write(writer, item); });
  });
}

}  // namespace capstan::cmd::cli::inspect

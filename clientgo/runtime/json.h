// SPDX-License-Identifier: Apache-2.0
// RapidJSON as this project uses it: one set of macros, in one place, before any of its headers.
// Nothing here throws; parse errors are values. Writers produce compact UTF-8.
#pragma once

#if defined(__SSE4_2__)
#define RAPIDJSON_SSE42
#elif defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>
#include <string_view>

namespace clientgo::runtime {

using JsonValue = rapidjson::Value;
using JsonDocument = rapidjson::Document;
using JsonBuffer = rapidjson::StringBuffer;
using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

// The member, or nullptr when `object` is not an object or has no such member.
const JsonValue* Find(const JsonValue& object, std::string_view key);
// The value at a path of members; nullptr when any link is missing.
const JsonValue* FindPath(const JsonValue& object, std::initializer_list<std::string_view> path);
// The member's string; empty when missing or not a string.
std::string_view GetString(const JsonValue& object, std::string_view key);
inline std::string_view ToView(const JsonValue& value) {
  return {value.GetString(), value.GetStringLength()};
}
inline void WriteString(JsonWriter& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
inline void WriteKey(JsonWriter& writer, std::string_view key) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}

}  // namespace clientgo::runtime

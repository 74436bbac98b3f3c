// SPDX-License-Identifier: Apache-2.0
// Reading and changing JSON documents that came from a client: parsing that no input can crash, and
// the few edits that the verbs need. Pure functions on rapidjson values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/runtime/json.h"

namespace apiserver {

namespace rapidjson = clientgo::runtime::rapidjson;

using clientgo::runtime::Find;
using clientgo::runtime::FindPath;
using clientgo::runtime::GetString;
using clientgo::runtime::JsonDocument;
using clientgo::runtime::JsonValue;
using clientgo::runtime::ToView;

using JsonAllocator = JsonDocument::AllocatorType;

// Null when `text` is not JSON, or nested deeper than our recursive functions should go; `error`
// then says why, as Go's decoder does.
std::unique_ptr<JsonDocument> ParseJson(std::string_view text, std::string* error);

JsonValue NewString(std::string_view text, JsonAllocator& allocator);
JsonValue* FindMutable(JsonValue& object, std::string_view key);
// Adds the member or replaces its value. REQUIRES: object.IsObject().
JsonValue& Set(JsonValue& object, std::string_view key, JsonValue value, JsonAllocator& allocator);
void SetString(JsonValue& object, std::string_view key, std::string_view value,
               JsonAllocator& allocator);
void Remove(JsonValue& object, std::string_view key);
// The member, made an empty object when it is missing or null.
JsonValue& Ensure(JsonValue& object, std::string_view key, JsonAllocator& allocator);

// The path as far as it is a chain of objects; null where it is not.
JsonValue* FindMutablePath(JsonValue& object, std::initializer_list<std::string_view> path);

}  // namespace apiserver

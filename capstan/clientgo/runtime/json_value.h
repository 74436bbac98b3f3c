// SPDX-License-Identifier: Apache-2.0
// JsonValue is a value of a parsed JSON document, and these functions read it. The decode function
// of a ResourceType needs nothing else. Include clientgo/runtime/json.h for RapidJSON's own
// interface. Thread-safe.
//
// This header names RapidJSON's types without including RapidJSON. See json.h for the reason.
#pragma once

#include <initializer_list>
#include <string_view>

namespace capstan::clientgo::runtime {

namespace rapidjson {
template <typename CharType>
struct UTF8;
class CrtAllocator;
template <typename BaseAllocator>
class MemoryPoolAllocator;
template <typename Encoding, typename Allocator>
class GenericValue;
}  // namespace rapidjson

using JsonValue = rapidjson::GenericValue<rapidjson::UTF8<char>,
                                          rapidjson::MemoryPoolAllocator<rapidjson::CrtAllocator>>;

// Returns the member, or nullptr if `object` is not an object or has no such member.
const JsonValue* Find(const JsonValue& object, std::string_view key);
// Returns the value at a path of members, or nullptr if a part of the path is missing.
const JsonValue* FindPath(const JsonValue& object, std::initializer_list<std::string_view> path);
// Returns the member's string, or "" if it is missing or not a string.
std::string_view GetString(const JsonValue& object, std::string_view key);

}  // namespace capstan::clientgo::runtime

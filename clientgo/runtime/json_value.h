// SPDX-License-Identifier: Apache-2.0
// JsonValue is one value of a parsed JSON document, and these functions read it. A decode function
// of a ResourceType needs nothing else; whoever needs RapidJSON's own interface to it includes
// clientgo/runtime/json.h as well. Thread-safe.
//
// This header names RapidJSON's types without including RapidJSON. See json.h for the reason.
#pragma once

#include <initializer_list>
#include <string_view>

namespace clientgo::runtime {

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

// The member, or nullptr when `object` is not an object or has no such member.
const JsonValue* Find(const JsonValue& object, std::string_view key);
// The value at a path of members; nullptr when any link is missing.
const JsonValue* FindPath(const JsonValue& object, std::initializer_list<std::string_view> path);
// The member's string; empty when missing or not a string.
std::string_view GetString(const JsonValue& object, std::string_view key);

}  // namespace clientgo::runtime

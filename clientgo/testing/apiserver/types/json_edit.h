// SPDX-License-Identifier: Apache-2.0
// Parsing and editing of JSON documents from clients, and of their metadata. No input crashes the
// parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json.h"
#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {

namespace rapidjson = runtime::rapidjson;

using JsonAllocator = runtime::JsonDocument::AllocatorType;

// The most levels of maps and lists in a document, as in kube-apiserver. Many functions of
// the embedded API server are recursive, so they run on threads with LargeStacks.
inline constexpr std::size_t kDepthMax = 10'000;
// Returns how deep maps and lists are nested in a value: 0 for a text or a number.
std::size_t Depth(const runtime::JsonValue& value);

// What becomes of members with the same name. Go keeps the last one.
enum class Repeats { kKeepLast, kKeepAll };

// Returns null for invalid JSON, invalid UTF-8 and deep nesting. `error` is then the text of Go's
// decoder.
std::unique_ptr<runtime::JsonDocument> ParseJson(std::string_view text, std::string* error,
                                                 Repeats repeats = Repeats::kKeepLast);

// Return the member if it is an object or a list; an empty one for anything else.
const runtime::JsonValue& ObjectAt(const runtime::JsonValue& object, std::string_view key);
const runtime::JsonValue& ListAt(const runtime::JsonValue& object, std::string_view key);
// Returns the texts among the items of a list.
std::vector<std::string> TextsAt(const runtime::JsonValue& object, std::string_view key);
// Reports whether the list has the text.
bool HasText(const std::vector<std::string>& texts, std::string_view text);
// Return the member if it is a text or an integer; otherwise an empty text or 0.
std::string StringAt(const runtime::JsonValue& object, std::string_view key);
std::int64_t NumberAt(const runtime::JsonValue& object, std::string_view key);
bool IsEmptyContainer(const runtime::JsonValue& value);  // {} or []

// Returns the text as a JSON string.
std::string Quote(std::string_view text);
runtime::JsonValue NewString(std::string_view text, JsonAllocator& allocator);
runtime::JsonValue* FindMutable(runtime::JsonValue& object, std::string_view key);
// Adds the member or replaces its value. REQUIRES: object.IsObject().
runtime::JsonValue& Set(runtime::JsonValue& object, std::string_view key, runtime::JsonValue value,
                        JsonAllocator& allocator);
void SetString(runtime::JsonValue& object, std::string_view key, std::string_view value,
               JsonAllocator& allocator);
void SetJson(runtime::JsonValue& object, std::string_view key, const Json& value,
             JsonAllocator& allocator);
void Remove(runtime::JsonValue& object, std::string_view key);
// Removes the members that are null, at any depth. Items that are null stay.
void DropNulls(runtime::JsonValue& value);
// Returns the member. Replaces it by an empty object when it is not an object.
runtime::JsonValue& Ensure(runtime::JsonValue& object, std::string_view key,
                           JsonAllocator& allocator);

// Returns null when the path does not exist.
runtime::JsonValue* FindMutablePath(runtime::JsonValue& object,
                                    std::initializer_list<std::string_view> path);

std::string NowText();  // the current time as metav1.Time
// Returns metadata.<key>; empty when it is missing.
std::string_view Metadata(const runtime::JsonValue& object, std::string_view key);
// An empty value removes the member.
void SetMetadata(runtime::JsonDocument& object, std::string_view key, std::string_view value);
// Copy metadata.<key> or the member <key>, or remove it when `from` does not have it.
void KeepMetadata(const runtime::JsonDocument& from, runtime::JsonDocument& to,
                  std::string_view key);
void KeepMember(const runtime::JsonDocument& from, runtime::JsonDocument& to, std::string_view key);
std::int64_t Generation(const runtime::JsonValue& object);
void SetGeneration(runtime::JsonDocument& object, std::int64_t generation);
// The finalizers that the garbage collector removes.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";
bool HasFinalizers(const runtime::JsonValue& object);
void AddFinalizer(runtime::JsonDocument& object, std::string_view finalizer);  // if it is missing
void RemoveFinalizer(runtime::JsonDocument& object, std::string_view finalizer);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// JsonValue is a value of a parsed JSON document, and these functions read it. The decode function
// of a ResourceType needs nothing else. Thread-safe.
//
// A JsonValue has one type, and the As functions return nullopt for a value of another type.
//   for (const runtime::JsonValue& container :
//        runtime::JsonElements(*runtime::Find(spec, "containers"))) ...
//   for (const auto& [name, value] : runtime::JsonMembers(*runtime::Find(object, "data"))) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::runtime {

// These are the types of our own RapidJSON, whose headers no public header includes.
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

enum class JsonType { kNull, kBool, kNumber, kString, kArray, kObject };

CAPSTAN_EXPORT JsonType TypeOfJson(const JsonValue& value);
inline bool IsJsonObject(const JsonValue& value) { return TypeOfJson(value) == JsonType::kObject; }
inline bool IsJsonArray(const JsonValue& value) { return TypeOfJson(value) == JsonType::kArray; }

CAPSTAN_EXPORT std::optional<bool> AsBool(const JsonValue& value);
// Returns nullopt for a number with a fraction or an exponent, and for one outside the range.
CAPSTAN_EXPORT std::optional<int> AsInt(const JsonValue& value);
CAPSTAN_EXPORT std::optional<std::int64_t> AsInt64(const JsonValue& value);
CAPSTAN_EXPORT std::optional<std::uint64_t> AsUint64(const JsonValue& value);
// Returns any number. With more than 15 digits, the last one may differ.
CAPSTAN_EXPORT std::optional<double> AsDouble(const JsonValue& value);
// The text is valid as long as the document.
CAPSTAN_EXPORT std::optional<std::string_view> AsString(const JsonValue& value);

// Returns the member, or nullptr if `object` is not an object or has no such member.
CAPSTAN_EXPORT const JsonValue* Find(const JsonValue& object, std::string_view key);
// Returns the value at a path of members, or nullptr if a part of the path is missing.
CAPSTAN_EXPORT const JsonValue* FindPath(const JsonValue& object,
                                         std::initializer_list<std::string_view> path);
// Returns the member, or nullptr if it is missing or null, which Kubernetes treats alike.
CAPSTAN_EXPORT const JsonValue* FindNonNull(const JsonValue& object, std::string_view key);
// Returns the member's string, or "" if it is missing or not a string.
CAPSTAN_EXPORT std::string_view GetString(const JsonValue& object, std::string_view key);
// Returns the member's number, or 0 if it is missing or not an int.
CAPSTAN_EXPORT int GetInt(const JsonValue& object, std::string_view key);
// Returns true if the member is the boolean true.
CAPSTAN_EXPORT bool GetBool(const JsonValue& object, std::string_view key);

// Returns compact JSON text.
CAPSTAN_EXPORT std::string ToJson(const JsonValue& value);

// JsonElements is the range of an array's elements. It is empty for a value of another type. A view
// of the document.
class CAPSTAN_EXPORT JsonElements {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = JsonValue;
    using reference = const JsonValue&;
    using pointer = const JsonValue*;
    using iterator_category = std::forward_iterator_tag;

    Iterator() = default;
    explicit Iterator(const JsonValue* at) : at_(at) {}
    reference operator*() const { return *at_; }
    pointer operator->() const { return at_; }
    Iterator& operator++();
    Iterator operator++(int);
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const JsonValue* at_ = nullptr;
  };

  explicit JsonElements(const JsonValue& value);
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  Iterator begin_;
  Iterator end_;
  std::size_t size_ = 0;
};

struct CAPSTAN_EXPORT JsonMember {
  std::string_view name;
  const JsonValue& value;
};

// JsonMembers is the range of an object's members in the order of the text. It is empty for a value
// of another type. A view of the document.
class CAPSTAN_EXPORT JsonMembers {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = JsonMember;
    using reference = JsonMember;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    explicit Iterator(const void* at) : at_(at) {}
    JsonMember operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const void* at_ = nullptr;
  };

  explicit JsonMembers(const JsonValue& value);
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  Iterator begin_;
  Iterator end_;
  std::size_t size_ = 0;
};

}  // namespace capstan::runtime

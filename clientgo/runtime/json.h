// SPDX-License-Identifier: Apache-2.0
// RapidJSON as this project uses it: one set of macros, in one place, before any of its headers.
// Nothing here throws; parse errors are values. Writers produce compact UTF-8.
#pragma once

// The SIMD loops load aligned 16-byte words, so they may read, never use, a few bytes behind a
// text. That cannot fault, but sanitizers see a read of what may be freed: they do without.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLIENTGO_JSON_PORTABLE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLIENTGO_JSON_PORTABLE
#endif
#endif

#if defined(CLIENTGO_JSON_PORTABLE)
#elif defined(__SSE4_2__)
#define RAPIDJSON_SSE42
#elif defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "clientgo/util/error.h"

namespace clientgo::runtime {

using JsonValue = rapidjson::Value;
using JsonDocument = rapidjson::Document;
using JsonBuffer = rapidjson::StringBuffer;
using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

// One text parsed in place. The pool is part of the object, so that on the stack a text of ordinary
// size costs no heap at all. Use once; not thread-safe.
class JsonParser {
 public:
  JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // The root; it and its strings die with `text` and with the parser. Errors are kDecode: also for
  // what is not UTF-8, which RapidJSON's fast paths let pass, and for a number beyond a double.
  // Recursive: `text` is from a JsonFilter, which bounds its depth.
  // REQUIRES: text[size] is writable; it becomes NUL.
  util::Expected<const JsonValue*> ParseInsitu(char* text, std::size_t size);

 private:
  using Pool = rapidjson::MemoryPoolAllocator<>;
  // RapidJSON makes infinity of some numbers just beyond a double, which nobody could write again.
  struct Document : rapidjson::GenericDocument<rapidjson::UTF8<>, Pool, Pool> {
    using GenericDocument::GenericDocument;
    bool Double(double d) { return std::isfinite(d) && GenericDocument::Double(d); }
  };
  static constexpr std::size_t kPoolBytes = 8U << 10U;
  static constexpr std::size_t kStackBytes = 2U << 10U;
  static constexpr std::size_t kChunkBytes = 16U << 10U;  // of what does not fit

  alignas(std::max_align_t) char pool_[kPoolBytes];
  alignas(std::max_align_t) char stack_pool_[kStackBytes];
  Pool values_;
  Pool stack_;
  Document document_;
};

// The member, or nullptr when `object` is not an object or has no such member.
const JsonValue* Find(const JsonValue& object, std::string_view key);
// The value at a path of members; nullptr when any link is missing.
const JsonValue* FindPath(const JsonValue& object, std::initializer_list<std::string_view> path);
// The member's string; empty when missing or not a string.
std::string_view GetString(const JsonValue& object, std::string_view key);
inline std::string_view ToView(const JsonValue& value) {
  return {value.GetString(), value.GetStringLength()};
}
// Compact JSON text.
std::string ToJson(const JsonValue& value);
inline void WriteString(JsonWriter& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
inline void WriteKey(JsonWriter& writer, std::string_view key) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}
// A member of an object; none for an empty value.
inline void WriteField(JsonWriter& writer, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  WriteKey(writer, key);
  WriteString(writer, value);
}

}  // namespace clientgo::runtime

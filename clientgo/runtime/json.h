// SPDX-License-Identifier: Apache-2.0
// RapidJSON with the settings of this project. Nothing here throws; parse errors are values. Users
// of the library read JSON with json_value.h and parsed_json.h, and write it with json_writer.h.
//
// RapidJSON is configured by macros, and all its code is inline. If two source files of a program
// use `namespace rapidjson` with different macros, they define the same functions differently. The
// linker keeps one of them, which breaks the one-definition rule. This project and its users may
// set different macros, so they must not share a namespace:
//  - This header is the only one that includes RapidJSON. It puts RapidJSON into
//    runtime::rapidjson, with the same macros in every source file.
//  - Public headers (resource_type.h and all above it) include json_value.h, which has only forward
//    declarations and no macros. So a user's own RapidJSON is not affected.
//  - RapidJSON's include guards allow one namespace in each source file. A source file that
//    includes this header and another RapidJSON does not compile.
#pragma once

#if defined(RAPIDJSON_RAPIDJSON_H_)
#error "json.h has a RapidJSON of its own: include no other in this source file"
#endif
#define RAPIDJSON_NAMESPACE capstan::runtime::rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN \
  namespace capstan {             \
  namespace runtime {             \
  namespace rapidjson {
#define RAPIDJSON_NAMESPACE_END \
  }                             \
  }                             \
  }

// The SIMD loops load aligned 16-byte words, so they may read a few bytes after the end of a text
// without using them. This cannot fault, but sanitizers report it, so they get the portable code.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAPSTAN_JSON_PORTABLE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAPSTAN_JSON_PORTABLE
#endif
#endif

#if defined(CAPSTAN_JSON_PORTABLE)
#elif defined(__SSE4_2__)
#define RAPIDJSON_SSE42
#elif defined(__SSE2__)
#define RAPIDJSON_SSE2
#elif defined(__ARM_NEON)
#define RAPIDJSON_NEON
#endif

#include <rapidjson/document.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/json_value.h"

namespace capstan::runtime {

using JsonDocument = rapidjson::Document;

// JsonParser parses one text in place. Its memory pool is part of the object, so on the stack a
// text of ordinary size needs no heap. Use it once. Not thread-safe.
class JsonParser {
 public:
  // Deeper nesting is an error. API servers accept objects of 10,000 levels, and reviews have some
  // more around them. Neither the parser nor ToJson is recursive.
  static constexpr int kDepthMax = 10'100;

  CAPSTAN_EXPORT_INTERNAL JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // Returns the root. The root and its strings are valid as long as `text` and the parser. Fails
  // with kDecode for invalid JSON, invalid UTF-8, a number beyond the range of double, and nesting
  // that is too deep. `text` may hold any bytes. REQUIRES: text[size] is writable; it becomes NUL.
  CAPSTAN_EXPORT_INTERNAL Expected<const JsonValue*> ParseInsitu(char* text, std::size_t size);

 private:
  using Pool = rapidjson::MemoryPoolAllocator<>;
  struct Document : rapidjson::GenericDocument<rapidjson::UTF8<>, Pool, Pool> {
    using GenericDocument::GenericDocument;
    // RapidJSON returns infinity for some numbers just beyond the range of double, and JSON cannot
    // represent infinity.
    bool Double(double d) { return std::isfinite(d) && GenericDocument::Double(d); }
    bool StartObject() { return ++depth <= kDepthMax && GenericDocument::StartObject(); }
    bool StartArray() { return ++depth <= kDepthMax && GenericDocument::StartArray(); }
    bool EndObject(rapidjson::SizeType members) {
      --depth;
      return GenericDocument::EndObject(members);
    }
    bool EndArray(rapidjson::SizeType elements) {
      --depth;
      return GenericDocument::EndArray(elements);
    }
    int depth = 0;
  };
  static constexpr std::size_t kPoolBytes = 8U << 10U;
  static constexpr std::size_t kStackBytes = 2U << 10U;
  static constexpr std::size_t kChunkBytes = 16U << 10U;  // for data beyond the pool

  alignas(std::max_align_t) char pool_[kPoolBytes];
  alignas(std::max_align_t) char stack_pool_[kStackBytes];
  Pool values_;
  Pool stack_;
  Document document_;
};

// Returns the first byte in [p, end) that JSON forbids although RapidJSON's fast paths accept it,
// or `end`. Forbidden are invalid UTF-8, the escape of a low surrogate without a high one, and the
// bytes 0x18 to 0x1f.
CAPSTAN_EXPORT_INTERNAL const char* FindForbiddenByte(const char* p, const char* end);

inline std::string_view ToView(const JsonValue& value) {
  return {value.GetString(), value.GetStringLength()};
}

// Returns the name of the type that Go's JSON decoder gives a value, as Go prints it.
CAPSTAN_EXPORT_INTERNAL std::string GoTypeName(const JsonValue& value);

}  // namespace capstan::runtime

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json.h"

#include <rapidjson/error/en.h>

#include <cstdint>
#include <cstring>

#include "capstan/text.h"

namespace capstan::runtime {
namespace {

// Returns the value of the escape \uXXXX at `p`, or 0 if there is none.
unsigned UnicodeEscape(const char* p, const char* end) {
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return 0;
  unsigned value = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const char lower = static_cast<char>(p[i] | 0x20);
    const bool digit = p[i] >= '0' && p[i] <= '9';
    if (!digit && (lower < 'a' || lower > 'f')) return 0;
    value = value * 16 + static_cast<unsigned>(digit ? p[i] - '0' : lower - 'a' + 10);
  }
  return value;
}

constexpr bool IsEndOfControls(char c) { return (static_cast<unsigned char>(c) & 0xf8U) == 0x18; }

// Reports whether the eight bytes at `p` are ASCII, without a backslash and without 0x18 to 0x1f.
bool IsPlainWord(const char* p) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighBits = kOnes * 0x80;
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  const std::uint64_t other = word ^ (kOnes * '\\');  // a backslash becomes zero
  const std::uint64_t control = (word ^ (kOnes * 0x18)) & (kOnes * 0xf8);  // 0x18..0x1f become zero
  return ((word | ((other - kOnes) & ~other) | ((control - kOnes) & ~control)) & kHighBits) == 0;
}

}  // namespace

const char* FindForbiddenByte(const char* p, const char* end) {
  while (p != end) {
    if (end - p >= 8 && IsPlainWord(p)) {
      p += 8;
    } else if (*p == '\\') {
      const unsigned value = UnicodeEscape(p, end);
      if (value >= 0xdc00 && value <= 0xdfff) return p;
      const bool first_half = value >= 0xd800 && value <= 0xdbff;
      p += first_half && end - p >= 12 ? 12 : end - p >= 2 ? 2 : 1;
    } else {
      const std::size_t length = IsEndOfControls(*p) ? 0 : Utf8SequenceLength(p, end);
      if (length == 0) return p;
      p += length;
    }
  }
  return end;
}

JsonParser::JsonParser()
    : values_(pool_, sizeof pool_, kChunkBytes),
      stack_(stack_pool_, sizeof stack_pool_, kChunkBytes),
      document_(&values_, kStackBytes / 2, &stack_) {}

Expected<const JsonValue*> JsonParser::ParseInsitu(char* text, std::size_t size) {
  const auto invalid = [](std::size_t at, std::string_view why) {
    return Err(ErrorReason::kDecode,
               "invalid JSON at byte " + std::to_string(at) + ": " + std::string(why));
  };
  const char* const end = text + size;
  if (const char* bad = FindForbiddenByte(text, end); bad != end) {
    return invalid(static_cast<std::size_t>(bad - text), *bad == '\\' ? "unpaired surrogate"
                                                         : IsEndOfControls(*bad)
                                                             ? "control character"
                                                             : "not UTF-8");
  }
  text[size] = '\0';
  rapidjson::InsituStringStream stream(text);
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, Pool> reader(&stack_);
  auto parse = [&](auto&) {
    constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag;
    return !reader.Parse<kFlags>(stream, document_).IsError();
  };
  document_.Populate(parse);
  if (reader.HasParseError()) {
    auto code = reader.GetParseErrorCode();
    if (document_.depth > kDepthMax) return invalid(reader.GetErrorOffset(), "nested too deep");
    if (code == rapidjson::kParseErrorTermination) code = rapidjson::kParseErrorNumberTooBig;
    return invalid(reader.GetErrorOffset(), rapidjson::GetParseError_En(code));
  }
  // RapidJSON takes any NUL for the end of the text.
  if (stream.Tell() != size) return invalid(stream.Tell(), "0x00 after the value");
  return static_cast<const JsonValue*>(&document_);
}

std::string GoTypeName(const JsonValue& value) {
  if (value.IsNull()) return "%!s(<nil>)";
  if (value.IsObject()) return "map[string]interface {}";
  if (value.IsArray()) return "[]interface {}";
  if (value.IsString()) return "string";
  if (value.IsBool()) return "bool";
  return value.IsInt64() ? "int64" : "float64";
}

}  // namespace capstan::runtime

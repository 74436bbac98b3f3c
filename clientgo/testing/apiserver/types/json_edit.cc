// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/json_edit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "capstan/clock.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/time.h"
#include "clientgo/runtime/repeated_members.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the character that opens the level after kDepthMax; 0: there is none.
char FindTooDeep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDepthMax) return c;
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    }
  }
  return 0;
}

// Returns the byte as Go's decoder prints it, which takes it for a character.
std::string QuotedCharacter(char c) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  constexpr std::string_view kShort = "abtnvfr";
  const auto byte = static_cast<unsigned char>(c);
  const std::string hex{kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
  std::string text(1, c);
  if (c == '\'' || c == '\\') {
    text = std::string("\\") + c;
  } else if (c >= '\a' && c <= '\r') {
    text = std::string("\\") + kShort[byte - '\a'];
  } else if (byte < 0x20 || byte == 0x7f) {
    text = "\\x" + hex;
  } else if (byte >= 0x80) {
    const bool printable = byte > 0xa0 && byte != 0xad;
    text = printable ? std::string{static_cast<char>(0xc0 | byte >> 6U),
                                   static_cast<char>(0x80 | (byte & 0x3fU))}
                     : "\\u00" + hex;
  }
  return "'" + text + "'";
}

// FiniteDocument does not accept infinity, which RapidJSON makes of some numbers.
struct FiniteDocument : runtime::JsonDocument {
  bool Double(double number) {
    return std::isfinite(number) && runtime::JsonDocument::Double(number);
  }
};

// Returns what Go's decoder expects at an error of rapidjson.
std::string_view Expectation(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "after top-level value";
    case rapidjson::kParseErrorObjectMissName:
      return "looking for beginning of object key string";
    case rapidjson::kParseErrorObjectMissColon:
      return "after object key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "after object key:value pair";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "after array element";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "in string escape code";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "in \\u hexadecimal character escape";
    case rapidjson::kParseErrorStringInvalidEncoding:
      return "in string literal";
    default:
      return "looking for beginning of value";
  }
}

}  // namespace

std::size_t Depth(const runtime::JsonValue& value) {
  std::size_t inside = 0;
  if (value.IsArray()) {
    for (const runtime::JsonValue& item : value.GetArray()) inside = std::max(inside, Depth(item));
    return inside + 1;
  }
  if (!value.IsObject()) return 0;
  for (const auto& member : value.GetObject()) inside = std::max(inside, Depth(member.value));
  return inside + 1;
}

std::unique_ptr<runtime::JsonDocument> ParseJson(std::string_view text, std::string* error,
                                                 Repeats repeats) {
  const auto invalid = [&](std::size_t at, std::string_view where) {
    *error = at >= text.size()
                 ? "unexpected end of JSON input"
                 : "invalid character " + QuotedCharacter(text[at]) + " " + std::string(where);
    return nullptr;
  };
  if (const char c = FindTooDeep(text); c != 0) {
    *error = "invalid character " + QuotedCharacter(c) + " exceeded max depth";
    return nullptr;
  }
  const char* const end = text.data() + text.size();
  if (const char* const bad = runtime::FindForbiddenByte(text.data(), end); bad != end) {
    return invalid(static_cast<std::size_t>(bad - text.data()), "in string literal");
  }
  FiniteDocument parsed;
  rapidjson::Reader reader;
  rapidjson::MemoryStream stream(text.data(), text.size());
  auto parse = [&](auto&) {
    constexpr unsigned kFlags = rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag;
    return !reader.Parse<kFlags>(stream, parsed).IsError();
  };
  parsed.Populate(parse);
  if (reader.HasParseError()) {
    const std::size_t at = reader.GetErrorOffset();
    const auto code = reader.GetParseErrorCode();
    if (code != rapidjson::kParseErrorTermination && code != rapidjson::kParseErrorNumberTooBig) {
      return invalid(at, Expectation(code));
    }
    const std::string_view number = text.substr(at);
    *error = "json: cannot unmarshal number " +
             std::string(number.substr(0, number.find_first_not_of("0123456789.eE+-"))) +
             " into Go value of type float64";
    return nullptr;
  }
  // RapidJSON takes NUL for the end of the text.
  if (stream.Tell() != text.size()) return invalid(stream.Tell(), "after top-level value");
  if (repeats == Repeats::kKeepLast) runtime::KeepLastMembers(parsed);
  return std::make_unique<runtime::JsonDocument>(std::move(parsed));
}

const runtime::JsonValue& ObjectAt(const runtime::JsonValue& object, std::string_view key) {
  static const runtime::JsonValue empty(rapidjson::kObjectType);
  const runtime::JsonValue* const member = runtime::Find(object, key);
  return member != nullptr && member->IsObject() ? *member : empty;
}

const runtime::JsonValue& ListAt(const runtime::JsonValue& object, std::string_view key) {
  static const runtime::JsonValue empty(rapidjson::kArrayType);
  const runtime::JsonValue* const member = runtime::Find(object, key);
  return member != nullptr && member->IsArray() ? *member : empty;
}

std::vector<std::string> TextsAt(const runtime::JsonValue& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const runtime::JsonValue& item : ListAt(object, key).GetArray()) {
    if (item.IsString()) texts.emplace_back(runtime::ToView(item));
  }
  return texts;
}

bool HasText(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string StringAt(const runtime::JsonValue& object, std::string_view key) {
  return std::string(runtime::GetString(object, key));
}

std::int64_t NumberAt(const runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue* const value = runtime::Find(object, key);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

bool IsEmptyContainer(const runtime::JsonValue& value) {
  return (value.IsObject() && value.ObjectEmpty()) || (value.IsArray() && value.Empty());
}

std::string Quote(std::string_view text) {
  runtime::JsonWriter writer;
  writer.String(text);
  return std::move(writer).Take();
}

runtime::JsonValue NewString(std::string_view text, JsonAllocator& allocator) {
  // An empty view may be null, which RapidJSON does not allow.
  return {text.empty() ? "" : text.data(), static_cast<rapidjson::SizeType>(text.size()),
          allocator};
}

runtime::JsonValue* FindMutable(runtime::JsonValue& object, std::string_view key) {
  return const_cast<runtime::JsonValue*>(runtime::Find(object, key));
}

runtime::JsonValue& Set(runtime::JsonValue& object, std::string_view key, runtime::JsonValue value,
                        JsonAllocator& allocator) {
  if (runtime::JsonValue* const member = FindMutable(object, key))
    return *member = std::move(value);
  object.AddMember(NewString(key, allocator), std::move(value), allocator);
  return (object.MemberEnd() - 1)->value;
}

void SetString(runtime::JsonValue& object, std::string_view key, std::string_view value,
               JsonAllocator& allocator) {
  Set(object, key, NewString(value, allocator), allocator);
}

void SetJson(runtime::JsonValue& object, std::string_view key, const Json& value,
             JsonAllocator& allocator) {
  runtime::JsonDocument parsed(&allocator);
  parsed.Parse(value.text().data(), value.text().size());
  Set(object, key, std::move(static_cast<runtime::JsonValue&>(parsed)), allocator);
}

void Remove(runtime::JsonValue& object, std::string_view key) {
  if (!object.IsObject()) return;
  object.EraseMember(runtime::JsonValue(rapidjson::StringRef(key.data(), key.size())));
}

void DropNulls(runtime::JsonValue& value) {
  if (value.IsArray()) {
    for (runtime::JsonValue& item : value.GetArray()) DropNulls(item);
  }
  if (!value.IsObject()) return;
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
    if (member->value.IsNull()) {
      member = value.EraseMember(member);
    } else {
      DropNulls(member->value);
      ++member;
    }
  }
}

runtime::JsonValue& Ensure(runtime::JsonValue& object, std::string_view key,
                           JsonAllocator& allocator) {
  runtime::JsonValue* const member = FindMutable(object, key);
  if (member != nullptr && member->IsObject()) return *member;
  return Set(object, key, runtime::JsonValue(rapidjson::kObjectType), allocator);
}

runtime::JsonValue* FindMutablePath(runtime::JsonValue& object,
                                    std::initializer_list<std::string_view> path) {
  return const_cast<runtime::JsonValue*>(runtime::FindPath(object, path));
}

std::string NowText() { return FormatTime(ToTime(Clock::Real().WallNow())); }

std::string_view Metadata(const runtime::JsonValue& object, std::string_view key) {
  return runtime::GetString(ObjectAt(object, "metadata"), key);
}

void SetMetadata(runtime::JsonDocument& object, std::string_view key, std::string_view value) {
  runtime::JsonValue& metadata = Ensure(object, "metadata", object.GetAllocator());
  if (value.empty()) return Remove(metadata, key);
  SetString(metadata, key, value, object.GetAllocator());
}

void KeepMetadata(const runtime::JsonDocument& from, runtime::JsonDocument& to,
                  std::string_view key) {
  auto& allocator = to.GetAllocator();
  runtime::JsonValue& metadata = Ensure(to, "metadata", allocator);
  const runtime::JsonValue* const kept = runtime::FindPath(from, {"metadata", key});
  if (kept == nullptr) return Remove(metadata, key);
  Set(metadata, key, runtime::JsonValue(*kept, allocator), allocator);
}

void KeepMember(const runtime::JsonDocument& from, runtime::JsonDocument& to,
                std::string_view key) {
  const runtime::JsonValue* const kept = runtime::Find(from, key);
  if (kept == nullptr) return Remove(to, key);
  Set(to, key, runtime::JsonValue(*kept, to.GetAllocator()), to.GetAllocator());
}

std::int64_t Generation(const runtime::JsonValue& object) {
  const runtime::JsonValue* const value = runtime::FindPath(object, {"metadata", "generation"});
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

void SetGeneration(runtime::JsonDocument& object, std::int64_t generation) {
  auto& allocator = object.GetAllocator();
  Set(Ensure(object, "metadata", allocator), "generation", runtime::JsonValue(generation),
      allocator);
}

bool HasFinalizers(const runtime::JsonValue& object) {
  return !ListAt(ObjectAt(object, "metadata"), "finalizers").Empty();
}

void AddFinalizer(runtime::JsonDocument& object, std::string_view finalizer) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& metadata = Ensure(object, "metadata", allocator);
  runtime::JsonValue* list = FindMutable(metadata, "finalizers");
  if (list == nullptr || !list->IsArray()) {
    list = &Set(metadata, "finalizers", runtime::JsonValue(rapidjson::kArrayType), allocator);
  }
  runtime::JsonValue value = NewString(finalizer, allocator);
  if (std::find(list->Begin(), list->End(), value) == list->End()) {
    list->PushBack(value, allocator);
  }
}

void RemoveFinalizer(runtime::JsonDocument& object, std::string_view finalizer) {
  runtime::JsonValue* const list = FindMutablePath(object, {"metadata", "finalizers"});
  if (list == nullptr || !list->IsArray()) return;
  const runtime::JsonValue value = NewString(finalizer, object.GetAllocator());
  list->Erase(std::remove(list->Begin(), list->End(), value), list->End());
  if (list->Empty()) Remove(*FindMutable(object, "metadata"), "finalizers");
}

}  // namespace capstan::testing::apiserver

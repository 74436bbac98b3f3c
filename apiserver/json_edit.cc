// SPDX-License-Identifier: Apache-2.0
#include "apiserver/json_edit.h"

#include <utility>

namespace apiserver {
namespace {

// Deeper than any Kubernetes object; shallow enough for recursion on a thread's stack.
constexpr int kDepthMax = 256;

// The character that opens one level too many; 0: there is none.
char FindTooDeep(std::string_view text) {
  int depth = 0;
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
      --depth;
    }
  }
  return 0;
}

std::string Quoted(char c) { return c == '\'' ? R"('\'')" : "'" + std::string(1, c) + "'"; }

// What Go's decoder expected where rapidjson found something else.
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

std::unique_ptr<JsonDocument> ParseJson(std::string_view text, std::string* error) {
  if (const char c = FindTooDeep(text); c != 0) {
    *error = "invalid character " + Quoted(c) + " exceeded max depth";
    return nullptr;
  }
  auto document = std::make_unique<JsonDocument>();
  document->Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (!document->HasParseError()) return document;
  // Where the text simply ends too early, Go says so; elsewhere it names a character.
  const std::size_t at = document->GetErrorOffset();
  *error = at >= text.size() ? "unexpected end of JSON input"
                             : "invalid character " + Quoted(text[at]) + " " +
                                   std::string(Expectation(document->GetParseError()));
  return nullptr;
}

JsonValue NewString(std::string_view text, JsonAllocator& allocator) {
  return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
}

JsonValue* FindMutable(JsonValue& object, std::string_view key) {
  return const_cast<JsonValue*>(Find(object, key));
}

JsonValue& Set(JsonValue& object, std::string_view key, JsonValue value, JsonAllocator& allocator) {
  if (JsonValue* const member = FindMutable(object, key)) return *member = std::move(value);
  object.AddMember(NewString(key, allocator), std::move(value), allocator);
  return (object.MemberEnd() - 1)->value;
}

void SetString(JsonValue& object, std::string_view key, std::string_view value,
               JsonAllocator& allocator) {
  Set(object, key, NewString(value, allocator), allocator);
}

void Remove(JsonValue& object, std::string_view key) {
  if (!object.IsObject()) return;
  const JsonValue name(
      rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size())));
  object.EraseMember(name);
}

JsonValue& Ensure(JsonValue& object, std::string_view key, JsonAllocator& allocator) {
  JsonValue* const member = FindMutable(object, key);
  if (member != nullptr && member->IsObject()) return *member;
  return Set(object, key, JsonValue(rapidjson::kObjectType), allocator);
}

JsonValue* FindMutablePath(JsonValue& object, std::initializer_list<std::string_view> path) {
  return const_cast<JsonValue*>(FindPath(object, path));
}

}  // namespace apiserver

// SPDX-License-Identifier: Apache-2.0
#include "apiserver/json_edit.h"

#include <rapidjson/error/en.h>

#include <utility>

namespace apiserver {
namespace {

// Deeper than any Kubernetes object; shallow enough for recursion on a thread's stack.
constexpr int kDepthMax = 256;

bool TooDeep(std::string_view text) {
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
      if (++depth > kDepthMax) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::unique_ptr<JsonDocument> ParseJson(std::string_view text, std::string* error) {
  if (TooDeep(text)) {
    *error = "json: exceeded max depth";
    return nullptr;
  }
  auto document = std::make_unique<JsonDocument>();
  document->Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (!document->HasParseError()) return document;
  // Where the text simply ends too early, Go says so; elsewhere it names a character.
  *error =
      document->GetErrorOffset() >= text.size()
          ? "unexpected end of JSON input"
          : std::string("invalid JSON: ") + rapidjson::GetParseError_En(document->GetParseError());
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

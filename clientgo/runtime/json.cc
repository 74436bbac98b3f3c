// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json.h"

#include <rapidjson/error/en.h>

namespace clientgo::runtime {

JsonParser::JsonParser()
    : values_(pool_, sizeof pool_, kChunkBytes),
      stack_(stack_pool_, sizeof stack_pool_, kChunkBytes),
      document_(&values_, kStackBytes / 2, &stack_) {}

util::Expected<const JsonValue*> JsonParser::ParseInsitu(char* text, std::size_t size) {
  text[size] = '\0';
  document_.ParseInsitu(text);
  if (document_.HasParseError()) {
    return util::Err(util::ErrorReason::kDecode,
                     "invalid JSON at byte " + std::to_string(document_.GetErrorOffset()) + ": " +
                         rapidjson::GetParseError_En(document_.GetParseError()));
  }
  return static_cast<const JsonValue*>(&document_);
}

const JsonValue* Find(const JsonValue& object, std::string_view key) {
  if (!object.IsObject()) return nullptr;
  const JsonValue name(
      rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size())));
  const auto member = object.FindMember(name);
  return member == object.MemberEnd() ? nullptr : &member->value;
}

const JsonValue* FindPath(const JsonValue& object, std::initializer_list<std::string_view> path) {
  const JsonValue* value = &object;
  for (const std::string_view key : path) {
    if (value == nullptr) break;
    value = Find(*value, key);
  }
  return value;
}

std::string_view GetString(const JsonValue& object, std::string_view key) {
  const JsonValue* value = Find(object, key);
  return value != nullptr && value->IsString() ? ToView(*value) : std::string_view();
}

std::string ToJson(const JsonValue& value) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace clientgo::runtime

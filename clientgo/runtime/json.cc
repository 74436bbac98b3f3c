// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json.h"

#include <rapidjson/error/en.h>

#include "clientgo/runtime/json_scan.h"

namespace clientgo::runtime {

JsonParser::JsonParser()
    : values_(pool_, sizeof pool_, kChunkBytes),
      stack_(stack_pool_, sizeof stack_pool_, kChunkBytes),
      document_(&values_, kStackBytes / 2, &stack_) {}

util::Expected<const JsonValue*> JsonParser::ParseInsitu(char* text, std::size_t size) {
  const auto invalid = [](std::size_t at, std::string_view why) {
    return util::Err(util::ErrorReason::kDecode,
                     "invalid JSON at byte " + std::to_string(at) + ": " + std::string(why));
  };
  const char* const end = text + size;
  if (const char* bad = FindInvalidUtf8(text, end); bad != end) {
    return invalid(static_cast<std::size_t>(bad - text),
                   *bad == '\\' ? "half a surrogate pair" : "not UTF-8");
  }
  text[size] = '\0';
  rapidjson::InsituStringStream stream(text);
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, Pool> reader(&stack_);
  auto parse = [&](auto&) {
    return !reader.Parse<rapidjson::kParseInsituFlag>(stream, document_).IsError();
  };
  document_.Populate(parse);
  if (reader.HasParseError()) {
    auto code = reader.GetParseErrorCode();
    if (document_.depth > kDepthMax) return invalid(reader.GetErrorOffset(), "nested too deep");
    if (code == rapidjson::kParseErrorTermination) code = rapidjson::kParseErrorNumberTooBig;
    return invalid(reader.GetErrorOffset(), rapidjson::GetParseError_En(code));
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

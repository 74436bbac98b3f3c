// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/value.h"

#include <algorithm>
#include <cstddef>

#include "capstan/runtime/json_writer.h"

namespace capstan::yaml {
namespace {

constexpr std::size_t kJsonBytesMax = 8U << 20U;

// Returns false when the text becomes too long. The recursion is as deep as the value, which the
// parser limits.
bool Write(runtime::JsonWriter& writer, const Value& value) {
  if (writer.text().size() > kJsonBytesMax) return false;
  switch (value.type) {
    case Value::Type::kNull:
      writer.Null();
      break;
    case Value::Type::kBool:
      writer.Bool(value.boolean);
      break;
    case Value::Type::kInt:
    case Value::Type::kFloat:
      writer.RawValue(value.text);
      break;
    case Value::Type::kString:
      writer.String(value.text);
      break;
    case Value::Type::kList:
      writer.StartArray();
      for (const ValuePtr& item : value.items) {
        if (!Write(writer, *item)) return false;
      }
      writer.EndArray();
      break;
    case Value::Type::kMap:
      writer.StartObject();
      for (const Member& member : value.members) {
        writer.Key(member.key);
        if (!Write(writer, *member.value)) return false;
      }
      writer.EndObject();
      break;
  }
  return true;
}

}  // namespace

const Value* Value::Find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.key == key; });
  return found == members.end() ? nullptr : found->value.get();
}

Expected<std::string> ToJson(const Value& value) {
  runtime::JsonWriter writer;
  if (Write(writer, value)) return std::move(writer).Take();
  return Err(ErrorReason::kInvalidArgument, "more than " + std::to_string(kJsonBytesMax >> 20U) +
                                                " MiB of JSON are not supported");
}

}  // namespace capstan::yaml

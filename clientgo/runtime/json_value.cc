// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/json_value.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "capstan/runtime/json_writer.h"
#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

using Member = JsonValue::Member;

struct OpenContainer {
  const JsonValue* value;
  rapidjson::SizeType next = 0;  // the index of its next member or element
};

// Writes the digits that distinguish the number from its neighbors, and with a point or an
// exponent, so that it stays a double.
void WriteDouble(JsonWriter& writer, double number) {
  std::array<char, 40> text;
  char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
  if (digits.find_first_of(".e") == std::string_view::npos) {
    *end++ = '.';
    *end++ = '0';
  }
  writer.RawValue({text.data(), static_cast<std::size_t>(end - text.data())});
}

void WriteScalar(JsonWriter& writer, const JsonValue& value) {
  if (value.IsString()) {
    writer.String(ToView(value));
  } else if (value.IsInt64()) {
    writer.Int64(value.GetInt64());
  } else if (value.IsUint64()) {
    writer.Uint64(value.GetUint64());
  } else if (value.IsDouble()) {
    WriteDouble(writer, value.GetDouble());
  } else if (value.IsBool()) {
    writer.Bool(value.GetBool());
  } else {
    writer.Null();
  }
}

}  // namespace

JsonType TypeOfJson(const JsonValue& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      return JsonType::kNull;
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return JsonType::kBool;
    case rapidjson::kNumberType:
      return JsonType::kNumber;
    case rapidjson::kStringType:
      return JsonType::kString;
    case rapidjson::kArrayType:
      return JsonType::kArray;
    case rapidjson::kObjectType:
      return JsonType::kObject;
  }
  return JsonType::kNull;
}

std::optional<bool> AsBool(const JsonValue& value) {
  if (!value.IsBool()) return std::nullopt;
  return value.GetBool();
}

std::optional<int> AsInt(const JsonValue& value) {
  if (!value.IsInt()) return std::nullopt;
  return value.GetInt();
}

std::optional<std::int64_t> AsInt64(const JsonValue& value) {
  if (!value.IsInt64()) return std::nullopt;
  return value.GetInt64();
}

std::optional<std::uint64_t> AsUint64(const JsonValue& value) {
  if (!value.IsUint64()) return std::nullopt;
  return value.GetUint64();
}

std::optional<double> AsDouble(const JsonValue& value) {
  if (!value.IsNumber()) return std::nullopt;
  return value.GetDouble();
}

std::optional<std::string_view> AsString(const JsonValue& value) {
  if (!value.IsString()) return std::nullopt;
  return ToView(value);
}

const JsonValue* Find(const JsonValue& object, std::string_view key) {
  if (!object.IsObject()) return nullptr;
  const JsonValue name(
      rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size())));
  const auto member = object.FindMember(name);
  return member == object.MemberEnd() ? nullptr : &member->value;
}

const JsonValue* FindNonNull(const JsonValue& object, std::string_view key) {
  const JsonValue* value = Find(object, key);
  return value == nullptr || value->IsNull() ? nullptr : value;
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

int GetInt(const JsonValue& object, std::string_view key) {
  const JsonValue* value = Find(object, key);
  return value != nullptr && value->IsInt() ? value->GetInt() : 0;
}

bool GetBool(const JsonValue& object, std::string_view key) {
  const JsonValue* value = Find(object, key);
  return value != nullptr && value->IsTrue();
}

std::string ToJson(const JsonValue& value) {
  JsonWriter writer;
  // The open containers. GenericValue::Accept would be recursive.
  std::vector<OpenContainer> open;
  const auto write = [&](const JsonValue& each) {
    if (each.IsObject()) {
      writer.StartObject();
      open.push_back({.value = &each});
    } else if (each.IsArray()) {
      writer.StartArray();
      open.push_back({.value = &each});
    } else {
      WriteScalar(writer, each);
    }
  };
  write(value);
  while (!open.empty()) {
    const JsonValue& container = *open.back().value;
    const rapidjson::SizeType at = open.back().next++;
    if (container.IsObject() && at < container.MemberCount()) {
      const Member& member = container.MemberBegin()[at];
      writer.Key(ToView(member.name));
      write(member.value);
    } else if (container.IsArray() && at < container.Size()) {
      write(container[at]);
    } else {
      container.IsObject() ? writer.EndObject() : writer.EndArray();
      open.pop_back();
    }
  }
  return std::move(writer).Take();
}

JsonElements::JsonElements(const JsonValue& value) {
  if (!value.IsArray()) return;
  begin_ = Iterator(value.Begin());
  end_ = Iterator(value.End());
  size_ = value.Size();
}

JsonElements::Iterator& JsonElements::Iterator::operator++() {
  ++at_;
  return *this;
}

JsonElements::Iterator JsonElements::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

JsonMembers::JsonMembers(const JsonValue& value) {
  if (!value.IsObject() || value.ObjectEmpty()) return;
  const Member* const begin = &*value.MemberBegin();
  begin_ = Iterator(begin);
  end_ = Iterator(begin + value.MemberCount());
  size_ = value.MemberCount();
}

JsonMember JsonMembers::Iterator::operator*() const {
  const auto* const member = static_cast<const Member*>(at_);
  return {.name = ToView(member->name), .value = member->value};
}

JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
  at_ = static_cast<const Member*>(at_) + 1;
  return *this;
}

JsonMembers::Iterator JsonMembers::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

}  // namespace capstan::runtime

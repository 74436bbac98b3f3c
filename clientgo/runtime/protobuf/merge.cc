// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/merge.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

using Allocator = JsonDocument::AllocatorType;

bool IsZero(const JsonValue& value) {
  return value.IsNull() || (value.IsString() && value.GetStringLength() == 0) || value.IsFalse() ||
         (value.IsInt64() && value.GetInt64() == 0);
}

bool IsMessage(const Field* field) {
  return field != nullptr && field->type == FieldType::kMessage &&
         field->message->form() == Message::Union::kNone;
}

// Returns the message of the objects in the values of a field; null: they have none.
const Message* MessageOf(const Field* field) {
  if (field == nullptr || field->type != FieldType::kMessage) return nullptr;
  return &field->message->OfObjects();
}

// Adds the value of a later member of the same name.
void Join(const Field* field, JsonValue& first, JsonValue& later, Allocator& allocator) {
  const bool list = field != nullptr && field->shape == Field::Shape::kList;
  const bool map = field != nullptr && field->shape == Field::Shape::kMap;
  if (list && first.IsArray() && later.IsArray()) {
    for (JsonValue& element : later.GetArray()) first.PushBack(element, allocator);
  } else if ((map || IsMessage(field)) && first.IsObject() && later.IsObject()) {
    for (rapidjson::SizeType i = 0; i < later.MemberCount(); ++i) {
      auto& member = later.MemberBegin()[i];
      first.AddMember(member.name, member.value, allocator);
    }
  } else {
    first = later;  // rapidjson moves
  }
}

// Joins members of the same name. `message` is null for a map.
void JoinMembers(const Message* message, JsonValue& object, Allocator& allocator) {
  JsonValue joined(rapidjson::kObjectType);
  std::unordered_map<std::string, rapidjson::SizeType> places;  // in `joined`, by name
  for (rapidjson::SizeType i = 0; i < object.MemberCount(); ++i) {
    auto& member = object.MemberBegin()[i];
    const std::string name(ToView(member.name));
    const auto [place, is_new] = places.try_emplace(name, joined.MemberCount());
    if (is_new) {
      joined.AddMember(member.name, member.value, allocator);
    } else {
      const Field* const field = message == nullptr ? nullptr : message->Find(name);
      Join(field, joined.MemberBegin()[place->second].value, member.value, allocator);
    }
  }
  object = joined;
}

void Merge(const Message& root_message, JsonValue& root, Allocator& allocator) {
  std::vector<std::pair<const Message*, JsonValue*>> open{{&root_message, &root}};
  while (!open.empty()) {
    const auto [message, object] = open.back();
    open.pop_back();
    if (!object->IsObject()) continue;
    JoinMembers(message, *object, allocator);
    for (auto member = object->MemberBegin(); object->MemberEnd() - member > 0;) {
      const Field* const field = message->Find(ToView(member->name));
      const Message* const inner = MessageOf(field);
      const bool one = field != nullptr && field->shape == Field::Shape::kOne;
      if (one && field->omit_zero && !field->pointer && IsZero(member->value)) {
        member = object->EraseMember(member);
        continue;
      }
      if (field != nullptr && field->shape == Field::Shape::kMap && member->value.IsObject()) {
        JoinMembers(nullptr, member->value, allocator);
        for (rapidjson::SizeType i = 0; inner != nullptr && i < member->value.MemberCount(); ++i) {
          open.emplace_back(inner, &member->value.MemberBegin()[i].value);
        }
      } else if (inner != nullptr && member->value.IsArray()) {
        for (JsonValue& element : member->value.GetArray()) open.emplace_back(inner, &element);
      } else if (inner != nullptr) {
        open.emplace_back(inner, &member->value);
      }
      ++member;
    }
  }
}

}  // namespace

std::string MergeRepeats(std::string_view json, const Message& message, bool in_event) {
  std::string text(json);
  JsonParser parser;
  const auto parsed = parser.ParseInsitu(text.data(), text.size());
  if (!parsed || !(*parsed)->IsObject()) return std::string(json);
  JsonDocument document;
  document.CopyFrom(**parsed, document.GetAllocator());
  Allocator& allocator = document.GetAllocator();
  if (!in_event) {
    Merge(message, document, allocator);
  } else {
    JoinMembers(nullptr, document, allocator);
    const auto object = document.FindMember("object");
    if (document.MemberEnd() - object > 0) Merge(message, object->value, allocator);
  }
  return ToJson(document);
}

}  // namespace capstan::runtime

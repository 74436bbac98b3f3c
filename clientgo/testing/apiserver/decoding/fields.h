// SPDX-License-Identifier: Apache-2.0
// Fields is an object inside a document, for functions that set defaults.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

class Fields {
 public:
  explicit Fields(runtime::JsonDocument& document) : Fields(document, document.GetAllocator()) {}
  Fields(runtime::JsonValue& object, JsonAllocator& allocator)
      : object_(object), allocator_(allocator) {}

  const runtime::JsonValue& value() const { return object_; }
  bool Has(std::string_view key) const { return runtime::Find(object_, key) != nullptr; }
  std::string Text(std::string_view key) const {
    return std::string(runtime::GetString(object_, key));
  }
  // Returns the member, or a Json without text.
  Json Value(std::string_view key) const {
    const runtime::JsonValue* const member = runtime::Find(object_, key);
    return member == nullptr ? Json() : Json(*member);
  }
  // Returns the member, which becomes an object if it is none.
  Fields operator[](std::string_view key) const {
    return {Ensure(object_, key, allocator_), allocator_};
  }
  // Returns the member if it is an object.
  std::optional<Fields> Find(std::string_view key) const {
    runtime::JsonValue* const member = FindMutable(object_, key);
    if (member == nullptr || !member->IsObject()) return std::nullopt;
    return Fields(*member, allocator_);
  }
  // Returns the objects in a list.
  std::vector<Fields> Items(std::string_view key) const {
    std::vector<Fields> items;
    runtime::JsonValue* const list = FindMutable(object_, key);
    if (list == nullptr || !list->IsArray()) return items;
    for (runtime::JsonValue& item : list->GetArray()) {
      if (item.IsObject()) items.emplace_back(item, allocator_);
    }
    return items;
  }

  void Put(std::string_view key, const Json& value) const {
    SetJson(object_, key, value, allocator_);
  }
  void Drop(std::string_view key) const { Remove(object_, key); }
  // Sets the missing members.
  void Default(std::initializer_list<Json::Member> members) const {
    for (const auto& [key, value] : members) {
      if (!Has(key) && !value.text().empty()) Put(key, value);
    }
  }
  // The same for texts. An empty text counts as missing.
  void DefaultText(std::initializer_list<Json::Member> members) const {
    for (const auto& [key, value] : members) {
      if (Text(key).empty()) Put(key, value);
    }
  }
  // Adds an item to a list.
  void Append(std::string_view key, const Json& item) const {
    runtime::JsonValue* list = FindMutable(object_, key);
    if (list == nullptr || !list->IsArray()) {
      list = &Set(object_, key, runtime::JsonValue(rapidjson::kArrayType), allocator_);
    }
    runtime::JsonDocument parsed(&allocator_);
    parsed.Parse(item.text().data(), item.text().size());
    list->PushBack(static_cast<runtime::JsonValue&>(parsed), allocator_);
  }
  // Sets the missing members of a map to those of another, which may be in the same object.
  void Fill(std::string_view key, const runtime::JsonValue& from) const {
    if (!from.IsObject() || from.ObjectEmpty()) return;
    const runtime::JsonValue values(from, allocator_);
    const Fields map = (*this)[key];
    for (const auto& member : values.GetObject()) {
      const std::string_view name = runtime::ToView(member.name);
      if (!map.Has(name)) map.Put(name, member.value);
    }
  }

 private:
  runtime::JsonValue& object_;
  JsonAllocator& allocator_;
};

}  // namespace capstan::testing::apiserver

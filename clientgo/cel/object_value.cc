// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/object_value.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "capstan/base64.h"
#include "clientgo/cel/escaping.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

using runtime::JsonValue;

Value WrongData(std::string_view wanted, const JsonValue& json) {
  return Value::Failure("invalid data, expected " + std::string(wanted) + ", got " +
                        runtime::GoTypeName(json));
}

// A value whose schema says nothing about it. It can be compared only.
class PreservedValue : public Opaque {
 public:
  explicit PreservedValue(const JsonValue& json) : json_(json) {}
  std::string_view type_name() const override { return "unknown"; }
  bool Equals(const Opaque& other) const override {
    return json_ == static_cast<const PreservedValue&>(other).json_;
  }
  bool IsHashable() const override { return !json_.IsObject() && !json_.IsArray(); }
  bool IsSameKey(const Opaque& other) const override { return Equals(other); }

 private:
  const JsonValue& json_;
};

// An object, or a map of additionalProperties.
class ObjectView : public Map {
 public:
  ObjectView(const JsonValue& json, const Schema& schema) : json_(json), schema_(schema) {}

  std::size_t size() const override { return json_.MemberCount(); }
  std::optional<Value> Find(const Value& key) const override {
    const auto* const text = key.Get<std::string>();
    if (text == nullptr) return NoSuchOverload();
    const auto name = IsObject() ? Unescape(*text) : std::optional(*text);
    return name ? FindMember(*name) : std::nullopt;
  }
  std::vector<Value> Keys() const override {
    std::vector<Value> keys;
    for (const auto& member : json_.GetObject()) {
      const std::string_view name = runtime::ToView(member.name);
      if (schema_.Member(name) == nullptr) continue;  // its null is at the end
      const auto escaped = IsObject() ? Escape(name) : std::nullopt;
      keys.push_back(Value::String(escaped.value_or(std::string(name))));
    }
    keys.resize(size());
    return keys;
  }
  Value EqualTo(const Map& other) const override;
  Value EqualToOther() const override { return NoSuchOverload(); }

 private:
  bool IsObject() const { return !schema_.properties.empty(); }
  std::optional<Value> FindMember(std::string_view name) const {
    const JsonValue* const member = runtime::Find(json_, name);
    const Schema* const schema = schema_.Member(name);
    // A null in an object is a missing field.
    if (member == nullptr || schema == nullptr || (IsObject() && member->IsNull())) {
      return std::nullopt;
    }
    return ValueOf(*member, *schema);
  }

  const JsonValue& json_;
  const Schema& schema_;
};

Value ObjectView::EqualTo(const Map& other) const {
  if (size() != other.size()) return Value::Bool(false);
  for (const auto& member : json_.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    if (schema_.Member(name) == nullptr) {
      const auto* const view = dynamic_cast<const ObjectView*>(&other);
      if (view == nullptr) return NoSuchOverload();
      const JsonValue* const theirs = runtime::Find(view->json_, name);
      if (theirs != nullptr && !(*theirs == member.value)) return Value::Bool(false);
      continue;
    }
    const Value key = Value::String(std::string(name));
    const auto mine = Find(key);
    const auto theirs = other.Find(key);
    if (mine.has_value() != theirs.has_value()) return Value::Bool(false);
    if (!mine) continue;
    Value equal = Equal(*mine, *theirs);
    if (!equal.IsTrue()) return equal;
  }
  return Value::Bool(true);
}

// KeyedList is a list of the type "set" or "map", whose order does not matter.
class KeyedList : public List {
 public:
  // `schema` is that of the list.
  explicit KeyedList(const Schema& schema) : schema_(schema) {}
  Value EqualTo(const List& other) const override;
  Value EqualToOther() const override { return NoSuchOverload(); }
  Value Concatenate(const List& other) const override;

 private:
  bool IsMap() const { return schema_.list_type == "map"; }
  // Returns what identifies an element of a list of the type "map".
  std::string IdentityOf(const Value& element) const;
  const Schema& schema_;
};

// A list with elements of several lists.
class MergedList : public KeyedList {
 public:
  MergedList(const Schema& schema, std::vector<Value> elements)
      : KeyedList(schema), elements_(std::move(elements)) {}
  std::size_t size() const override { return elements_.size(); }
  Value At(std::size_t index) const override { return elements_[index]; }

 private:
  std::vector<Value> elements_;
};

std::string KeyedList::IdentityOf(const Value& element) const {
  std::string identity;
  for (const std::string& key : schema_.list_keys) {
    const Map* const map = element.map();
    const auto value =
        map == nullptr ? std::nullopt : map->Find(Value::String(Escape(key).value_or(key)));
    // Each part has its type and its length, so that parts cannot run together.
    const std::string text = value ? KeyText(*value) : "";
    identity += value ? std::string(value->TypeName()) : "none";
    identity += ":" + std::to_string(text.size()) + ":" + text;
  }
  return identity;
}

// Reports whether one of the first `count` elements is equal to a value.
bool HasElement(const List& list, std::size_t count, const Value& value) {
  for (std::size_t i = 0; i < count; ++i) {
    if (Equal(list.At(i), value).IsTrue()) return true;
  }
  return false;
}

std::size_t DistinctCount(const List& list) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); ++i) count += HasElement(list, i, list.At(i)) ? 0 : 1;
  return count;
}

Value KeyedList::EqualTo(const List& other) const {
  if (size() != other.size()) return Value::Bool(false);
  std::map<std::string, Value> mine;
  for (std::size_t i = 0; IsMap() && i < size(); ++i) mine[IdentityOf(At(i))] = At(i);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const Value theirs = other.At(i);
    if (IsMap()) {
      const std::string identity = IdentityOf(theirs);
      const auto found = mine.find(identity);
      if (found == mine.end()) return Value::Bool(false);
      Value equal = Equal(found->second, theirs);
      if (!equal.IsTrue()) return equal;
      seen.insert(identity);
    } else if (!HasElement(*this, size(), theirs)) {
      return Value::Bool(false);
    }
  }
  // An element that is twice in one list has the place of another one.
  return Value::Bool(IsMap() ? seen.size() == mine.size()
                             : DistinctCount(*this) == DistinctCount(other));
}

// A set gets the elements that it lacks. In a map, an element replaces the one with its keys.
Value KeyedList::Concatenate(const List& other) const {
  std::vector<Value> elements;
  for (std::size_t i = 0; i < size(); ++i) elements.push_back(At(i));
  for (std::size_t i = 0; i < other.size(); ++i) {
    Value element = other.At(i);
    const auto same = std::find_if(elements.begin(), elements.end(), [&](const Value& each) {
      return IsMap() ? IdentityOf(each) == IdentityOf(element) : Equal(each, element).IsTrue();
    });
    if (same == elements.end()) {
      elements.push_back(std::move(element));
    } else if (IsMap()) {
      *same = std::move(element);
    }
  }
  return Value::Of(std::make_shared<const MergedList>(schema_, std::move(elements)));
}

// The elements of a JSON list. Base is List, or KeyedList with its schema.
template <class Base>
class ListView : public Base {
 public:
  template <class... Args>
  ListView(const JsonValue& json, const Schema& items, Args&... args)
      : Base(args...), json_(json), items_(items) {}
  std::size_t size() const override { return json_.Size(); }
  Value EqualTo(const List& other) const override {
    if constexpr (!std::is_same_v<Base, List>) return Base::EqualTo(other);
    if (size() != other.size()) return Value::Bool(false);
    for (std::size_t i = 0; i < size(); ++i) {
      Value equal = Equal(At(i), other.At(i));
      if (!equal.IsTrue()) return equal;
    }
    return Value::Bool(true);
  }
  Value EqualToOther() const override { return NoSuchOverload(); }
  Value Contains(const Value& value) const override {
    Value error;
    for (std::size_t i = 0; i < size(); ++i) {
      const Value element = At(i);
      const bool null_and_object = value.IsNull() && element.map() != nullptr;
      Value equal = null_and_object ? element.map()->EqualToOther() : Equal(element, value);
      if (equal.IsTrue()) return equal;
      if (equal.IsError() && !error.IsError()) error = std::move(equal);
    }
    return error.IsError() ? error : Value::Bool(false);
  }
  Value At(std::size_t index) const override {
    return ValueOf(json_[static_cast<runtime::rapidjson::SizeType>(index)], items_);
  }

 private:
  const JsonValue& json_;
  const Schema& items_;
};

Value ValueOfObject(const JsonValue& json, const Schema& schema) {
  if (!json.IsObject()) {
    return Value::Failure("invalid data, expected a map for the provided schema with type=object");
  }
  return Value::Of(std::make_shared<const ObjectView>(json, schema));
}

Value ValueOfList(const JsonValue& json, const Schema& schema) {
  if (!json.IsArray()) {
    return Value::Failure(
        "invalid data, expected an array for the provided schema with type=array");
  }
  if (schema.items == nullptr) {
    return Value::Failure("invalid array type, expected Items with a non-empty Schema");
  }
  if (schema.list_type == "set" || schema.list_type == "map") {
    return Value::Of(std::make_shared<const ListView<KeyedList>>(json, *schema.items, schema));
  }
  return Value::Of(std::make_shared<const ListView<List>>(json, *schema.items));
}

Value ValueOfText(const JsonValue& json, const Schema& schema) {
  if (!json.IsString()) return WrongData("string", json);
  std::string text(runtime::ToView(json));
  const auto invalid = [&](const std::string& what) {
    return Value::Failure("Invalid " + what + " " + text);
  };
  if (schema.format == "duration") {
    const auto duration = ParseFormatDuration(text);
    return duration ? Value::Of(*duration) : invalid("duration");
  }
  if (schema.format == "date") {
    const auto date = ParseDate(text);
    return date ? Value::Of(*date) : invalid("date formatted string");
  }
  if (schema.format == "date-time") {
    const auto time = text.empty() ? std::optional(Timestamp{}) : ParseTimestamp(text);
    return time ? Value::Of(*time) : invalid("date-time formatted string");
  }
  if (schema.format == "byte") {
    auto bytes = Base64Decode(text);
    return bytes ? Value::FromBytes(*std::move(bytes)) : invalid("byte formatted string");
  }
  return Value::String(std::move(text));
}

}  // namespace

Value ValueOf(const JsonValue& json, const Schema& schema) {
  if (json.IsNull()) {
    if (schema.nullable) return {};
    return Value::Failure("invalid data, got null for schema with nullable=false");
  }
  if (schema.int_or_string) {
    if (json.IsString()) return Value::String(std::string(runtime::ToView(json)));
    if (json.IsInt64()) return Value::Int(json.GetInt64());
    return Value::Failure(
        "invalid data, expected XIntOrString value to be either a string or integer");
  }
  if (schema.type == "object") return ValueOfObject(json, schema);
  if (schema.type == "array") return ValueOfList(json, schema);
  if (schema.type == "string") return ValueOfText(json, schema);
  if (schema.type == "number") {
    return json.IsNumber() ? Value::Double(json.GetDouble()) : WrongData("float", json);
  }
  if (schema.type == "integer") {
    return json.IsInt64() ? Value::Int(json.GetInt64()) : WrongData("int", json);
  }
  if (schema.type == "boolean") {
    return json.IsBool() ? Value::Bool(json.GetBool()) : WrongData("bool", json);
  }
  if (schema.preserve_unknown) return Value::Of(std::make_shared<const PreservedValue>(json));
  return Value::Failure(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " +
      schema.type);
}

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/merge_type.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

using Scalar = MergeType::Scalar;

constexpr std::string_view kMetadata = "metadata";
constexpr std::string_view kItems = "items";

Scalar ScalarOf(runtime::FieldType type) {
  switch (type) {
    case runtime::FieldType::kString:
    case runtime::FieldType::kBytes:
    case runtime::FieldType::kDuration:
      return Scalar::kString;
    case runtime::FieldType::kInt32:
    case runtime::FieldType::kInt64:
    case runtime::FieldType::kDouble:
      return Scalar::kNumeric;
    case runtime::FieldType::kBool:
      return Scalar::kBoolean;
    default:
      return Scalar::kUntyped;
  }
}

bool IsTypeMeta(std::string_view name) { return name == "kind" || name == "apiVersion"; }

std::string NumberText(double number) {
  std::array<char, 400> text{};
  const double size = std::fabs(number);
  const bool scientific = size != 0 && (size < 1e-6 || size >= 1e21);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, format);
  return {text.data(), end.ptr};
}

// Go's encoder escapes the characters of HTML, and the line separators of Unicode.
std::string StringText(std::string_view text) {
  std::string quoted = Quote(text);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {
      {{"<", "\\u003c"},
       {">", "\\u003e"},
       {"&", "\\u0026"},
       {"\xe2\x80\xa8", "\\u2028"},
       {"\xe2\x80\xa9", "\\u2029"}}};
  for (const auto& [character, escape] : kEscapes) {
    for (std::size_t at = quoted.find(character); at != std::string::npos;
         at = quoted.find(character, at + escape.size())) {
      quoted.replace(at, character.size(), escape);
    }
  }
  return quoted;
}

}  // namespace

bool IsScalar(const runtime::JsonValue& value) {
  return value.IsNumber() || value.IsString() || value.IsBool();
}

std::string PathText(const runtime::JsonValue& value) {
  if (value.IsString()) return StringText(runtime::ToView(value));
  if (value.IsDouble()) return NumberText(value.GetDouble());
  return runtime::ToJson(value);
}

MergeType::MergeType(Source source) : source_(source) {
  if (source == Source::kAtomic) AllowAny(true);
  if (source != Source::kNothing) return;
  scalar_ = Scalar::kNone;
  list_ = map_ = false;
}

MergeType::MergeType(Scalar scalar)
    : source_(Source::kScalar), scalar_(scalar), list_(false), map_(false) {}

MergeType::MergeType(const runtime::Message& message)
    : source_(Source::kMessage),
      message_(&message),
      scalar_(Scalar::kNone),
      list_(false),
      atomic_map_(message.atomic()) {
  if (message.form() == runtime::Message::Union::kNone) return;
  source_ = Source::kDeduced;
  AllowAny(false);
}

MergeType::MergeType(const runtime::Field& field, bool element) {
  if (!element && field.shape != runtime::Field::Shape::kOne) {
    source_ = Source::kField;
    field_ = &field;
    scalar_ = Scalar::kNone;
    list_ = field.shape == runtime::Field::Shape::kList;
    map_ = !list_;
    atomic_list_ = field.merge == runtime::Field::Merge::kAtomic;
    atomic_map_ = atomic_list_;
    return;
  }
  if (field.message != nullptr) {
    *this = MergeType(*field.message);
    if (element || field.merge == runtime::Field::Merge::kDefault) return;
    atomic_map_ = field.merge == runtime::Field::Merge::kAtomic;
  } else if (field.type != runtime::FieldType::kJson) {
    *this = MergeType(ScalarOf(field.type));
  } else if (field.object) {
    scalar_ = Scalar::kNone;
    list_ = false;
  }
}

MergeType::MergeType(const runtime::JsonValue& schema, bool preserved, bool whole)
    : source_(Source::kSchema),
      schema_(&schema),
      preserved_(preserved || IsSet(schema, "x-kubernetes-preserve-unknown-fields")),
      whole_(whole || IsSet(schema, "x-kubernetes-embedded-resource")),
      scalar_(Scalar::kNone) {
  const std::string_view type = runtime::GetString(schema, "type");
  const std::string_view list_type = runtime::GetString(schema, "x-kubernetes-list-type");
  list_ = type.empty() || type == "array";
  map_ = type.empty() || type == "object";
  atomic_list_ = list_type != "set" && list_type != "map";
  atomic_map_ = runtime::GetString(schema, "x-kubernetes-map-type") == "atomic";
  if (type.empty()) scalar_ = Scalar::kUntyped;
  if (type == "integer" || type == "number") scalar_ = Scalar::kNumeric;
  if (type == "boolean") scalar_ = Scalar::kBoolean;
  if (type != "string") return;
  const std::string_view format = runtime::GetString(schema, "format");
  scalar_ = format.empty() || format == "byte" ? Scalar::kString : Scalar::kUntyped;
}

MergeType::MergeType(const Resource& resource) {
  if (const runtime::Message* const message = FindMessage(resource)) {
    *this = MergeType(*message);
  } else if (resource.schema != nullptr && resource.schema->json().IsObject()) {
    *this = MergeType(resource.schema->json(), false, true);
  } else {
    // A kind without a schema has the metadata of all kinds, and beside it any values.
    static const runtime::JsonValue any(rapidjson::kObjectType);
    *this = MergeType(any, true, true);
  }
}

void MergeType::AllowAny(bool atomic_map) {
  scalar_ = Scalar::kUntyped;
  list_ = map_ = atomic_list_ = true;
  atomic_map_ = atomic_map;
}

MergeType::Form MergeType::FormOf(const runtime::JsonValue* value) const {
  const bool scalar = scalar_ != Scalar::kNone;
  if (value != nullptr) {
    if (scalar && IsScalar(*value)) return Form::kScalar;
    if (list_ && value->IsArray()) return Form::kList;
    if (map_ && value->IsObject()) return Form::kMap;
  }
  if (map_) return Form::kMap;
  if (scalar) return Form::kScalar;
  return list_ ? Form::kList : Form::kNone;
}

bool MergeType::Declares(std::string_view name) const {
  if (source_ == Source::kMessage) return message_->Find(name) != nullptr;
  if (source_ != Source::kSchema) return false;
  if (whole_ && (name == kMetadata || IsTypeMeta(name))) return true;
  return runtime::Find(ObjectAt(*schema_, "properties"), name) != nullptr;
}

MergeType MergeType::Member(std::string_view name) const {
  switch (source_) {
    case Source::kMessage: {
      const runtime::Field* const field = message_->Find(name);
      return field == nullptr ? MergeType(Source::kNothing) : MergeType(*field, false);
    }
    case Source::kField:
      return {*field_, true};
    case Source::kSchema:
      break;
    default:
      return MergeType(source_);
  }
  if (whole_ && name == kMetadata) return MergeType(ObjectMeta());
  if (whole_ && IsTypeMeta(name)) return MergeType(Scalar::kString);
  const runtime::JsonValue& properties = ObjectAt(*schema_, "properties");
  if (const runtime::JsonValue* const declared = runtime::Find(properties, name)) {
    return {*declared, preserved_, false};
  }
  const runtime::JsonValue* const others = runtime::Find(*schema_, "additionalProperties");
  if (others != nullptr && others->IsObject()) return {*others, preserved_, false};
  const bool any =
      others != nullptr ? others->IsTrue() : preserved_ || (properties.ObjectEmpty() && !whole_);
  return MergeType(any ? Source::kDeduced : Source::kNothing);
}

MergeType MergeType::Items() const {
  if (source_ == Source::kField) return {*field_, true};
  const runtime::JsonValue* const items =
      schema_ == nullptr ? nullptr : runtime::Find(*schema_, kItems);
  if (items == nullptr || !items->IsObject()) return MergeType(Source::kAtomic);
  return {*items, preserved_, false};
}

std::vector<std::string_view> MergeType::Keys() const {
  if (source_ == Source::kField) return field_->list_keys;
  std::vector<std::string_view> keys;
  if (source_ != Source::kSchema) return keys;
  if (runtime::GetString(*schema_, "x-kubernetes-list-type") != "map") return keys;
  for (const runtime::JsonValue& key : ListAt(*schema_, "x-kubernetes-list-map-keys").GetArray()) {
    keys.push_back(runtime::ToView(key));
  }
  return keys;
}

std::optional<std::string> MergeType::DefaultOf(std::string_view name) const {
  if (source_ == Source::kMessage) {
    const runtime::Field* const field = message_->Find(name);
    if (field == nullptr || !field->default_value) return std::nullopt;
    return field->type == runtime::FieldType::kString ? StringText(*field->default_value)
                                                      : std::string(*field->default_value);
  }
  if (source_ != Source::kSchema) return std::nullopt;
  const runtime::JsonValue& property = ObjectAt(ObjectAt(*schema_, "properties"), name);
  const runtime::JsonValue* const value = runtime::Find(property, "default");
  if (value == nullptr) return std::nullopt;
  return PathText(*value);
}

MergeType::Element MergeType::ItemElement(const runtime::JsonValue& item) const {
  const auto keys = Keys();
  if (keys.empty()) {
    const std::string prefix = "associative list without keys has an element that's a";
    if (item.IsObject()) return {.error = prefix + " map type"};
    if (item.IsArray()) return {.error = "not supported: associative list with lists as elements"};
    if (item.IsNull()) return {.error = prefix + "n explicit null"};
    return {.path = "v:" + PathText(item)};
  }
  if (item.IsNull()) return {.error = "associative list with keys may not have a null element"};
  if (!item.IsObject()) {
    return {.error = "associative list with keys may not have non-map elements"};
  }
  const MergeType items = Items();
  std::map<std::string_view, std::string> found;  // sorted
  for (const std::string_view key : keys) {
    const runtime::JsonValue* const value = runtime::Find(item, key);
    const auto fallback = value == nullptr ? items.DefaultOf(key) : PathText(*value);
    if (fallback) found.emplace(key, *fallback);
  }
  Json path;
  for (const auto& [name, text] : found) path.Add(name, Json::Raw(text));
  if (!found.empty()) return {.path = "k:" + path.text()};
  return {.error = "associative list with keys has an element that omits all key fields [" +
                   Join(keys, " ", Quote) +
                   "] (and doesn't have default values for any key fields)"};
}

}  // namespace capstan::testing::apiserver

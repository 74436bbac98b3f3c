// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/schema.h"

#include <algorithm>
#include <utility>

#include "clientgo/cel/escaping.h"

namespace capstan::cel {
namespace {

using runtime::JsonValue;
using SizedPtr = std::shared_ptr<const SizedType>;

constexpr std::int64_t kRequestSizeMax = std::int64_t{3} << 20U;
constexpr std::int64_t kTextSizeMax = kRequestSizeMax - 2;  // without the quotes

// The shortest JSON of values, in bytes.
constexpr std::int64_t kNumberSizeMin = 1;
constexpr std::int64_t kBoolSizeMin = 4;
constexpr std::int64_t kTextSizeMin = 2;
constexpr std::int64_t kDurationSizeMin = 3;
constexpr std::int64_t kDateSize = 12;
constexpr std::int64_t kDateTimeSizeMin = 21;
constexpr std::int64_t kTimeSizeMax = 32;
constexpr std::int64_t kBytesPerCharacter = 4;

std::optional<std::int64_t> ReadCount(const JsonValue& json, std::string_view key) {
  const JsonValue* const value = runtime::Find(json, key);
  if (value == nullptr || !value->IsInt64()) return std::nullopt;
  return std::max<std::int64_t>(value->GetInt64(), 0);
}

std::vector<std::string> ReadTexts(const JsonValue& json, std::string_view key) {
  std::vector<std::string> texts;
  const JsonValue* const list = runtime::Find(json, key);
  if (list == nullptr || !list->IsArray()) return texts;
  for (const JsonValue& item : list->GetArray()) {
    if (item.IsString()) texts.emplace_back(runtime::ToView(item));
  }
  return texts;
}

SchemaPtr ReadInner(const JsonValue& json, std::string_view key) {
  const JsonValue* const inner = runtime::Find(json, key);
  return inner != nullptr && inner->IsObject() ? ReadSchema(*inner) : nullptr;
}

SchemaPtr TextSchema() {
  Schema text;
  text.type = "string";
  return std::make_shared<const Schema>(std::move(text));
}

SizedPtr NewSized(SizedType sized) { return std::make_shared<const SizedType>(std::move(sized)); }

SizedPtr SizedTextType(const Schema& schema) {
  const auto text_max = [&] {
    if (schema.max_length) return *schema.max_length * kBytesPerCharacter;
    return schema.longest_enum.value_or(kTextSizeMax);
  };
  const auto sized = [](TypeKind kind, std::int64_t size_min, std::int64_t count_max) {
    return NewSized({.type = SimpleType(kind),
                     .size_min = size_min,
                     .count_max = count_max,
                     .fields = {},
                     .key = {},
                     .element = {}});
  };
  if (schema.format == "byte") {
    return sized(TypeKind::kBytes, kTextSizeMin, schema.max_length.value_or(kTextSizeMax));
  }
  if (schema.format == "duration")
    return sized(TypeKind::kDuration, kDurationSizeMin, kTimeSizeMax);
  if (schema.format == "date") return sized(TypeKind::kTimestamp, kDateSize, kDateSize);
  if (schema.format == "date-time") {
    return sized(TypeKind::kTimestamp, kDateTimeSizeMin, kTimeSizeMax);
  }
  return sized(TypeKind::kString, kTextSizeMin, text_max());
}

SizedPtr SizedListType(const Schema& schema, const std::string& name) {
  if (schema.items == nullptr) return nullptr;
  SizedPtr element = TypeOfSchema(schema.items, name + ".@idx", schema.items->embedded_resource);
  if (element == nullptr) return nullptr;
  const std::int64_t count_max =
      schema.max_items.value_or((kRequestSizeMax - 2) / (element->size_min + 1));
  return NewSized({.type = ListType(element->type),
                   .size_min = 2,
                   .count_max = count_max,
                   .fields = {},
                   .key = {},
                   .element = element});
}

SizedPtr SizedMapType(const Schema& schema, const std::string& name) {
  SizedPtr element =
      TypeOfSchema(schema.additional, name + ".@elem", schema.additional->embedded_resource);
  if (element == nullptr) return nullptr;
  // A member has quotes, a colon and a comma.
  constexpr std::int64_t kMemberSize = 6;
  const std::int64_t count_max =
      schema.max_properties.value_or((kRequestSizeMax - 2) / (element->size_min + kMemberSize));
  const Type key = SimpleType(TypeKind::kString);
  return NewSized({.type = MapType(key, element->type),
                   .size_min = 2,
                   .count_max = count_max,
                   .fields = {},
                   .key = NewSized({.type = key,
                                    .size_min = kTextSizeMin,
                                    .count_max = std::nullopt,
                                    .fields = {},
                                    .key = {},
                                    .element = {}}),
                   .element = element});
}

SizedPtr SizedObjectType(const Schema& schema, const std::string& name) {
  SizedType object{
      .type = {}, .size_min = 2, .count_max = std::nullopt, .fields = {}, .key = {}, .element = {}};
  ObjectFields fields;
  for (const auto& [property, inner] : schema.properties) {
    const auto identifier = Escape(property);
    SizedPtr type =
        TypeOfSchema(inner, name + "." + identifier.value_or(property), inner->embedded_resource);
    if (type == nullptr) continue;
    const bool required = std::find(schema.required.begin(), schema.required.end(), property) !=
                          schema.required.end();
    if (required && !inner->has_default) {
      // Quotes, a colon and a comma.
      object.size_min += static_cast<std::int64_t>(property.size()) + type->size_min + 4;
    }
    if (!identifier) continue;
    fields.emplace(*identifier, type->type);
    object.fields.emplace(*identifier, std::move(type));
  }
  object.type = ObjectType(name, std::move(fields));
  return NewSized(std::move(object));
}

}  // namespace

const Schema* Schema::Member(std::string_view name) const {
  if (const auto found = properties.find(name); found != properties.end()) {
    return found->second.get();
  }
  return properties.empty() ? additional.get() : nullptr;
}

SchemaPtr ReadSchema(const JsonValue& json) {
  Schema schema;
  schema.type = runtime::GetString(json, "type");
  schema.format = runtime::GetString(json, "format");
  schema.nullable = runtime::GetBool(json, "nullable");
  schema.int_or_string = runtime::GetBool(json, "x-kubernetes-int-or-string");
  schema.preserve_unknown = runtime::GetBool(json, "x-kubernetes-preserve-unknown-fields");
  schema.embedded_resource = runtime::GetBool(json, "x-kubernetes-embedded-resource");
  schema.has_default = runtime::FindNonNull(json, "default") != nullptr;
  const JsonValue* const properties = runtime::Find(json, "properties");
  if (properties != nullptr && properties->IsObject()) {
    for (const auto& property : properties->GetObject()) {
      schema.properties.emplace(runtime::ToView(property.name), ReadSchema(property.value));
    }
  }
  schema.additional = ReadInner(json, "additionalProperties");
  schema.items = ReadInner(json, "items");
  schema.list_type = runtime::GetString(json, "x-kubernetes-list-type");
  schema.map_type = runtime::GetString(json, "x-kubernetes-map-type");
  schema.list_keys = ReadTexts(json, "x-kubernetes-list-map-keys");
  schema.required = ReadTexts(json, "required");
  schema.max_items = ReadCount(json, "maxItems");
  schema.max_properties = ReadCount(json, "maxProperties");
  schema.max_length = ReadCount(json, "maxLength");
  if (runtime::FindNonNull(json, "enum") != nullptr) {
    schema.longest_enum = 0;
    for (const std::string& text : ReadTexts(json, "enum")) {
      schema.longest_enum = std::max(*schema.longest_enum, static_cast<std::int64_t>(text.size()));
    }
  }
  const bool embedded = schema.embedded_resource;
  const auto read = std::make_shared<const Schema>(std::move(schema));
  return embedded ? WithTypeAndMetadata(read) : read;
}

SchemaPtr WithTypeAndMetadata(const SchemaPtr& schema) {
  Schema whole = *schema;
  Schema metadata;
  metadata.type = "object";
  metadata.properties = {{"name", TextSchema()}, {"generateName", TextSchema()}};
  if (const auto found = whole.properties.find("metadata"); found != whole.properties.end()) {
    const Schema& declared = *found->second;
    if (declared.properties.contains("name") && declared.properties.contains("generateName")) {
      metadata = declared;
    }
  }
  whole.properties["apiVersion"] = TextSchema();
  whole.properties["kind"] = TextSchema();
  whole.properties["metadata"] = std::make_shared<const Schema>(std::move(metadata));
  return std::make_shared<const Schema>(std::move(whole));
}

SizedPtr TypeOfSchema(const SchemaPtr& given, const std::string& name, bool root) {
  if (given == nullptr) return nullptr;
  const auto simple = [](TypeKind kind, std::int64_t size_min,
                         std::optional<std::int64_t> count_max = std::nullopt) {
    return NewSized({.type = SimpleType(kind),
                     .size_min = size_min,
                     .count_max = count_max,
                     .fields = {},
                     .key = {},
                     .element = {}});
  };
  if (given->int_or_string) {
    const std::int64_t text_max =
        given->max_length ? *given->max_length * kBytesPerCharacter : kTextSizeMax;
    return simple(TypeKind::kDyn, 1, text_max);
  }
  const SchemaPtr schema = root ? WithTypeAndMetadata(given) : given;
  if (schema->type == "array") return SizedListType(*schema, name);
  if (schema->type == "object") {
    return schema->additional != nullptr ? SizedMapType(*schema, name)
                                         : SizedObjectType(*schema, name);
  }
  if (schema->type == "string") return SizedTextType(*schema);
  if (schema->type == "boolean") return simple(TypeKind::kBool, kBoolSizeMin);
  if (schema->type == "number") return simple(TypeKind::kDouble, kNumberSizeMin);
  if (schema->type == "integer") return simple(TypeKind::kInt, kNumberSizeMin);
  return nullptr;
}

}  // namespace capstan::cel

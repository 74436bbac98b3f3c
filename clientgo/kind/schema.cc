// SPDX-License-Identifier: Apache-2.0
#include "capstan/detail/schema.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::detail {
namespace {

void WriteLiteral(runtime::JsonWriter& writer, std::string_view key, const Literal& literal) {
  if (!literal) return;
  writer.Key(key);
  switch (literal.type) {
    case Literal::Type::kBool:
      return writer.Bool(literal.boolean);
    case Literal::Type::kInteger:
      return writer.Int64(literal.integer);
    case Literal::Type::kNumber:
      return writer.Double(literal.number);
    case Literal::Type::kString:
      return writer.String(literal.text);
    case Literal::Type::kNone:
      break;
  }
}

// The groups of the Kubernetes project. API servers reject their definitions without a statement on
// the review of the API.
bool IsProtected(std::string_view group) {
  return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

template <class List>
void WriteTexts(runtime::JsonWriter& writer, std::string_view key, const List& texts) {
  if (texts.empty()) return;
  writer.Key(key);
  writer.StartArray();
  for (const std::string_view text : texts) writer.String(text);
  writer.EndArray();
}

void WriteColumns(runtime::JsonWriter& writer, const KindInfo& info) {
  if (info.columns.empty()) return;
  writer.Key("additionalPrinterColumns");
  writer.StartArray();
  for (const PrinterColumn& column : info.columns) {
    writer.StartObject();
    runtime::WriteField(writer, "name", column.name);
    runtime::WriteField(writer, "type", column.type);
    runtime::WriteField(writer, "description", column.description);
    if (column.priority != 0) {
      writer.Key("priority");
      writer.Int(column.priority);
    }
    runtime::WriteField(writer, "jsonPath", column.json_path);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteSubresources(runtime::JsonWriter& writer, const KindInfo& info, bool has_status) {
  if (!has_status && info.scale_spec_path.empty()) return;
  writer.Key("subresources");
  writer.StartObject();
  if (has_status) {
    writer.Key("status");
    writer.RawValue("{}");
  }
  if (!info.scale_spec_path.empty()) {
    writer.Key("scale");
    writer.StartObject();
    runtime::WriteField(writer, "specReplicasPath", info.scale_spec_path);
    runtime::WriteField(writer, "statusReplicasPath", info.scale_status_path);
    runtime::WriteField(writer, "labelSelectorPath", info.scale_selector_path);
    writer.EndObject();
  }
  writer.EndObject();
}

void WriteNames(runtime::JsonWriter& writer, const KindInfo& info) {
  writer.Key("names");
  writer.StartObject();
  runtime::WriteField(writer, "kind", info.kind);
  runtime::WriteField(writer, "listKind", std::string(info.kind) + "List");
  runtime::WriteField(writer, "plural", info.plural);
  runtime::WriteField(writer, "singular",
                      info.singular.empty() ? LowerAscii(info.kind) : std::string(info.singular));
  WriteTexts(writer, "shortNames", info.short_names);
  WriteTexts(writer, "categories", info.categories);
  writer.EndObject();
}

void WriteType(runtime::JsonWriter& writer, std::string_view type) {
  runtime::WriteField(writer, "type", type);
}

using Key = Attribute::Key;
using Attributes = std::span<const Attribute>;

// Calls `call` with the key and the value of each attribute of this depth.
template <class Call>
void ForEach(Attributes attributes, int depth, const Call& call) {
  for (const Attribute& attribute : attributes) {
    if (attribute.depth == depth) call(attribute.key, attribute.value);
  }
}

// Writes the texts of all attributes with this key.
void WriteTexts(runtime::JsonWriter& writer, std::string_view name, Attributes attributes,
                int depth, Key key) {
  std::vector<std::string_view> texts;
  ForEach(attributes, depth, [&](Key found, const Literal& value) {
    if (found == key) texts.push_back(value.text);
  });
  WriteTexts(writer, name, texts);
}

void WriteRuleMember(runtime::JsonWriter& writer, Key key, const Literal& value) {
  switch (key) {
    case Key::kRule:
      return runtime::WriteField(writer, "rule", value.text);
    case Key::kRuleMessage:
      return runtime::WriteField(writer, "message", value.text);
    case Key::kRuleReason:
      return runtime::WriteField(writer, "reason", value.text);
    case Key::kRuleFieldPath:
      return runtime::WriteField(writer, "fieldPath", value.text);
    case Key::kRuleMessageExpression:
      return runtime::WriteField(writer, "messageExpression", value.text);
    case Key::kRuleOptionalOldSelf:
      if (value.boolean) {
        writer.Key("optionalOldSelf");
        writer.Bool(true);
      }
      return;
    default:
      return;
  }
}

void WriteRules(runtime::JsonWriter& writer, Attributes attributes, int depth = 0) {
  bool found = false;
  ForEach(attributes, depth, [&](Key key, const Literal& value) {
    if (key == Key::kRule) {
      if (found) {
        writer.EndObject();
      } else {
        writer.Key("x-kubernetes-validations");
        writer.StartArray();
      }
      found = true;
      writer.StartObject();
    }
    if (found) WriteRuleMember(writer, key, value);
  });
  if (!found) return;
  writer.EndObject();
  writer.EndArray();
}

void WriteKindRules(runtime::JsonWriter& writer, const KindInfo& info) {
  std::vector<Attribute> attributes;
  for (const ValidationRule& rule : info.rules) {
    const auto more = AttributesOf(rule);
    attributes.insert(attributes.end(), more.begin(), more.end());
  }
  WriteRules(writer, attributes);
}

void WriteAttributes(runtime::JsonWriter& writer, Attributes attributes, int depth) {
  // The order of the members in a schema.
  constexpr std::pair<Key, std::string_view> kNames[] = {
      {Key::kDescription, "description"},
      {Key::kFormat, "format"},
      {Key::kDefault, "default"},
      {Key::kNullable, "nullable"},
      {Key::kMinimum, "minimum"},
      {Key::kMaximum, "maximum"},
      {Key::kMultipleOf, "multipleOf"},
      {Key::kMinLength, "minLength"},
      {Key::kMaxLength, "maxLength"},
      {Key::kPattern, "pattern"},
      {Key::kMinItems, "minItems"},
      {Key::kMaxItems, "maxItems"},
      {Key::kMinProperties, "minProperties"},
      {Key::kMaxProperties, "maxProperties"},
      {Key::kMapType, "x-kubernetes-map-type"},
      {Key::kListType, "x-kubernetes-list-type"}};
  for (const auto& [key, name] : kNames) {
    ForEach(attributes, depth, [&, wanted = key, member = name](Key found, const Literal& value) {
      if (found == wanted) WriteLiteral(writer, member, value);
    });
  }
  ForEach(attributes, depth, [&](Key key, const Literal& value) {
    if (key != Key::kDefaultJson) return;
    writer.Key("default");
    writer.RawValue(value.text);
  });
  WriteTexts(writer, "enum", attributes, depth, Key::kEnum);
  WriteTexts(writer, "x-kubernetes-list-map-keys", attributes, depth, Key::kListKey);
  WriteRules(writer, attributes, depth);
}

bool HasRequiredField(const StructLayout& layout);

// Reports whether every object must have the field. A struct that always exists in C++ is required
// if one of its own fields is required and has no default.
bool IsRequired(const FieldLayout& field) {
  if (field.required) return true;
  if (field.part == FieldLayout::Part::kStatus || field.part == FieldLayout::Part::kMetadata) {
    return false;
  }
  const StructLayout* const fields = FieldsOf(*field.value);
  return fields != nullptr && HasRequiredField(*fields);
}

bool HasRequiredField(const StructLayout& layout) {
  const auto fields = layout.fields();
  return std::any_of(fields.begin(), fields.end(), [](const FieldLayout& field) {
    return IsRequired(field) && field.default_value == nullptr;
  });
}

void WriteRequired(runtime::JsonWriter& writer, const StructLayout& layout) {
  std::vector<std::string_view> names;
  for (const FieldLayout& field : layout.fields()) {
    if (IsRequired(field)) names.push_back(field.name);
  }
  WriteTexts(writer, "required", names);
}

void WriteProperties(runtime::JsonWriter& writer, const StructLayout& layout);

void WriteStructSchema(runtime::JsonWriter& writer, const StructLayout& layout) {
  WriteType(writer, "object");
  WriteRequired(writer, layout);
  writer.Key("properties");
  writer.StartObject();
  WriteProperties(writer, layout);
  writer.EndObject();
}

// `attributes` are those of the field; of those of this depth, the caller writes the members.
void WriteValueSchema(runtime::JsonWriter& writer, const ValueLayout& layout, Attributes attributes,
                      int depth) {
  using Form = ValueLayout::Form;
  switch (layout.form) {
    case Form::kScalar:
      return layout.scalar->write_schema(writer);
    case Form::kOptional:
      return WriteValueSchema(writer, *layout.element, attributes, depth);
    case Form::kStruct:
      return WriteStructSchema(writer, *FieldsOf(layout));
    case Form::kUnion:
      writer.Key("x-kubernetes-preserve-unknown-fields");
      return writer.Bool(true);
    case Form::kList:
    case Form::kMap:
      WriteType(writer, layout.form == Form::kList ? "array" : "object");
      writer.Key(layout.form == Form::kList ? "items" : "additionalProperties");
      writer.StartObject();
      WriteValueSchema(writer, *layout.element, attributes, depth + 1);
      WriteAttributes(writer, attributes, depth + 1);
      writer.EndObject();
  }
}

void WriteProperties(runtime::JsonWriter& writer, const StructLayout& layout) {
  for (const FieldLayout& field : layout.fields()) {
    if (field.part == FieldLayout::Part::kMetadata) continue;
    writer.Key(field.name);
    writer.StartObject();
    WriteValueSchema(writer, *field.value, field.attributes, 0);
    WriteAttributes(writer, field.attributes, 0);
    writer.EndObject();
  }
}

// Writes the schema of the whole object.
void WriteKindSchema(runtime::JsonWriter& writer, const KindInfo& info,
                     const StructLayout& layout) {
  writer.StartObject();
  WriteRequired(writer, layout);
  WriteType(writer, "object");
  runtime::WriteField(writer, "description", info.description);
  WriteKindRules(writer, info);
  writer.Key("properties");
  writer.StartObject();
  for (const std::string_view name : {"apiVersion", "kind"}) {
    writer.Key(name);
    writer.RawValue(R"({"type":"string"})");
  }
  writer.Key("metadata");
  writer.RawValue(R"({"type":"object"})");
  WriteProperties(writer, layout);
  writer.EndObject();
  writer.EndObject();
}

void WriteVersion(runtime::JsonWriter& writer, const KindInfo& info, const StructLayout& layout,
                  bool storage) {
  writer.StartObject();
  runtime::WriteField(writer, "name", info.version);
  writer.Key("served");
  writer.Bool(true);
  writer.Key("storage");
  writer.Bool(storage);
  writer.Key("schema");
  writer.StartObject();
  writer.Key("openAPIV3Schema");
  WriteKindSchema(writer, info, layout);
  writer.EndObject();
  WriteSubresources(writer, info, FindPart(layout, FieldLayout::Part::kStatus) != nullptr);
  WriteColumns(writer, info);
  writer.EndObject();
}

void WriteMetadata(runtime::JsonWriter& writer, const KindInfo& info) {
  writer.Key("metadata");
  writer.StartObject();
  runtime::WriteField(writer, "name", std::string(info.plural) + "." + std::string(info.group));
  if (IsProtected(info.group)) {
    writer.Key("annotations");
    writer.StartObject();
    runtime::WriteField(writer, "api-approved.kubernetes.io", "unapproved, experimental-only");
    writer.EndObject();
  }
  writer.EndObject();
}

void WriteConversion(runtime::JsonWriter& writer, const ConversionWebhook& webhook) {
  writer.Key("conversion");
  writer.StartObject();
  runtime::WriteField(writer, "strategy", "Webhook");
  writer.Key("webhook");
  writer.StartObject();
  writer.Key("conversionReviewVersions");
  writer.RawValue(R"(["v1"])");
  writer.Key("clientConfig");
  writer.StartObject();
  writer.Key("service");
  writer.StartObject();
  runtime::WriteField(writer, "namespace", webhook.service_namespace);
  runtime::WriteField(writer, "name", webhook.service_name);
  runtime::WriteField(writer, "path", webhook.path);
  writer.Key("port");
  writer.Int(webhook.port);
  writer.EndObject();
  if (!webhook.ca_pem.empty()) {
    runtime::WriteField(writer, "caBundle", Base64Encode(webhook.ca_pem));
  }
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
}

}  // namespace

std::string MakeDefinition(std::span<const DefinitionVersion> versions,
                           const DefinitionOptions& options) {
  const KindInfo& info = *versions.front().info;
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", "apiextensions.k8s.io/v1");
  runtime::WriteField(writer, "kind", "CustomResourceDefinition");
  WriteMetadata(writer, info);
  writer.Key("spec");
  writer.StartObject();
  runtime::WriteField(writer, "group", info.group);
  WriteNames(writer, info);
  runtime::WriteField(writer, "scope", info.namespaced() ? "Namespaced" : "Cluster");
  writer.Key("versions");
  writer.StartArray();
  for (const DefinitionVersion& version : versions) {
    WriteVersion(writer, *version.info, *version.layout, &version == &versions.front());
  }
  writer.EndArray();
  if (options.conversion) WriteConversion(writer, *options.conversion);
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

}  // namespace capstan::detail

// SPDX-License-Identifier: Apache-2.0
#include "capstan/detail/schema.h"

#include <cstdint>
#include <string>

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

void WriteLimit(runtime::JsonWriter& writer, std::string_view key, std::int64_t limit) {
  if (limit == FieldAttributes::kNoLimit) return;
  writer.Key(key);
  writer.Int64(limit);
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

}  // namespace

void WriteType(runtime::JsonWriter& writer, std::string_view type) {
  runtime::WriteField(writer, "type", type);
}

void WriteRules(runtime::JsonWriter& writer, const ValidationRule* begin,
                const ValidationRule* end) {
  if (begin == end) return;
  writer.Key("x-kubernetes-validations");
  writer.StartArray();
  for (; begin != end; ++begin) {
    writer.StartObject();
    runtime::WriteField(writer, "rule", begin->rule);
    runtime::WriteField(writer, "message", begin->message);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteAttributes(runtime::JsonWriter& writer, const FieldAttributes& attributes) {
  runtime::WriteField(writer, "description", attributes.description);
  WriteLiteral(writer, "default", attributes.default_value);
  WriteTexts(writer, "enum", attributes.allowed);
  WriteLiteral(writer, "minimum", attributes.minimum);
  WriteLiteral(writer, "maximum", attributes.maximum);
  WriteLimit(writer, "minLength", attributes.min_length);
  WriteLimit(writer, "maxLength", attributes.max_length);
  runtime::WriteField(writer, "pattern", attributes.pattern);
  WriteLimit(writer, "minItems", attributes.min_items);
  WriteLimit(writer, "maxItems", attributes.max_items);
  runtime::WriteField(writer, "x-kubernetes-list-type", attributes.list_type);
  WriteTexts(writer, "x-kubernetes-list-map-keys", attributes.list_keys);
  WriteRules(writer, attributes.rules.begin(), attributes.rules.end());
}

void BeginDefinition(runtime::JsonWriter& writer, const KindInfo& info) {
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", "apiextensions.k8s.io/v1");
  runtime::WriteField(writer, "kind", "CustomResourceDefinition");
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
  writer.Key("spec");
  writer.StartObject();
  runtime::WriteField(writer, "group", info.group);
  WriteNames(writer, info);
  runtime::WriteField(writer, "scope", info.namespaced() ? "Namespaced" : "Cluster");
  writer.Key("versions");
  writer.StartArray();
  writer.StartObject();
  runtime::WriteField(writer, "name", info.version);
  writer.Key("served");
  writer.Bool(true);
  writer.Key("storage");
  writer.Bool(true);
  writer.Key("schema");
  writer.StartObject();
  writer.Key("openAPIV3Schema");
}

void EndDefinition(runtime::JsonWriter& writer, const KindInfo& info, bool has_status) {
  writer.EndObject();  // schema
  WriteSubresources(writer, info, has_status);
  WriteColumns(writer, info);
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();  // spec
  writer.EndObject();
}

void BeginKindSchema(runtime::JsonWriter& writer, const KindInfo& info) {
  WriteType(writer, "object");
  runtime::WriteField(writer, "description", info.description);
  WriteRules(writer, info.rules.begin(), info.rules.end());
  writer.Key("properties");
  writer.StartObject();
  for (const std::string_view name : {"apiVersion", "kind"}) {
    writer.Key(name);
    writer.RawValue(R"({"type":"string"})");
  }
  writer.Key("metadata");
  writer.RawValue(R"({"type":"object"})");
}

}  // namespace capstan::detail

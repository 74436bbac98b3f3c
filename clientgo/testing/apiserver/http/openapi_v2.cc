// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi_v2.h"

#include <glog/logging.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "clientgo/runtime/protobuf/wire.h"
#include "clientgo/testing/apiserver/http/openapi_paths.h"
#include "clientgo/testing/apiserver/http/openapi_schemas.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

// Encoded is a protobuf message to which fields are added.
class Encoded {
 public:
  void Text(std::uint32_t number, std::string_view text) {
    Tag(number, runtime::WireType::kBytes);
    runtime::AppendVarint(text.size(), bytes_);
    bytes_ += text;
  }
  void Message(std::uint32_t number, const Encoded& message) { Text(number, message.bytes_); }
  void Integer(std::uint32_t number, std::uint64_t value) {
    Tag(number, runtime::WireType::kVarint);
    runtime::AppendVarint(value, bytes_);
  }
  void Number(std::uint32_t number, double value) {
    Tag(number, runtime::WireType::kFixed64);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8U) bytes_ += static_cast<char>(bits & 0xffU);
  }
  // Adds the member of an object if it is a text.
  void Member(std::uint32_t number, const runtime::JsonValue& object, std::string_view key) {
    const std::string_view text = runtime::GetString(object, key);
    if (!text.empty()) Text(number, text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Tag(std::uint32_t number, runtime::WireType type) {
    runtime::AppendVarint((number << 3U) | static_cast<std::uint32_t>(type), bytes_);
  }

  std::string bytes_;
};

// Returns a message with one field, which is a message.
Encoded Wrapped(std::uint32_t number, const Encoded& inner) {
  Encoded outer;
  outer.Message(number, inner);
  return outer;
}

// Returns the message Any. Its YAML is the JSON of the value.
Encoded AnyOf(const runtime::JsonValue& value) {
  Encoded any;
  any.Text(2, runtime::ToJson(value) + "\n");
  return any;
}

// Returns the entry of a map.
Encoded Named(std::string_view name, const Encoded& value) {
  Encoded entry;
  entry.Text(1, name);
  entry.Message(2, value);
  return entry;
}

// Adds the members that start with "x-".
void AddExtensions(std::uint32_t number, const runtime::JsonValue& object, Encoded& message) {
  for (const auto& [name, value] : runtime::JsonMembers(object)) {
    if (name.starts_with("x-")) message.Message(number, Named(name, AnyOf(value)));
  }
}

enum class SchemaForm {
  kText,
  kTexts,
  kInteger,
  kNumber,
  kBool,
  kAnys,
  kSchemaOrBool,
  kType,
  kItems,
  kSchemas
};

struct SchemaField {
  std::string_view name;
  std::uint32_t number;
  SchemaForm form;
};

constexpr SchemaField kSchemaFields[] = {
    {"$ref", 1, SchemaForm::kText},
    {"format", 2, SchemaForm::kText},
    {"title", 3, SchemaForm::kText},
    {"description", 4, SchemaForm::kText},
    {"multipleOf", 6, SchemaForm::kNumber},
    {"maximum", 7, SchemaForm::kNumber},
    {"exclusiveMaximum", 8, SchemaForm::kBool},
    {"minimum", 9, SchemaForm::kNumber},
    {"exclusiveMinimum", 10, SchemaForm::kBool},
    {"maxLength", 11, SchemaForm::kInteger},
    {"minLength", 12, SchemaForm::kInteger},
    {"pattern", 13, SchemaForm::kText},
    {"maxItems", 14, SchemaForm::kInteger},
    {"minItems", 15, SchemaForm::kInteger},
    {"uniqueItems", 16, SchemaForm::kBool},
    {"maxProperties", 17, SchemaForm::kInteger},
    {"minProperties", 18, SchemaForm::kInteger},
    {"required", 19, SchemaForm::kTexts},
    {"enum", 20, SchemaForm::kAnys},
    {"additionalProperties", 21, SchemaForm::kSchemaOrBool},
    {"type", 22, SchemaForm::kType},
    {"items", 23, SchemaForm::kItems},
    {"properties", 25, SchemaForm::kSchemas},
};

Encoded EncodeSchema(const runtime::JsonValue& schema);

// Returns the message Definitions or Properties.
Encoded EncodeSchemas(const runtime::JsonValue& schemas) {
  Encoded all;
  for (const auto& [name, schema] : runtime::JsonMembers(schemas)) {
    all.Message(1, Named(name, EncodeSchema(schema)));
  }
  return all;
}

void AddSchemaField(const SchemaField& field, const runtime::JsonValue& value, Encoded& schema) {
  const std::uint32_t number = field.number;
  const std::string_view text = runtime::AsString(value).value_or(std::string_view());
  Encoded inner;
  switch (field.form) {
    case SchemaForm::kText:
      return schema.Text(number, text);
    case SchemaForm::kTexts:
      for (const runtime::JsonValue& one : runtime::JsonElements(value)) {
        schema.Text(number, runtime::ToView(one));
      }
      return;
    case SchemaForm::kInteger:
      return schema.Integer(number,
                            static_cast<std::uint64_t>(runtime::AsInt64(value).value_or(0)));
    case SchemaForm::kNumber:
      return schema.Number(number, runtime::AsDouble(value).value_or(0));
    case SchemaForm::kBool:
      return schema.Integer(number, value.IsTrue() ? 1 : 0);
    case SchemaForm::kAnys:
      for (const runtime::JsonValue& one : runtime::JsonElements(value)) {
        schema.Message(number, AnyOf(one));
      }
      return;
    case SchemaForm::kSchemaOrBool:
      if (value.IsObject()) return schema.Message(number, Wrapped(1, EncodeSchema(value)));
      inner.Integer(2, value.IsTrue() ? 1 : 0);
      return schema.Message(number, inner);
    case SchemaForm::kType:
      inner.Text(1, text);
      return schema.Message(number, inner);
    case SchemaForm::kItems:
      return schema.Message(number, Wrapped(1, EncodeSchema(value)));
    case SchemaForm::kSchemas:
      return schema.Message(number, EncodeSchemas(value));
  }
}

Encoded EncodeSchema(const runtime::JsonValue& schema) {
  Encoded message;
  for (const SchemaField& field : kSchemaFields) {
    const runtime::JsonValue* const value = runtime::Find(schema, field.name);
    if (value != nullptr) AddSchemaField(field, *value, message);
  }
  AddExtensions(31, schema, message);
  return message;
}

// Returns the message ParametersItem of a parameter of a body or of a query.
Encoded EncodeParameter(const runtime::JsonValue& parameter) {
  const bool body = runtime::GetString(parameter, "in") == "body";
  Encoded message;
  message.Member(body ? 2 : 4, parameter, "name");
  message.Member(body ? 3 : 2, parameter, "in");
  if (!body) {
    message.Member(6, parameter, "type");
    return Wrapped(1, Wrapped(2, Wrapped(3, message)));
  }
  message.Integer(4, runtime::GetBool(parameter, "required") ? 1 : 0);
  message.Message(5, EncodeSchema(ObjectAt(parameter, "schema")));
  return Wrapped(1, Wrapped(1, message));
}

Encoded EncodeOperation(const runtime::JsonValue& operation) {
  Encoded message;
  for (const std::string& type : TextsAt(operation, "produces")) message.Text(6, type);
  for (const std::string& type : TextsAt(operation, "consumes")) message.Text(7, type);
  for (const runtime::JsonValue& one : ListAt(operation, "parameters").GetArray()) {
    message.Message(8, EncodeParameter(one));
  }
  Encoded responses;
  for (const auto& [code, value] : runtime::JsonMembers(ObjectAt(operation, "responses"))) {
    Encoded response;
    response.Member(1, value, "description");
    response.Message(2, Wrapped(1, EncodeSchema(ObjectAt(value, "schema"))));
    responses.Message(1, Named(code, Wrapped(1, response)));
  }
  message.Message(9, responses);
  AddExtensions(13, operation, message);
  return message;
}

constexpr std::pair<std::string_view, std::uint32_t> kMethods[] = {
    {"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}};

Encoded EncodePaths(const runtime::JsonValue& paths) {
  Encoded all;
  for (const auto& [path, operations] : runtime::JsonMembers(paths)) {
    Encoded item;
    for (const auto& [method, number] : kMethods) {
      const runtime::JsonValue* const operation = runtime::Find(operations, method);
      if (operation != nullptr) item.Message(number, EncodeOperation(*operation));
    }
    all.Message(2, Named(path, item));
  }
  return all;
}

}  // namespace

std::string OpenApiV2(const std::vector<const Resource*>& resources) {
  SchemaWriter writer(OpenApiVersion::kV2);
  Json paths = Json::Object();
  for (const Resource* const resource : resources) {
    writer.AddKind(*resource);
    AddPaths(*resource, OpenApiVersion::kV2, paths);
  }
  return Json({{"swagger", "2.0"},
               {"info", DocumentInfo()},
               {"paths", paths},
               {"definitions", writer.schemas()}})
      .text();
}

std::string OpenApiV2Protobuf(std::string_view document) {
  std::string error;
  const auto json = ParseJson(document, &error);
  CHECK(json != nullptr) << error;
  Encoded info;
  info.Member(1, ObjectAt(*json, "info"), "title");
  info.Member(2, ObjectAt(*json, "info"), "version");
  Encoded message;
  message.Member(1, *json, "swagger");
  message.Message(2, info);
  message.Message(8, EncodePaths(ObjectAt(*json, "paths")));
  message.Message(9, EncodeSchemas(ObjectAt(*json, "definitions")));
  return message.bytes();
}

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/api_types.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// Returns the name of the message in OpenAPI: "io.k8s.api.core.v1.Pod" for "core.v1.Pod".
std::string SchemaName(const Message& message) {
  const std::string_view name = message.name;
  std::string_view prefix = "io.k8s.api.";
  if (name.starts_with("meta.")) prefix = "io.k8s.apimachinery.pkg.apis.";
  if (name.starts_with("apiextensions.")) prefix = "io.k8s.apiextensions-apiserver.pkg.apis.";
  if (name.starts_with("apiregistration.")) prefix = "io.k8s.kube-aggregator.pkg.apis.";
  return std::string(prefix) + std::string(name);
}

// Returns the name of a custom kind: "com.example.shop.v1.Price".
std::string CustomSchemaName(const Resource& resource) {
  std::string name;
  for (const std::string_view label : Split(resource.group, '.')) {
    name.insert(0, std::string(label) + ".");
  }
  return name + std::string(resource.version) + "." + std::string(resource.kind);
}

// Types with a JSON form of their own: the name and the schema.
std::pair<std::string, std::string_view> SpecialType(FieldType type) {
  const std::string meta(kMeta);
  switch (type) {
    case FieldType::kIntOrString:
      return {"io.k8s.apimachinery.pkg.util.intstr.IntOrString",
              R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})"};
    case FieldType::kQuantity:
      return {"io.k8s.apimachinery.pkg.api.resource.Quantity",
              R"({"oneOf":[{"type":"string"},{"type":"number"}]})"};
    case FieldType::kTime:
      return {meta + "Time", R"({"type":"string","format":"date-time"})"};
    case FieldType::kMicroTime:
      return {meta + "MicroTime", R"({"type":"string","format":"date-time"})"};
    case FieldType::kDuration:
      return {meta + "Duration", R"({"type":"string"})"};
    default:
      return {};
  }
}

constexpr FieldType kSpecialTypes[] = {FieldType::kIntOrString, FieldType::kQuantity,
                                       FieldType::kTime, FieldType::kMicroTime,
                                       FieldType::kDuration};

std::string_view PlainType(FieldType type) {
  switch (type) {
    case FieldType::kBytes:
      return R"({"type":"string","format":"byte"})";
    case FieldType::kInt32:
      return R"({"type":"integer","format":"int32"})";
    case FieldType::kInt64:
      return R"({"type":"integer","format":"int64"})";
    case FieldType::kBool:
      return R"({"type":"boolean"})";
    case FieldType::kDouble:
      return R"({"type":"number","format":"double"})";
    case FieldType::kJson:
      return R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})";
    default:
      return R"({"type":"string"})";
  }
}

// Returns the JSON of a member: "key":value. The value is JSON.
std::string Member(std::string_view key, std::string_view value) {
  return Quote(key) + ":" + std::string(value);
}

std::string Object(const std::vector<std::string>& members) {
  std::string text;
  for (const std::string& member : members) text += (text.empty() ? "" : ",") + member;
  return "{" + text + "}";
}

std::string Reference(std::string_view name) {
  return Object({Member("$ref", Quote("#/components/schemas/" + std::string(name)))});
}

// SchemaWriter writes the schemas of messages and of all messages that they refer to.
class SchemaWriter {
 public:
  // Adds the members of `components.schemas` for a kind.
  void AddKind(const Resource& resource);
  std::string Take() { return Object(schemas_); }

 private:
  std::string AddMessage(const Message& message, const Resource* kind);
  void AddProperties(const Message& message, std::vector<std::string>& properties,
                     std::vector<std::string>& required);
  std::string PropertySchema(const Field& field);
  std::string ElementSchema(const Field& field);
  void AddCustomKind(const Resource& resource);
  void AddSpecialTypes();

  std::vector<std::string> schemas_;
  std::set<std::string, std::less<>> names_;
};

std::string GroupVersionKind(const Resource& resource) {
  return Object({Member("group", Quote(resource.group)), Member("kind", Quote(resource.kind)),
                 Member("version", Quote(resource.version))});
}

constexpr std::string_view kGroupVersionKind = "x-kubernetes-group-version-kind";

void SchemaWriter::AddKind(const Resource& resource) {
  if (names_.empty()) AddSpecialTypes();
  const Message* const message = FindMessage(resource);
  if (message != nullptr) {
    AddMessage(*message, &resource);
  } else {
    AddCustomKind(resource);
  }
}

void SchemaWriter::AddSpecialTypes() {
  for (const FieldType type : kSpecialTypes) {
    const auto [name, schema] = SpecialType(type);
    names_.insert(name);
    schemas_.push_back(Member(name, schema));
  }
}

// Adds the message, if it is new. Returns its name. The recursion ends because the name is known
// before the fields are written, and is as deep as the longest chain of messages.
std::string SchemaWriter::AddMessage(const Message& message, const Resource* kind) {
  std::string name = SchemaName(message);
  if (!names_.insert(name).second) return name;
  std::vector<std::string> members;
  if (message.form != Message::Union::kNone) {
    schemas_.push_back(Member(name, R"({"description":"A JSON Schema or an alternative of it."})"));
    return name;
  }
  std::vector<std::string> properties;
  std::vector<std::string> required;
  AddProperties(message, properties, required);
  members.push_back(Member("type", Quote("object")));
  if (!properties.empty()) members.push_back(Member("properties", Object(properties)));
  if (!required.empty()) {
    std::string list;
    for (const std::string& one : required) list += (list.empty() ? "" : ",") + Quote(one);
    members.push_back(Member("required", "[" + list + "]"));
  }
  if (kind != nullptr) {
    members.push_back(Member(kGroupVersionKind, "[" + GroupVersionKind(*kind) + "]"));
  }
  schemas_.push_back(Member(name, Object(members)));
  return name;
}

void SchemaWriter::AddProperties(const Message& message, std::vector<std::string>& properties,
                                 std::vector<std::string>& required) {
  for (const Field& field : message.fields) {
    if (field.name.empty()) {
      AddProperties(*field.message, properties, required);
      continue;
    }
    properties.push_back(Member(field.name, PropertySchema(field)));
    if (field.required) required.emplace_back(field.name);
  }
}

std::string SchemaWriter::PropertySchema(const Field& field) {
  std::string schema = ElementSchema(field);
  std::vector<std::string> members;
  if (field.shape == Field::Shape::kList) {
    members = {Member("type", Quote("array")), Member("items", schema)};
  } else if (field.shape == Field::Shape::kMap) {
    members = {Member("type", Quote("object")), Member("additionalProperties", schema)};
  } else if (field.patch_strategy.empty()) {
    return schema;
  } else {
    members = {Member("allOf", "[" + schema + "]")};
  }
  if (!field.patch_strategy.empty()) {
    members.push_back(Member("x-kubernetes-patch-strategy", Quote(field.patch_strategy)));
  }
  if (!field.merge_key.empty()) {
    members.push_back(Member("x-kubernetes-patch-merge-key", Quote(field.merge_key)));
  }
  return Object(members);
}

std::string SchemaWriter::ElementSchema(const Field& field) {
  if (field.message != nullptr) return Reference(AddMessage(*field.message, nullptr));
  const auto [name, schema] = SpecialType(field.type);
  return name.empty() ? std::string(PlainType(field.type)) : Reference(name);
}

void SchemaWriter::AddCustomKind(const Resource& resource) {
  runtime::JsonDocument schema(rapidjson::kObjectType);
  auto& allocator = schema.GetAllocator();
  if (resource.schema != nullptr) schema.CopyFrom(resource.schema->json(), allocator);
  if (!schema.IsObject()) schema.SetObject();
  SetString(schema, "type", "object", allocator);
  runtime::JsonValue& properties = Ensure(schema, "properties", allocator);
  for (const char* const key : {"apiVersion", "kind"}) {
    SetString(Ensure(properties, key, allocator), "type", "string", allocator);
  }
  constexpr std::string_view kObjectMeta = "#/components/schemas/";
  const Message& metadata = *FindMessage(Resources().front())->Find("metadata")->message;
  const std::string reference = std::string(kObjectMeta) + AddMessage(metadata, nullptr);
  runtime::JsonValue metadata_schema(rapidjson::kObjectType);
  SetString(metadata_schema, "$ref", reference, allocator);
  Set(properties, "metadata", std::move(metadata_schema), allocator);
  runtime::JsonDocument kind(&allocator);
  const std::string kinds = "[" + GroupVersionKind(resource) + "]";
  kind.Parse(kinds.data(), kinds.size());
  Set(schema, kGroupVersionKind, runtime::JsonValue(kind, allocator), allocator);
  schemas_.push_back(Member(CustomSchemaName(resource), runtime::ToJson(schema)));
}

std::string QueryParameter(std::string_view name, std::string_view type) {
  return Object({Member("name", Quote(name)), Member("in", Quote("query")),
                 Member("schema", Object({Member("type", Quote(type))}))});
}

// Returns the content of a body: each media type with the schema.
std::string Content(std::initializer_list<std::string_view> types, const std::string& schema) {
  std::vector<std::string> members;
  for (const std::string_view type : types) {
    if (!type.empty()) members.push_back(Member(type, Object({Member("schema", schema)})));
  }
  return Member("content", Object(members));
}

// Returns the operation for an HTTP method, for example "patch".
std::string Operation(const Resource& resource, std::string_view method, std::string_view schema) {
  const std::string object = Reference(schema);
  std::string action(method);
  if (method == "put") action = "update";
  std::vector<std::string> members = {
      Member("x-kubernetes-action", Quote(action)),
      Member(kGroupVersionKind, GroupVersionKind(resource)),
      Member("responses",
             Object({Member("200", Object({Member("description", Quote("OK")),
                                           Content({"application/json"}, object)}))}))};
  if (method != "get" && method != "delete") {
    const bool patch = method == "patch";
    const std::string parameters =
        QueryParameter("dryRun", "string") + "," + QueryParameter("fieldManager", "string") + "," +
        QueryParameter("fieldValidation", "string") +
        (patch ? "," + QueryParameter("force", "boolean") : std::string());
    members.push_back(Member("parameters", "[" + parameters + "]"));
    const std::string_view strategic =
        resource.custom ? std::string_view() : "application/strategic-merge-patch+json";
    members.push_back(Member(
        "requestBody",
        Object({patch ? Content({"application/apply-patch+yaml", "application/json-patch+json",
                                 "application/merge-patch+json", strategic},
                                R"({"type":"object"})")
                      : Content({"application/json"}, object)})));
  }
  return Member(method, Object(members));
}

// Adds the paths of a resource.
void AddPaths(const Resource& resource, std::string_view prefix, std::string_view schema,
              std::vector<std::string>& paths) {
  const auto operations = [&](std::initializer_list<std::string_view> methods) {
    std::vector<std::string> members;
    for (const std::string_view method : methods) {
      members.push_back(Operation(resource, method, schema));
    }
    return Object(members);
  };
  const std::string collection = "/" + std::string(prefix) +
                                 (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                                 std::string(resource.plural);
  paths.push_back(Member(collection, operations({"get", "post", "delete"})));
  const std::string object = collection + "/{name}";
  paths.push_back(Member(object, operations({"get", "put", "patch", "delete"})));
  if (resource.status) {
    paths.push_back(Member(object + "/status", operations({"get", "put", "patch"})));
  }
}

std::string Prefix(const Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.ApiVersion();
}

constexpr std::string_view kInfo = R"({"title":"Kubernetes","version":"capstan"})";

std::string GroupVersionDocument(std::string_view prefix,
                                 const std::vector<const Resource*>& resources) {
  SchemaWriter schemas;
  std::vector<std::string> paths;
  for (const Resource* const resource : resources) {
    if (Prefix(*resource) != prefix) continue;
    schemas.AddKind(*resource);
    const Message* const message = FindMessage(*resource);
    AddPaths(*resource, prefix,
             message != nullptr ? SchemaName(*message) : CustomSchemaName(*resource), paths);
  }
  if (paths.empty()) return {};
  return Object({Member("openapi", Quote("3.0.0")), Member("info", kInfo),
                 Member("paths", Object(paths)),
                 Member("components", Object({Member("schemas", schemas.Take())}))});
}

std::string Index(const std::vector<const Resource*>& resources) {
  std::vector<std::string> paths;
  for (const Resource* const resource : resources) {
    const std::string prefix = Prefix(*resource);
    std::string member =
        Member(prefix, Object({Member("serverRelativeURL", Quote("/openapi/v3/" + prefix))}));
    if (std::find(paths.begin(), paths.end(), member) == paths.end()) {
      paths.push_back(std::move(member));
    }
  }
  return Object({Member("paths", Object(paths))});
}

// The protobuf of openapi.v2.Document with the field swagger: "2.0".
constexpr std::string_view kEmptyProtobuf(
    "\x0a\x03"
    "2.0",
    5);

}  // namespace

std::optional<OpenApiDocument> FindOpenApi(std::string_view path, std::string_view accept,
                                           const std::vector<const Resource*>& resources) {
  constexpr std::string_view kJson = "application/json";
  constexpr std::string_view kVersion3 = "/openapi/v3";
  if (path == "/openapi/v2") {
    // Clients also request the older spelling with '@', which is no valid media type. The answer
    // has the valid one.
    constexpr std::string_view kProtobuf =
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    if (accept.find(kProtobuf) != std::string_view::npos ||
        accept.find("application/com.github.proto-openapi.spec.v2@v1.0+protobuf") !=
            std::string_view::npos) {
      return OpenApiDocument{.media_type = std::string(kProtobuf),
                             .body = std::string(kEmptyProtobuf)};
    }
    return OpenApiDocument{.media_type = std::string(kJson),
                           .body = Object({Member("swagger", Quote("2.0")), Member("info", kInfo),
                                           Member("paths", "{}")})};
  }
  if (!path.starts_with(kVersion3)) return std::nullopt;
  path.remove_prefix(kVersion3.size());
  std::string body;
  if (path.empty() || path == "/") {
    body = Index(resources);
  } else {
    body = GroupVersionDocument(path.substr(1), resources);
  }
  if (body.empty()) return std::nullopt;
  return OpenApiDocument{.media_type = std::string(kJson), .body = std::move(body)};
}

}  // namespace capstan::testing::apiserver

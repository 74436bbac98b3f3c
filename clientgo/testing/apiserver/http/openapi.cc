// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi.h"

#include <initializer_list>
#include <set>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// Returns the name of the message in OpenAPI: "io.k8s.api.core.v1.Pod" for "core.v1.Pod".
std::string SchemaName(const runtime::Message& message) {
  const std::string_view name = message.name();
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

Json Typed(std::string_view type, std::string_view format = {}) {
  return {{"type", type}, {"format", OmitEmpty(format)}};
}

// Types with a JSON form of their own: the name and the schema.
std::pair<std::string, Json> SpecialType(runtime::FieldType type) {
  const std::string meta(kMeta);
  switch (type) {
    case runtime::FieldType::kIntOrString:
      return {"io.k8s.apimachinery.pkg.util.intstr.IntOrString",
              {{"format", "int-or-string"},
               {"oneOf", Json::List({Typed("integer"), Typed("string")})}}};
    case runtime::FieldType::kQuantity:
      return {"io.k8s.apimachinery.pkg.api.resource.Quantity",
              {{"oneOf", Json::List({Typed("string"), Typed("number")})}}};
    case runtime::FieldType::kTime:
      return {meta + "Time", Typed("string", "date-time")};
    case runtime::FieldType::kMicroTime:
      return {meta + "MicroTime", Typed("string", "date-time")};
    case runtime::FieldType::kDuration:
      return {meta + "Duration", Typed("string")};
    default:
      return {};
  }
}

constexpr runtime::FieldType kSpecialTypes[] = {
    runtime::FieldType::kIntOrString, runtime::FieldType::kQuantity, runtime::FieldType::kTime,
    runtime::FieldType::kMicroTime, runtime::FieldType::kDuration};

Json PlainType(runtime::FieldType type) {
  switch (type) {
    case runtime::FieldType::kBytes:
      return Typed("string", "byte");
    case runtime::FieldType::kInt32:
      return Typed("integer", "int32");
    case runtime::FieldType::kInt64:
      return Typed("integer", "int64");
    case runtime::FieldType::kBool:
      return Typed("boolean");
    case runtime::FieldType::kDouble:
      return Typed("number", "double");
    case runtime::FieldType::kJson:
      return {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    default:
      return Typed("string");
  }
}

Json Reference(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

// SchemaWriter writes the schemas of messages and of all messages that they refer to.
class SchemaWriter {
 public:
  // Adds the members of `components.schemas` for a kind.
  void AddKind(const Resource& resource);
  const Json& schemas() const { return schemas_; }

 private:
  std::string AddMessage(const runtime::Message& message, const Resource* kind);
  void AddProperties(const runtime::Message& message, Json& properties,
                     std::vector<std::string>& required);
  Json PropertySchema(const runtime::Field& field);
  Json ElementSchema(const runtime::Field& field);
  void AddCustomKind(const Resource& resource);
  void AddSpecialTypes();

  Json schemas_ = Json::Object();
  std::set<std::string, std::less<>> names_;
};

Json GroupVersionKind(const Resource& resource) {
  return {{"group", resource.group}, {"kind", resource.kind}, {"version", resource.version}};
}

constexpr std::string_view kGroupVersionKind = "x-kubernetes-group-version-kind";

void SchemaWriter::AddKind(const Resource& resource) {
  if (names_.empty()) AddSpecialTypes();
  const runtime::Message* const message = FindMessage(resource);
  if (message != nullptr) {
    AddMessage(*message, &resource);
  } else {
    AddCustomKind(resource);
  }
}

void SchemaWriter::AddSpecialTypes() {
  for (const runtime::FieldType type : kSpecialTypes) {
    const auto [name, schema] = SpecialType(type);
    names_.insert(name);
    schemas_.Add(name, schema);
  }
}

// Adds the message, if it is new. Returns its name. The recursion ends because the name is known
// before the fields are written, and is as deep as the longest chain of messages.
std::string SchemaWriter::AddMessage(const runtime::Message& message, const Resource* kind) {
  std::string name = SchemaName(message);
  if (!names_.insert(name).second) return name;
  if (message.form() != runtime::Message::Union::kNone) {
    schemas_.Add(name, {{"description", "A JSON Schema or an alternative of it."}});
    return name;
  }
  Json properties;
  std::vector<std::string> required;
  AddProperties(message, properties, required);
  Json schema = {
      {"type", "object"}, {"properties", properties}, {"required", OmitEmptyList(required)}};
  if (kind != nullptr) schema.Add(kGroupVersionKind, Json::List({GroupVersionKind(*kind)}));
  schemas_.Add(name, schema);
  return name;
}

void SchemaWriter::AddProperties(const runtime::Message& message, Json& properties,
                                 std::vector<std::string>& required) {
  for (const runtime::Field& field : message.fields()) {
    if (field.name.empty()) {
      AddProperties(*field.message, properties, required);
      continue;
    }
    properties.Add(field.name, PropertySchema(field));
    if (field.required) required.emplace_back(field.name);
  }
}

Json SchemaWriter::PropertySchema(const runtime::Field& field) {
  Json element = ElementSchema(field);
  Json schema;
  if (field.shape == runtime::Field::Shape::kList) {
    schema = {{"type", "array"}, {"items", element}};
  } else if (field.shape == runtime::Field::Shape::kMap) {
    schema = {{"type", "object"}, {"additionalProperties", element}};
  } else if (field.patch_strategy.empty()) {
    return element;
  } else {
    schema = {{"allOf", Json::List({element})}};
  }
  schema.Add("x-kubernetes-patch-strategy", OmitEmpty(field.patch_strategy));
  schema.Add("x-kubernetes-patch-merge-key", OmitEmpty(field.merge_key));
  return schema;
}

Json SchemaWriter::ElementSchema(const runtime::Field& field) {
  if (field.message != nullptr) return Reference(AddMessage(*field.message, nullptr));
  const auto [name, schema] = SpecialType(field.type);
  return name.empty() ? PlainType(field.type) : Reference(name);
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
  const runtime::Message& metadata = *FindMessage(Resources().front())->Find("metadata")->message;
  SetJson(properties, "metadata", Reference(AddMessage(metadata, nullptr)), allocator);
  SetJson(schema, kGroupVersionKind, Json::List({GroupVersionKind(resource)}), allocator);
  schemas_.Add(CustomSchemaName(resource), schema);
}

Json QueryParameter(std::string_view name, std::string_view type) {
  return {{"name", name}, {"in", "query"}, {"schema", Typed(type)}};
}

// Returns the content of a body: each media type with the schema.
Json Content(std::initializer_list<std::string_view> types, const Json& schema) {
  Json content;
  for (const std::string_view type : types) {
    if (!type.empty()) content.Add(type, {{"schema", schema}});
  }
  return {{"content", content}};
}

// Returns the operation for an HTTP method, for example "patch".
Json Operation(const Resource& resource, std::string_view method, std::string_view schema) {
  const Json object = Reference(schema);
  const Json content = Content({"application/json"}, object);
  Json ok = {{"description", "OK"}};
  ok.AddMembers(content.text());
  Json operation = {{"x-kubernetes-action", method == "put" ? "update" : method},
                    {kGroupVersionKind, GroupVersionKind(resource)},
                    {"responses", {{"200", ok}}}};
  if (method == "get" || method == "delete") return operation;
  const bool patch = method == "patch";
  std::vector<Json> parameters;
  for (const char* const name : {"dryRun", "fieldManager", "fieldValidation"}) {
    parameters.push_back(QueryParameter(name, "string"));
  }
  if (patch) parameters.push_back(QueryParameter("force", "boolean"));
  const std::string_view strategic =
      resource.custom ? std::string_view() : "application/strategic-merge-patch+json";
  operation.Add("parameters", Json::List(parameters));
  operation.Add("requestBody",
                patch ? Content({"application/apply-patch+yaml", "application/json-patch+json",
                                 "application/merge-patch+json", strategic},
                                Typed("object"))
                      : content);
  return operation;
}

// Adds the paths of a resource.
void AddPaths(const Resource& resource, std::string_view prefix, std::string_view schema,
              Json& paths) {
  const auto operations = [&](std::initializer_list<std::string_view> methods) {
    Json all;
    for (const std::string_view method : methods) {
      all.Add(method, Operation(resource, method, schema));
    }
    return all;
  };
  const std::string collection = "/" + std::string(prefix) +
                                 (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                                 std::string(resource.plural);
  if (resource.review) return paths.Add(collection, operations({"post"}));
  paths.Add(collection, operations({"get", "post", "delete"}));
  const std::string object = collection + "/{name}";
  paths.Add(object, operations({"get", "put", "patch", "delete"}));
  if (resource.status) paths.Add(object + "/status", operations({"get", "put", "patch"}));
}

std::string Prefix(const Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.ApiVersion();
}

Json Info() { return {{"title", "Kubernetes"}, {"version", "capstan"}}; }

// Returns no text if no resource has the prefix.
Json GroupVersionDocument(std::string_view prefix, const std::vector<const Resource*>& resources) {
  SchemaWriter writer;
  Json paths;
  for (const Resource* const resource : resources) {
    if (Prefix(*resource) != prefix) continue;
    writer.AddKind(*resource);
    const runtime::Message* const message = FindMessage(*resource);
    AddPaths(*resource, prefix,
             message != nullptr ? SchemaName(*message) : CustomSchemaName(*resource), paths);
  }
  if (paths.text().empty()) return {};
  return {{"openapi", "3.0.0"},
          {"info", Info()},
          {"paths", paths},
          {"components", {{"schemas", writer.schemas()}}}};
}

Json Index(const std::vector<const Resource*>& resources) {
  std::set<std::string> known;
  Json paths = Json::Object();
  for (const Resource* const resource : resources) {
    const std::string prefix = Prefix(*resource);
    if (!known.insert(prefix).second) continue;
    paths.Add(prefix, {{"serverRelativeURL", "/openapi/v3/" + prefix}});
  }
  return {{"paths", paths}};
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
    return OpenApiDocument{
        .media_type = std::string(kJson),
        .body = Json({{"swagger", "2.0"}, {"info", Info()}, {"paths", Json::Object()}}).text()};
  }
  if (!path.starts_with(kVersion3)) return std::nullopt;
  path.remove_prefix(kVersion3.size());
  const Json body = path.empty() || path == "/" ? Index(resources)
                                                : GroupVersionDocument(path.substr(1), resources);
  if (body.text().empty()) return std::nullopt;
  return OpenApiDocument{.media_type = std::string(kJson), .body = body.text()};
}

}  // namespace capstan::testing::apiserver

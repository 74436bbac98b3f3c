// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi_schemas.h"

#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/http/openapi_custom.h"
#include "clientgo/testing/apiserver/types/built_in.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the name of the message in OpenAPI: "io.k8s.api.core.v1.Pod" for "core.v1.Pod".
std::string MessageSchemaName(const runtime::Message& message) {
  const std::string_view name = message.name();
  std::string_view prefix = "io.k8s.api.";
  if (name.starts_with("meta.")) prefix = "io.k8s.apimachinery.pkg.apis.";
  if (name.starts_with("apiextensions.")) prefix = "io.k8s.apiextensions-apiserver.pkg.apis.";
  if (name.starts_with("apiregistration.")) prefix = "io.k8s.kube-aggregator.pkg.apis.";
  return std::string(prefix) + std::string(name);
}

// Types with a JSON form of their own: the name and the schema.
std::pair<std::string, Json> SpecialType(runtime::FieldType type, OpenApiVersion version) {
  const bool v2 = version == OpenApiVersion::kV2;
  const std::string meta(kMetaSchemas);
  switch (type) {
    case runtime::FieldType::kIntOrString:
      return {"io.k8s.apimachinery.pkg.util.intstr.IntOrString",
              v2 ? TypeSchema("string", "int-or-string")
                 : Json{{"format", "int-or-string"},
                        {"oneOf", Json::List({TypeSchema("integer"), TypeSchema("string")})}}};
    case runtime::FieldType::kQuantity:
      return {"io.k8s.apimachinery.pkg.api.resource.Quantity",
              v2 ? TypeSchema("string")
                 : Json{{"oneOf", Json::List({TypeSchema("string"), TypeSchema("number")})}}};
    case runtime::FieldType::kTime:
      return {meta + "Time", TypeSchema("string", "date-time")};
    case runtime::FieldType::kMicroTime:
      return {meta + "MicroTime", TypeSchema("string", "date-time")};
    case runtime::FieldType::kDuration:
      return {meta + "Duration", TypeSchema("string")};
    default:
      return {};
  }
}

constexpr runtime::FieldType kSpecialTypes[] = {
    runtime::FieldType::kIntOrString, runtime::FieldType::kQuantity, runtime::FieldType::kTime,
    runtime::FieldType::kMicroTime, runtime::FieldType::kDuration};

// Returns the schema of any value. Version 2 has no mark for unknown fields in built-in kinds.
Json AnySchema(const runtime::Field& field, OpenApiVersion version) {
  if (version == OpenApiVersion::kV2) return field.object ? TypeSchema("object") : Json::Object();
  return {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
}

Json PlainType(runtime::FieldType type) {
  switch (type) {
    case runtime::FieldType::kBytes:
      return TypeSchema("string", "byte");
    case runtime::FieldType::kInt32:
      return TypeSchema("integer", "int32");
    case runtime::FieldType::kInt64:
      return TypeSchema("integer", "int64");
    case runtime::FieldType::kBool:
      return TypeSchema("boolean");
    case runtime::FieldType::kDouble:
      return TypeSchema("number", "double");
    default:
      return TypeSchema("string");
  }
}

// The descriptions of the metadata, which all kinds have, in short.
constexpr std::pair<std::string_view, std::string_view> kMetadataTexts[] = {
    {"name", "Name of the object. It is unique in the namespace and cannot be changed."},
    {"generateName", "Prefix from which the server makes a name if there is none."},
    {"namespace", "Namespace of the object. Objects of cluster-scoped kinds have none."},
    {"selfLink", "SelfLink is no longer used."},
    {"uid", "UID is unique in time and space. The server sets it."},
    {"resourceVersion",
     "Version of the object in the storage. An update may name the expected one."},
    {"generation", "Number of the version of the desired state. The server sets it."},
    {"creationTimestamp", "CreationTimestamp is a timestamp: when the server created the object."},
    {"deletionTimestamp",
     "DeletionTimestamp is when a graceful deletion ends. The server sets it."},
    {"deletionGracePeriodSeconds", "Number of seconds that a graceful deletion may take."},
    {"labels", "Map of strings for selectors."},
    {"annotations", "Annotations is a map of other strings, for tools and libraries."},
    {"ownerReferences", "List of the owners. The object is deleted when no owner is left."},
    {"finalizers", "List of what must happen before the object is removed."},
    {"managedFields", "ManagedFields lists who manages which fields. The server sets it."},
};

std::string_view MetadataText(std::string_view name) {
  for (const auto& [field, text] : kMetadataTexts) {
    if (field == name) return text;
  }
  return {};
}

// Returns the list of the group, version and kind of a message; no text if it is no kind. The other
// kinds of the group meta are in every group.
Json KindsOf(const runtime::Message& message) {
  const auto parts = Split(message.name(), '.');
  const bool meta = parts.front() == "meta" && parts.back() != "Status";
  if (!message.is_kind() || parts.size() != 3 || meta) return {};
  return Json::List({GroupVersionKind(message.group(), parts[1], parts[2])});
}

}  // namespace

Json GroupVersionKind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"kind", kind}, {"version", version}};
}

std::string CustomSchemaName(const Resource& resource, std::string_view kind) {
  std::string name;
  for (const std::string_view label : Split(resource.group, '.')) {
    name.insert(0, std::string(label) + ".");
  }
  return name + std::string(resource.version) + "." + std::string(kind);
}

std::string SchemaName(const Resource& resource) {
  const runtime::Message* const message = FindMessage(resource);
  return message != nullptr ? MessageSchemaName(*message)
                            : CustomSchemaName(resource, resource.kind);
}

std::string ListSchemaName(const Resource& resource) {
  const runtime::Message* const message = FindMessage(resource);
  return message != nullptr ? MessageSchemaName(*message) + "List"
                            : CustomSchemaName(resource, resource.ListKind());
}

Json DocumentInfo() { return {{"title", "Kubernetes"}, {"version", "capstan"}}; }

Json TypeSchema(std::string_view type, std::string_view format) {
  return {{"type", type}, {"format", OmitEmpty(format)}};
}

Json Reference(OpenApiVersion version, std::string_view name) {
  const std::string_view place =
      version == OpenApiVersion::kV2 ? "#/definitions/" : "#/components/schemas/";
  return {{"$ref", std::string(place).append(name)}};
}

Json DescribedReference(OpenApiVersion version, std::string_view name,
                        std::string_view description) {
  Json schema = {{"description", description}};
  const Json reference = Reference(version, name);
  if (version == OpenApiVersion::kV2) {
    schema.AddMembers(reference.text());
  } else {
    schema.Add("allOf", Json::List({reference}));
  }
  return schema;
}

void SchemaWriter::AddKind(const Resource& resource) {
  if (names_.empty()) AddCommonTypes();
  const runtime::Message* const message = FindMessage(resource);
  if (message == nullptr) return AddCustomKind(resource);
  AddMessage(*message);
  if (!resource.review) AddList(resource);
}

// Adds the types that are no messages, and the messages that kinds of all groups need.
void SchemaWriter::AddCommonTypes() {
  for (const runtime::FieldType type : kSpecialTypes) {
    const auto [name, schema] = SpecialType(type, version_);
    names_.insert(name);
    schemas_.Add(name, schema);
  }
  AddMessage(*runtime::MessageNamed("meta.v1.Status"));
  AddMessage(ObjectMeta());
}

// Adds the message, if it is new. Returns its name. The recursion ends because the name is known
// before the fields are written, and is as deep as the longest chain of messages.
std::string SchemaWriter::AddMessage(const runtime::Message& message) {
  std::string name = MessageSchemaName(message);
  if (!names_.insert(name).second) return name;
  if (message.form() != runtime::Message::Union::kNone) {
    schemas_.Add(name, {{"description", "A JSON Schema or an alternative of it."}});
    return name;
  }
  Json properties;
  std::vector<std::string> required;
  AddProperties(message, properties, required);
  schemas_.Add(name, {{"type", "object"},
                      {"properties", properties},
                      {"required", OmitEmptyList(required)},
                      {kGroupVersionKind, KindsOf(message)}});
  return name;
}

void SchemaWriter::AddProperties(const runtime::Message& message, Json& properties,
                                 std::vector<std::string>& required) {
  for (const runtime::Field& field : message.fields()) {
    if (field.name.empty()) {
      AddProperties(*field.message, properties, required);
      continue;
    }
    const bool metadata = message.name() == "meta.v1.ObjectMeta";
    properties.Add(field.name,
                   PropertySchema(field, metadata ? MetadataText(field.name) : std::string_view()));
    if (field.required) required.emplace_back(field.name);
  }
}

Json SchemaWriter::PropertySchema(const runtime::Field& field, std::string_view description) {
  Json schema = ElementSchema(field);
  if (field.shape == runtime::Field::Shape::kList) {
    schema = {{"type", "array"}, {"items", schema}};
  } else if (field.shape == runtime::Field::Shape::kMap) {
    schema = {{"type", "object"}, {"additionalProperties", schema}};
  } else if (version_ == OpenApiVersion::kV3 && schema.text().starts_with(R"({"$ref")") &&
             !(field.patch_strategy.empty() && description.empty())) {
    schema = {{"allOf", Json::List({schema})}};
  }
  schema.Add("description", OmitEmpty(description));
  schema.Add("x-kubernetes-patch-strategy", OmitEmpty(field.patch_strategy));
  schema.Add("x-kubernetes-patch-merge-key", OmitEmpty(field.merge_key));
  return schema;
}

Json SchemaWriter::ElementSchema(const runtime::Field& field) {
  if (field.message != nullptr) return Reference(version_, AddMessage(*field.message));
  if (field.type == runtime::FieldType::kJson) return AnySchema(field, version_);
  const auto [name, schema] = SpecialType(field.type, version_);
  return name.empty() ? PlainType(field.type) : Reference(version_, name);
}

void SchemaWriter::AddList(const Resource& resource) {
  const std::string name = ListSchemaName(resource);
  if (!names_.insert(name).second) return;
  schemas_.Add(
      name,
      {{"type", "object"},
       {"properties",
        {{"apiVersion", TypeSchema("string")},
         {"items", {{"type", "array"}, {"items", Reference(version_, SchemaName(resource))}}},
         {"kind", TypeSchema("string")},
         {"metadata", Reference(version_, std::string(kMetaSchemas) + "ListMeta")}}},
       {"required", Json::List({"items"})},
       {kGroupVersionKind,
        Json::List({GroupVersionKind(resource.group, resource.version, resource.ListKind())})}});
}

void SchemaWriter::AddCustomKind(const Resource& resource) {
  schemas_.Add(SchemaName(resource), CustomSchema(resource, version_));
  schemas_.Add(ListSchemaName(resource), CustomListSchema(resource, version_));
}

}  // namespace capstan::testing::apiserver

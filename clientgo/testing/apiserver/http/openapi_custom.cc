// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/openapi_custom.h"

#include <string>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kConventions =
    "More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

// These are the alternatives of schemas, whose elements are partial schemas.
constexpr std::string_view kAlternatives[] = {"allOf", "anyOf", "oneOf"};

std::string Described(std::string_view text, std::string_view section) {
  return std::string(text).append(" ").append(kConventions).append(section);
}

Json DescribedString(std::string_view text, std::string_view section) {
  return {{"description", Described(text, section)}, {"type", "string"}};
}

// Returns the property apiVersion of a kind.
Json ApiVersionSchema() {
  return DescribedString(
      "APIVersion defines the versioned schema of this representation of an object. Servers should "
      "convert recognized schemas to the latest internal value, and may reject unrecognized "
      "values.",
      "#resources");
}

Json KindSchema() {
  return DescribedString(
      "Kind is a string value representing the REST resource this object represents. Servers may "
      "infer this from the endpoint the client submits requests to. Cannot be updated. In "
      "CamelCase.",
      "#types-kinds");
}

Json MetadataSchema(OpenApiVersion version) {
  return DescribedReference(version, std::string(kMetaSchemas) + "ObjectMeta",
                            Described("Standard object's metadata.", "#metadata"));
}

// Reports whether a member of a schema is written although its value is empty.
bool MayBeEmpty(std::string_view key) {
  return key == "default" || key == "additionalProperties" || key == "items" || key == "not";
}

bool IsEmpty(const runtime::JsonValue& value) {
  return value.IsFalse() || IsEmptyContainer(value) ||
         (value.IsString() && value.GetStringLength() == 0);
}

// Removes the members that a structural schema lacks or Go's encoder omits.
void Clean(runtime::JsonValue& schema) {
  for (const std::string_view key : {"externalDocs", "example"}) Remove(schema, key);
  for (auto member = schema.MemberBegin(); schema.MemberEnd() - member > 0;) {
    const bool drop = member->value.IsNull() ||
                      (IsEmpty(member->value) && !MayBeEmpty(runtime::ToView(member->name)));
    member = drop ? schema.EraseMember(member) : member + 1;
  }
}

// Writer changes a schema to the published form. It recurses as deep as the schema.
class Writer {
 public:
  Writer(OpenApiVersion version, JsonAllocator& allocator)
      : v2_(version == OpenApiVersion::kV2), version_(version), allocator_(allocator) {}

  void Convert(runtime::JsonValue& schema) {
    if (!schema.IsObject()) return;
    Clean(schema);
    if (v2_) {
      DropForVersion2(schema);
    } else if (IsSet(schema, kIntOrString)) {
      AddIntOrString(schema);
    }
    for (const std::string_view key : kAlternatives) ConvertAlternatives(schema, key);
    if (runtime::JsonValue* const no = FindMutable(schema, "not")) ConvertAlternative(*no);
    ForEachPart(schema, [&](runtime::JsonValue& part) { Convert(part); });
  }

  // Adds the members of objects with a kind of their own.
  void AddEmbedded(runtime::JsonValue& schema) {
    if (!schema.IsObject()) return;
    ForEachPart(schema, [&](runtime::JsonValue& part) { AddEmbedded(part); });
    if (!IsSet(schema, kEmbedded) || (v2_ && IsSet(schema, kPreserve))) return;
    runtime::JsonValue& properties = Ensure(schema, "properties", allocator_);
    SetJson(properties, "apiVersion",
            DescribedString(
                "apiVersion defines the versioned schema of this representation of an object.",
                "#resources"),
            allocator_);
    SetJson(properties, "kind",
            DescribedString("kind is a string value representing the type of this object. In "
                            "CamelCase.",
                            "#types-kinds"),
            allocator_);
    SetJson(properties, "metadata", MetadataSchema(version_), allocator_);
    std::vector<std::string> required = TextsAt(schema, "required");
    for (const char* const key : {"kind", "apiVersion"}) {
      if (!HasText(required, key)) required.emplace_back(key);
    }
    SetJson(schema, "required", Json::List(required), allocator_);
  }

 private:
  template <class Function>
  void ForEachPart(runtime::JsonValue& schema, Function function) {
    if (runtime::JsonValue* const properties = FindMutable(schema, "properties")) {
      for (auto property = properties->MemberBegin(); properties->MemberEnd() - property > 0;
           ++property) {
        function(property->value);
      }
    }
    for (const std::string_view key : {"items", "additionalProperties"}) {
      if (runtime::JsonValue* const part = FindMutable(schema, key)) function(*part);
    }
  }

  void ConvertAlternatives(runtime::JsonValue& schema, std::string_view key) {
    runtime::JsonValue* const list = FindMutable(schema, key);
    if (list == nullptr) return;
    for (runtime::JsonValue& one : list->GetArray()) ConvertAlternative(one);
  }

  void ConvertAlternative(runtime::JsonValue& schema) {
    if (!schema.IsObject()) return;
    Clean(schema);
    for (const std::string_view key : kAlternatives) ConvertAlternatives(schema, key);
    if (runtime::JsonValue* const no = FindMutable(schema, "not")) ConvertAlternative(*no);
    Remove(schema, "additionalProperties");
    ForEachPart(schema, [&](runtime::JsonValue& part) { ConvertAlternative(part); });
  }

  // Adds the types of an integer or a string if the schema does not have them in a usual place.
  void AddIntOrString(runtime::JsonValue& schema) {
    static const Json types = Json::List({TypeSchema("integer"), TypeSchema("string")});
    const runtime::JsonValue* const any = runtime::Find(schema, "anyOf");
    const runtime::JsonValue& all = ListAt(schema, "allOf");
    const auto is_types = [](const runtime::JsonValue* list) {
      return list != nullptr && runtime::ToJson(*list) == types.text();
    };
    if (is_types(any)) return;
    if (!all.Empty() && is_types(runtime::Find(all[0], "anyOf"))) return;
    if (any == nullptr) return SetJson(schema, "anyOf", types, allocator_);
    std::vector<Json> next = {Json{{"anyOf", types}}};
    for (const runtime::JsonValue& one : all.GetArray()) next.emplace_back(one);
    SetJson(schema, "allOf", Json::List(next), allocator_);
  }

  void DropForVersion2(runtime::JsonValue& schema) {
    for (const char* const key : {"allOf", "anyOf", "oneOf", "not", "default"}) Remove(schema, key);
    const bool nullable = IsSet(schema, "nullable");
    const bool preserve = IsSet(schema, kPreserve);
    Remove(schema, "nullable");
    if (nullable || preserve) {
      Remove(schema, "items");
      Remove(schema, "properties");
    }
    const std::string_view type = runtime::GetString(schema, "type");
    if (nullable || (preserve && type == "object") ||
        (type == "array" && runtime::Find(schema, "items") == nullptr)) {
      Remove(schema, "type");
    }
    DropRequiredNullable(schema);
  }

  // A required property cannot be null in version 2, so it is not required there.
  void DropRequiredNullable(runtime::JsonValue& schema) {
    std::vector<std::string> required = TextsAt(schema, "required");
    const runtime::JsonValue& properties = ObjectAt(schema, "properties");
    std::erase_if(required, [&](const std::string& name) {
      return IsSet(ObjectAt(properties, name), "nullable");
    });
    if (required.empty() || IsSet(ObjectAt(schema, "additionalProperties"), "nullable")) {
      return Remove(schema, "required");
    }
    SetJson(schema, "required", Json::List(required), allocator_);
  }

  const bool v2_;
  const OpenApiVersion version_;
  JsonAllocator& allocator_;
};

// Returns the last members of a schema: which kind it describes, and its selectable fields.
void AddExtensions(const Resource& resource, std::string_view kind, Json& schema) {
  schema.Add(kGroupVersionKind,
             Json::List({GroupVersionKind(resource.group, resource.version, kind)}));
  if (resource.selectable.empty()) return;
  std::vector<Json> fields;
  for (const std::string_view path : Split(resource.selectable, ',')) {
    fields.push_back(Json{{"fieldPath", path}});
  }
  schema.Add("x-kubernetes-selectable-fields", Json::List(fields));
}

}  // namespace

Json CustomSchema(const Resource& resource, OpenApiVersion version) {
  runtime::JsonDocument schema(rapidjson::kObjectType);
  auto& allocator = schema.GetAllocator();
  if (resource.schema != nullptr) schema.CopyFrom(resource.schema->json(), allocator);
  // kubectl rejects every other field if one is declared, so a kind with unknown fields has none.
  const bool open = !schema.IsObject() || schema.MemberCount() == 0 ||
                    (version == OpenApiVersion::kV2 && IsSet(schema, kPreserve));
  Json published = TypeSchema("object");
  if (!open) {
    Writer writer(version, allocator);
    writer.Convert(schema);
    runtime::JsonValue& properties = Ensure(schema, "properties", allocator);
    SetJson(properties, "metadata", MetadataSchema(version), allocator);
    SetJson(properties, "apiVersion", ApiVersionSchema(), allocator);
    SetJson(properties, "kind", KindSchema(), allocator);
    writer.AddEmbedded(schema);
    published = Json(schema);
  }
  AddExtensions(resource, resource.kind, published);
  return published;
}

Json CustomListSchema(const Resource& resource, OpenApiVersion version) {
  const Json items = {{"description", Described("List of " + std::string(resource.plural) + ".",
                                                std::string_view())},
                      {"type", "array"},
                      {"items", Reference(version, CustomSchemaName(resource, resource.kind))}};
  Json schema = {
      {"description", resource.ListKind() + " is a list of " + std::string(resource.kind)},
      {"type", "object"},
      {"required", Json::List({"items"})},
      {"properties",
       {{"apiVersion", ApiVersionSchema()},
        {"items", items},
        {"kind", KindSchema()},
        {"metadata", DescribedReference(version, std::string(kMetaSchemas) + "ListMeta",
                                        Described("Standard list metadata.", "#types-kinds"))}}}};
  AddExtensions(resource, resource.ListKind(), schema);
  return schema;
}

}  // namespace capstan::testing::apiserver

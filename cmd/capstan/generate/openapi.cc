// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/openapi.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "capstan/runtime/json_writer.h"

namespace capstan::cmd::generate {
namespace {

using runtime::Find;
using runtime::GetString;
using runtime::JsonElements;
using runtime::JsonMembers;
using runtime::JsonValue;

constexpr std::string_view kAnything = R"({"x-kubernetes-preserve-unknown-fields":true})";

// Types whose schema in OpenAPI does not say what they are.
constexpr std::array kKnown = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", R"({"type":"object"})"},
    {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", R"({"x-kubernetes-int-or-string":true})"},
    {"io.k8s.apimachinery.pkg.api.resource.Quantity",
     R"({"x-kubernetes-int-or-string":true,"pattern":"KMGTPE"})"},
    {"io.k8s.apimachinery.pkg.runtime.RawExtension", kAnything},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", kAnything},
});

// Writes a schema with what its references name.
class Expander {
 public:
  Expander(const JsonValue& schemas, runtime::JsonWriter& writer)
      : schemas_(schemas), writer_(writer) {}

  void Write(const JsonValue& schema) {
    const std::string name = ReferenceOf(schema);
    if (name.empty()) return WriteMembers(schema);
    for (const auto& [known, json] : kKnown) {
      if (name == known) return writer_.RawValue(json);
    }
    const JsonValue* const found = Find(schemas_, name);
    if (found == nullptr || !inside_.insert(name).second) return writer_.RawValue(kAnything);
    Write(*found);
    inside_.erase(name);
  }

 private:
  // A reference stands alone, or is the only one of allOf, beside a description and a default.
  static std::string ReferenceOf(const JsonValue& schema) {
    std::string_view path = GetString(schema, "$ref");
    if (const JsonValue* const all = Find(schema, "allOf"); all != nullptr && path.empty()) {
      for (const JsonValue& one : JsonElements(*all)) path = GetString(one, "$ref");
    }
    return std::string(path.substr(path.rfind('/') + 1));
  }

  void WriteMembers(const JsonValue& schema) {
    writer_.StartObject();
    for (const auto& [name, value] : JsonMembers(schema)) {
      writer_.Key(name);
      if (name == "properties") {
        writer_.StartObject();
        for (const auto& [property, inner] : JsonMembers(value)) {
          writer_.Key(property);
          Write(inner);
        }
        writer_.EndObject();
      } else if (name == "items" ||
                 (name == "additionalProperties" && runtime::IsJsonObject(value))) {
        Write(value);
      } else {
        writer_.Value(value);
      }
    }
    writer_.EndObject();
  }

  const JsonValue& schemas_;
  runtime::JsonWriter& writer_;
  std::set<std::string> inside_;
};

bool IsOf(const JsonValue& schema, const ServedKind& kind) {
  const JsonValue* const kinds = Find(schema, "x-kubernetes-group-version-kind");
  if (kinds == nullptr) return false;
  const JsonElements elements(*kinds);
  return std::any_of(elements.begin(), elements.end(), [&](const JsonValue& each) {
    return GetString(each, "group") == kind.group && GetString(each, "version") == kind.version &&
           GetString(each, "kind") == kind.kind;
  });
}

}  // namespace

Expected<std::string> DefinitionOf(const ServedKind& kind, const JsonValue& document) {
  const JsonValue* const schemas = runtime::FindPath(document, {"components", "schemas"});
  const JsonValue* found = nullptr;
  if (schemas != nullptr) {
    for (const auto& [name, schema] : JsonMembers(*schemas)) {
      if (IsOf(schema, kind)) found = &schema;
    }
  }
  if (found == nullptr) {
    return Err(ErrorReason::kInvalidArgument, "the API server describes no " + kind.kind + " of " +
                                                  kind.group + "/" + kind.version);
  }
  runtime::JsonWriter writer;
  const auto member = [&](std::string_view name, std::string_view value) {
    writer.Key(name);
    writer.String(value);
  };
  writer.StartObject();
  member("apiVersion", "apiextensions.k8s.io/v1");
  member("kind", "CustomResourceDefinition");
  writer.Key("metadata");
  writer.StartObject();
  member("name", kind.plural + "." + kind.group);
  writer.EndObject();
  writer.Key("spec");
  writer.StartObject();
  member("group", kind.group);
  member("scope", kind.namespaced ? "Namespaced" : "Cluster");
  writer.Key("names");
  writer.StartObject();
  member("plural", kind.plural);
  member("kind", kind.kind);
  writer.EndObject();
  writer.Key("versions");
  writer.StartArray();
  writer.StartObject();
  member("name", kind.version);
  writer.Key("served");
  writer.Bool(true);
  writer.Key("storage");
  writer.Bool(true);
  if (kind.has_status) {
    writer.Key("subresources");
    writer.RawValue(R"({"status":{}})");
  }
  writer.Key("schema");
  writer.StartObject();
  writer.Key("openAPIV3Schema");
  Expander(*schemas, writer).Write(*found);
  writer.EndObject();
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

}  // namespace capstan::cmd::generate

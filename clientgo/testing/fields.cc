// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/fields.h"

#include <stdexcept>
#include <vector>

#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/testing/require.h"
#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/runtime/protobuf/unknown_field.h"
#include "clientgo/yaml/parse.h"
#include "clientgo/yaml/value.h"

namespace capstan::testing {
namespace {

using runtime::JsonValue;
using Node = runtime::Projection::Node;

const JsonValue& SchemaOf(const JsonValue& definition, const runtime::ResourceType& type) {
  if (const JsonValue* const versions = runtime::FindPath(definition, {"spec", "versions"})) {
    for (const JsonValue& version : runtime::JsonElements(*versions)) {
      const JsonValue* const schema = runtime::FindPath(version, {"schema", "openAPIV3Schema"});
      if (runtime::GetString(version, "name") == type.gvr.version && schema != nullptr) {
        return *schema;
      }
    }
  }
  throw std::runtime_error("the definition has no schema of the version " + type.gvr.version);
}

// Returns the schema of a member; null: there is none, or it may be anything.
const JsonValue* Member(const JsonValue& schema, const std::string& name) {
  if (const JsonValue* const properties = runtime::Find(schema, "properties")) {
    if (const JsonValue* const found = runtime::Find(*properties, name)) return found;
  }
  return runtime::Find(schema, "additionalProperties");
}

const JsonValue& InnermostOf(const JsonValue& schema) {
  const JsonValue* const items = runtime::Find(schema, "items");
  return items == nullptr ? schema : InnermostOf(*items);
}

std::string UnknownPath(const JsonValue& list_or_object, const Node& node) {
  const JsonValue& schema = InnermostOf(list_or_object);
  if (node.keep_all || runtime::GetBool(schema, "x-kubernetes-preserve-unknown-fields") ||
      runtime::GetBool(schema, "x-kubernetes-embedded-resource")) {
    return {};
  }
  for (const Node& child : node.children) {
    const JsonValue* const member = Member(schema, child.key);
    if (member == nullptr) return child.key;
    const std::string below = UnknownPath(*member, child);
    if (!below.empty()) return child.key + "." + below;
  }
  return {};
}

}  // namespace

std::string UnknownField(const runtime::ResourceType& type) {
  const auto* const message = runtime::FindMessage(type.gvr.ApiVersion(), type.kind);
  Require(message != nullptr, type.gvr.ApiVersion() + " " + type.kind +
                                  " is not a kind of Kubernetes; give its definition as well");
  return runtime::UnknownField(*message, type.projection.object().root());
}

std::string UnknownField(const runtime::ResourceType& type, std::string_view definition) {
  const std::string what = "the definition of " + type.kind;
  const auto value = Value(yaml::Parse(definition, "definition", 1), what);
  const auto json = Value(yaml::ToJson(*value), what);
  const auto parsed = Value(runtime::ParsedJson::Parse(json), what);
  // Every kind has the first three, and a Status has a message.
  Node declared = type.projection.object().root();
  std::erase_if(declared.children, [](const Node& child) {
    return child.key == "apiVersion" || child.key == "kind" || child.key == "metadata" ||
           child.key == "message";
  });
  return UnknownPath(SchemaOf(parsed.root(), type), declared);
}

}  // namespace capstan::testing

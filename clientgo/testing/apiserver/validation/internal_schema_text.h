// SPDX-License-Identifier: Apache-2.0
// The Go type JSONSchemaProps in k8s.io/apiextensions-apiserver/pkg/apis/apiextensions, whose names
// and zero values are in some errors.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "clientgo/runtime/json.h"

namespace capstan::testing::apiserver {

struct InternalMember {
  std::string_view json;  // the name in the API
  std::string_view go;
  std::string_view zero;  // the JSON of the zero value
};

// In the order of the Go type.
inline constexpr std::array kInternalMembers = std::to_array<InternalMember>({
    {"id", "ID", "\"\""},
    {"$schema", "Schema", "\"\""},
    {"$ref", "Ref", "null"},
    {"description", "Description", "\"\""},
    {"type", "Type", "\"\""},
    {"nullable", "Nullable", "false"},
    {"format", "Format", "\"\""},
    {"title", "Title", "\"\""},
    {"default", "Default", "null"},
    {"maximum", "Maximum", "null"},
    {"exclusiveMaximum", "ExclusiveMaximum", "false"},
    {"minimum", "Minimum", "null"},
    {"exclusiveMinimum", "ExclusiveMinimum", "false"},
    {"maxLength", "MaxLength", "null"},
    {"minLength", "MinLength", "null"},
    {"pattern", "Pattern", "\"\""},
    {"maxItems", "MaxItems", "null"},
    {"minItems", "MinItems", "null"},
    {"uniqueItems", "UniqueItems", "false"},
    {"multipleOf", "MultipleOf", "null"},
    {"enum", "Enum", "null"},
    {"maxProperties", "MaxProperties", "null"},
    {"minProperties", "MinProperties", "null"},
    {"required", "Required", "null"},
    {"items", "Items", "null"},
    {"allOf", "AllOf", "null"},
    {"oneOf", "OneOf", "null"},
    {"anyOf", "AnyOf", "null"},
    {"not", "Not", "null"},
    {"properties", "Properties", "null"},
    {"additionalProperties", "AdditionalProperties", "null"},
    {"patternProperties", "PatternProperties", "null"},
    {"dependencies", "Dependencies", "null"},
    {"additionalItems", "AdditionalItems", "null"},
    {"definitions", "Definitions", "null"},
    {"externalDocs", "ExternalDocs", "null"},
    {"example", "Example", "null"},
    {"x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields", "null"},
    {"x-kubernetes-embedded-resource", "XEmbeddedResource", "false"},
    {"x-kubernetes-int-or-string", "XIntOrString", "false"},
    {"x-kubernetes-list-map-keys", "XListMapKeys", "null"},
    {"x-kubernetes-list-type", "XListType", "null"},
    {"x-kubernetes-map-type", "XMapType", "null"},
    {"x-kubernetes-validations", "XValidations", "null"},
});

// Returns the name of a member in Go.
std::string_view InternalName(std::string_view json);
// Returns a schema as json.Marshal writes the Go type.
std::string InternalSchemaText(const runtime::JsonValue& schema);

}  // namespace capstan::testing::apiserver

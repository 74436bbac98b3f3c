// SPDX-License-Identifier: Apache-2.0
// Validation of the schema of a CustomResourceDefinition, with the error texts of kube-apiserver.
// Mirrors validateCustomResourceDefinitionValidation of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation, and ValidateDefaults of
// pkg/apiserver/schema/defaulting. Differs: the causes of properties are in their order, which is
// random in Go; defaults inside of metadata are checked by their schema only.
#pragma once

#include <string>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// `schema` is an openAPIV3Schema. `has_status`: its objects have the subresource "status".
void CheckDefinitionSchema(const Place& schema, bool has_status, FieldRules& rules);

// Returns the warnings about formats of strings that are not known. `live` is the definition before
// an update, whose formats are not mentioned again; null: the definition is new.
std::vector<std::string> FormatWarnings(const runtime::JsonValue* live,
                                        const runtime::JsonValue& next);

}  // namespace capstan::testing::apiserver

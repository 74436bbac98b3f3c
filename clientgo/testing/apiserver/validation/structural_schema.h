// SPDX-License-Identifier: Apache-2.0
// Whether the schema of a CustomResourceDefinition is structural. Mirrors
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema: validation.go, complete.go, and the errors
// of convert.go.
#pragma once

#include <optional>
#include <string>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Returns why a schema has no structural form, because it uses what is not supported; nullopt: it
// has one.
std::optional<std::string> WhyNotStructural(const runtime::JsonValue& schema);

// Checks the whole schema of a version. Its causes are sorted by their text.
// REQUIRES: WhyNotStructural(schema.value()) is nullopt.
void CheckStructural(const Place& schema, FieldRules& rules);

}  // namespace capstan::testing::apiserver

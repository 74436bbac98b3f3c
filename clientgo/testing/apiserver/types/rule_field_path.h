// SPDX-License-Identifier: Apache-2.0
// The fieldPath of a validation rule: ".spec.names['a.b']". Mirrors ValidFieldPath of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clientgo/cel/schema.h"

namespace capstan::testing::apiserver {

// Returns the path as errors show it: "spec.names.a.b". Returns nullopt if it is no path to a field
// of the schema.
std::optional<std::string> NormalizeFieldPath(std::string_view path, const cel::Schema& schema);

}  // namespace capstan::testing::apiserver

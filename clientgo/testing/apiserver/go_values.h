// SPDX-License-Identifier: Apache-2.0
// The texts that Go types with decoders of their own accept: times and quantities. Mirrors
// UnmarshalJSON of k8s.io/apimachinery's metav1.Time, metav1.MicroTime and resource.Quantity.
// Differs: a quantity is not brought into its canonical form, and no duration is parsed.
#pragma once

#include <optional>
#include <string>

#include "capstan/testing/apiserver/internal/api_types.h"
#include "capstan/testing/apiserver/internal/json_edit.h"

namespace capstan::testing::apiserver {

// Returns why Go cannot decode the value; nullopt: it can, or the type has no decoder of its own.
// REQUIRES: the value of a time is a string.
std::optional<std::string> FindBadValue(FieldType type, const runtime::JsonValue& value);

}  // namespace capstan::testing::apiserver

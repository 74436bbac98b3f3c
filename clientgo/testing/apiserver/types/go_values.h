// SPDX-License-Identifier: Apache-2.0
// What Go's decoders make of JSON values: their types, and the texts that types with decoders of
// their own accept, which are times and quantities. Mirrors UnmarshalJSON of k8s.io/apimachinery's
// metav1.Time, metav1.MicroTime and resource.Quantity. Differs: a quantity is not brought into its
// canonical form, and no duration is parsed.
#pragma once

#include <optional>
#include <string>

#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Returns why Go cannot decode the value. Returns nullopt if Go can, or if the type has no decoder
// of its own. REQUIRES: the value of a time or of bytes is a string.
std::optional<std::string> FindBadValue(runtime::FieldType type, const runtime::JsonValue& value);

}  // namespace capstan::testing::apiserver

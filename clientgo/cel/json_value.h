// SPDX-License-Identifier: Apache-2.0
// ValueOfJson shows JSON without a schema as a value of CEL, which admission expressions read.
// Nothing is copied: members become values when an expression reads them. Mirrors what cel-go makes
// of unstructured.Unstructured.
#pragma once

#include "clientgo/cel/value.h"
#include "clientgo/runtime/json.h"

namespace capstan::cel {

// The JSON must outlive the value.
Value ValueOfJson(const runtime::JsonValue& json);

}  // namespace capstan::cel

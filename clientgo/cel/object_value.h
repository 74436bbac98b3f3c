// SPDX-License-Identifier: Apache-2.0
// ValueOf shows the JSON of an object as a value of CEL. Nothing is copied: members become values
// when an expression reads them. Mirrors k8s.io/apiserver/pkg/cel/common/values.go.
#pragma once

#include "clientgo/cel/schema.h"
#include "clientgo/cel/value.h"

namespace capstan::cel {

// Returns the JSON as a value, or an error value if the JSON does not have the type of the schema.
// The JSON and the schema must outlive the value.
Value ValueOf(const runtime::JsonValue& json, const Schema& schema);

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
// What Go's decoder makes of the members of a JSON object: it keeps the last one of several with
// the same name, drops those that the Go type does not have, and rejects wrong types. Mirrors
// sigs.k8s.io/json. Differs: an error names the base type of a field ("string") where Go names a
// declared one ("v1.RestartPolicy").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Removes repeated members, and with `message` also unknown ones. Returns Go's strict errors in the
// order of the text, at most 100: `duplicate field "data.x"`, `unknown field "spec.x"`. A value
// that is no object stays as it is.
std::vector<std::string> DropUndecoded(const runtime::Message* message, runtime::JsonValue& object);

// Replaces null in lists and maps by the zero value of their type, as Go's decoder does.
void FillNulls(const runtime::Message& message, runtime::JsonValue& object);

// Removes the members that Go's encoder omits, such as empty lists, and empty texts of fields that
// are no pointers. Keeps metadata.managedFields.
void DropOmitted(const runtime::Message& message, runtime::JsonValue& object);

// Returns why Go cannot decode the object into `message`, or nullopt if it can. `path` leads to it.
std::optional<std::string> FindWrongType(const runtime::Message& message,
                                         const runtime::JsonValue& object,
                                         const std::string& path = "");

// The same for the result of a strategic merge patch, which kube-apiserver converts without a
// decoder. Mirrors k8s.io/apimachinery/pkg/runtime/converter.go.
std::optional<std::string> FindUnconvertible(const runtime::Message& message,
                                             const runtime::JsonValue& object);

// Returns what the errors of Go's encoding/json call the type of a value: "object", "number".
std::string_view JsonTypeName(const runtime::JsonValue& value);

// Returns a value as Go's %v prints it: "map[a:1 b:[x y]]".
std::string GoText(const runtime::JsonValue& value);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// Type errors: what in a document Go could not decode into the type of its kind, as far as it
// matters here, in the words of Go's decoder; for server-side apply in those of its schemas. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

// How Go's decoder calls the type of a JSON value: "number".
std::string_view JsonTypeName(const JsonValue& value);
// Why Go could not decode this object; empty: it could.
std::optional<std::string> FindTypeError(const Resource& resource, const JsonValue& object);
// Whether an applied configuration fits the schema, as far as type errors and duplicate keys go.
Result<void> CheckApplied(const Resource& resource, const JsonValue& configuration);

}  // namespace apiserver

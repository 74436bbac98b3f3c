// SPDX-License-Identifier: Apache-2.0
// What the real API server does to an object between the request and the storage: decoding checks,
// defaults, validation. As much of it as clients here can run into. Pure functions on documents.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

// A request's body as an object of this resource: JSON, of the right kind, with sane metadata.
Result<std::unique_ptr<JsonDocument>> DecodeObject(const Resource& resource, std::string_view body);
// Metadata is an object; labels and annotations are maps of strings.
Result<void> CheckMetadataTypes(const Resource& resource, const JsonValue& object);
void ApplyDefaults(const Resource& resource, JsonDocument& object);
// The causes for which an object is refused; empty: it is valid.
std::vector<Cause> Validate(const Resource& resource, const JsonValue& object);

}  // namespace apiserver

// SPDX-License-Identifier: Apache-2.0
// From a request's body to an object: JSON, of the right kind, with members of the right types, in
// the words of Go's decoder; and the form in which Go would write it again. Pure functions.
// Mirrors k8s.io/apimachinery/pkg/runtime/serializer/json.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

Result<std::unique_ptr<JsonDocument>> DecodeObject(const Resource& resource, std::string_view body);
// Drops what Go's encoder leaves out: nulls, and maps and lists without members where an empty one
// means the same as none; adds what it always writes (Resource::zero).
void Normalise(const Resource& resource, JsonDocument& object);
// What Go's registration of internal types calls the group: "core".
std::string InternalGroup(const Resource& resource);

}  // namespace apiserver

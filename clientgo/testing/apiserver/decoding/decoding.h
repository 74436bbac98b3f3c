// SPDX-License-Identifier: Apache-2.0
// Decoding of a request body into a complete object: JSON, types, normal form and defaults, with
// the error texts of Go's decoder. Mirrors k8s.io/apimachinery/pkg/runtime/serializer/json and the
// defaulting functions of the kinds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct DecodedObject {
  std::unique_ptr<runtime::JsonDocument> object;
  std::vector<std::string> warnings = {};  // `duplicate field "data.x"`, `unknown field "spec.x"`
};

// Drops duplicate and unknown fields. With `strict` they are an error instead of a warning.
// `repeats` are the repeated keys of the YAML from which the body was made.
Result<DecodedObject> DecodeObject(const Resource& resource, std::string_view body, bool strict,
                                   const std::vector<std::string>& repeats = {});
// Returns the error of Go's YAML decoder for these repeats.
std::string RepeatsError(const std::vector<std::string>& repeats);
// Returns why Go could not decode this object, or nullopt if it could.
std::optional<std::string> FindTypeError(const Resource& resource,
                                         const runtime::JsonValue& object);
// Removes the fields that the kind or the schema of a custom resource does not have. Returns the
// warnings.
std::vector<std::string> PruneUnknown(const Resource& resource, runtime::JsonDocument& object);
// Checks the types and the list keys of an applied configuration against its MergeType. Returns why
// it is rejected, or nullopt if it is not.
std::optional<Status> CheckApplied(const Resource& resource,
                                   const runtime::JsonValue& configuration);
// Checks that Go could decode the configuration, which apply does after it has merged it.
std::optional<Status> CheckConvertible(const Resource& resource,
                                       const runtime::JsonValue& configuration);

// Removes owners that the object names twice. Returns kube-apiserver's warning, if there were any.
// `when` follows "duplicate entries" in it.
std::vector<std::string> DropRepeatedOwners(runtime::JsonDocument& object, std::string_view when);

// Removes the members that Go's encoder omits (nulls and DropOmitted), and adds those that it
// always writes (ZeroJson).
void Normalise(const Resource& resource, runtime::JsonDocument& object);
void ApplyDefaults(const Resource& resource, runtime::JsonDocument& object);

// Return why Go could not decode the data of these kinds (Resource::find_type_error).
std::optional<std::string> FindConfigMapTypeError(const runtime::JsonValue& object);
std::optional<std::string> FindSecretTypeError(const runtime::JsonValue& object);

// Returns the name of the group in Go's internal types: "core" for "".
std::string InternalGroup(const Resource& resource);

}  // namespace capstan::testing::apiserver

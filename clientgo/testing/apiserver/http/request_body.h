// SPDX-License-Identifier: Apache-2.0
// The body of a request: JSON, or protobuf or YAML that becomes JSON. Mirrors
// k8s.io/apimachinery/pkg/runtime/serializer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Returns the Content-Type without parameters.
std::string_view MediaType(const httpserver::Request& request);
// Returns nullopt for a type that the resource does not support.
std::optional<PatchKind> PatchKindOf(std::string_view media_type, const Resource& resource);

// Replaces a body that is protobuf or YAML by JSON. Returns why it cannot; nullopt: the body is
// JSON now, or of a type that the resource does not support. `repeats` are the keys that a map of
// the YAML has twice, in Go's words.
std::optional<Status> DecodeBody(const Resource& resource, httpserver::Request& request,
                                 std::vector<std::string>& repeats);
// Returns why no object of the resource can be in a body of this type; nullopt: it can.
std::optional<Status> CheckMediaType(const Resource& resource, std::string_view type);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// The paths of the OpenAPI documents of both versions. An operation has what kubectl reads: its
// kind, its options, and the media types and schemas of its bodies.
#pragma once

#include "clientgo/testing/apiserver/http/openapi_schemas.h"

namespace capstan::testing::apiserver {

// Returns the start of the paths of a group and version: "apis/apps/v1".
std::string PathPrefix(const Resource& resource);

// Adds the paths of a resource and of its subresource status to the member "paths" of a document.
void AddPaths(const Resource& resource, OpenApiVersion version, Json& paths);

}  // namespace capstan::testing::apiserver

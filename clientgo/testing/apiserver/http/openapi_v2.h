// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document of version 2, which has all served kinds. Clients that need only a few kinds
// read version 3. Mirrors k8s.io/kube-openapi/pkg/handler and the protobuf of
// github.com/google/gnostic-models/openapiv2. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Returns the document as JSON.
std::string OpenApiV2(const std::vector<const Resource*>& resources);

// Returns the same document as the message openapi.v2.Document.
std::string OpenApiV2Protobuf(std::string_view document);

}  // namespace capstan::testing::apiserver

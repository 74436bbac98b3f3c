// SPDX-License-Identifier: Apache-2.0
// The OpenAPI documents of the served kinds: built-in ones from the table of api_types.h, and
// custom ones from their schemas. kubectl reads them for validation, patches and explain. Mirrors
// k8s.io/kube-openapi/pkg/{handler,handler3}. Differs: built-in kinds have no enums, and no
// descriptions except of their metadata. Of the subresources, only the status has paths. The URLs
// have no hash, and the answers no ETag. A media type that is not supported is answered with JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct OpenApiDocument {
  std::string media_type;
  std::string body;
};

// Returns the document of /openapi/v2, /openapi/v3, or /openapi/v3/<group version>, for example
// /openapi/v3/apis/apps/v1; nullopt for other paths. `accept` is the header Accept.
std::optional<OpenApiDocument> FindOpenApi(std::string_view path, std::string_view accept,
                                           const std::vector<const Resource*>& resources);

}  // namespace capstan::testing::apiserver

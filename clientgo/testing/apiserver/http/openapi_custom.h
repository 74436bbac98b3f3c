// SPDX-License-Identifier: Apache-2.0
// The schemas of custom kinds as kube-apiserver publishes them: what its structural schemas cannot
// hold is dropped, and apiVersion, kind and metadata are added. Version 2 loses more, because older
// readers do not understand it. Mirrors
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/{builder,v2}. Pure functions.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/http/openapi_schemas.h"

namespace capstan::testing::apiserver {

inline constexpr std::string_view kMetaSchemas = "io.k8s.apimachinery.pkg.apis.meta.v1.";

Json CustomSchema(const Resource& resource, OpenApiVersion version);
Json CustomListSchema(const Resource& resource, OpenApiVersion version);
Json ListMetaSchema();

}  // namespace capstan::testing::apiserver

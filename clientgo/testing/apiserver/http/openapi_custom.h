// SPDX-License-Identifier: Apache-2.0
// The schemas of custom kinds as kube-apiserver publishes them: what its structural schemas cannot
// hold is dropped, and apiVersion, kind and metadata are added. Version 2 loses more, because older
// readers do not understand it. Mirrors
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/{builder,v2}. Pure functions.
#pragma once

#include "clientgo/testing/apiserver/http/openapi_schemas.h"

namespace capstan::testing::apiserver {

Json CustomSchema(const Resource& resource, OpenApiVersion version);
Json CustomListSchema(const Resource& resource, OpenApiVersion version);

}  // namespace capstan::testing::apiserver

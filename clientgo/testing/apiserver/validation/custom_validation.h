// SPDX-License-Identifier: Apache-2.0
// Validation of custom resources that is not in their schemas: the fields of the subresource
// "scale", and embedded resources. Mirrors ValidateScaleSpec and ValidateScaleStatus of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource, and validation.go of
// pkg/apiserver/schema/objectmeta.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// `status_only`: the write is one of the subresource "status".
std::vector<Cause> ValidateScale(const Resource& resource, const runtime::JsonValue& object,
                                 bool status_only);
// `schema` is the schema of the object.
std::vector<Cause> ValidateEmbedded(const runtime::JsonValue& schema,
                                    const runtime::JsonValue& object);

}  // namespace capstan::testing::apiserver

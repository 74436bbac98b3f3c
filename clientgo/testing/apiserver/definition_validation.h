// SPDX-License-Identifier: Apache-2.0
// Validation of CustomResourceDefinitions, with the error texts of kube-apiserver: the names, and
// in schemas and printer columns the mistakes that authors make most. Mirrors a part of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation and of pkg/apiserver/schema.
// Not checked: CEL rules, whether a schema is structural, and the subresource scale.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/json_edit.h"
#include "clientgo/testing/apiserver/status.h"

namespace capstan::testing::apiserver {

// Returns why the spec or the name is invalid; empty: they are valid.
std::vector<Cause> ValidateDefinition(const runtime::JsonValue& definition);

}  // namespace capstan::testing::apiserver

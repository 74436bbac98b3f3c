// SPDX-License-Identifier: Apache-2.0
// Validation of CustomResourceDefinitions, with the error texts of kube-apiserver: the names, the
// conversion, and in schemas and printer columns the mistakes that authors make most. Mirrors a
// part of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation and of
// pkg/apiserver/schema. Not checked: CEL rules, whether a schema is structural, and the subresource
// scale.
#pragma once

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

void CheckDefinition(const Place& definition, FieldRules& rules);
// The rules of an update alone.
void CheckDefinitionUpdate(const Place& live, const Place& next, FieldRules& rules);

}  // namespace capstan::testing::apiserver

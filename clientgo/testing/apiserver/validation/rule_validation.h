// SPDX-License-Identifier: Apache-2.0
// Validation of the x-kubernetes-validations of a CustomResourceDefinition, with the error texts of
// kube-apiserver. Mirrors ValidateCustomResourceDefinitionOpenAPISchema of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation. Not checked: rules
// inside of allOf.
#pragma once

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// `schema` is a valid openAPIV3Schema.
void CheckValidationRules(const Place& schema, FieldRules& rules);

}  // namespace capstan::testing::apiserver

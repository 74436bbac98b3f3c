// SPDX-License-Identifier: Apache-2.0
// Validation of ClusterTrustBundles. Mirrors ValidateClusterTrustBundle in Kubernetes'
// pkg/apis/certificates/validation and the rules of their names in pkg/apis/core/validation.
#pragma once

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// The name must begin with that of the signer.
void CheckTrustBundle(const Place& object, FieldRules& rules);

}  // namespace capstan::testing::apiserver

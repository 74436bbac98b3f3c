// SPDX-License-Identifier: Apache-2.0
// Validation of ClusterTrustBundles. Mirrors ValidateClusterTrustBundle in Kubernetes'
// pkg/apis/certificates/validation and the rules of their names in pkg/apis/core/validation.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/json_edit.h"
#include "clientgo/testing/apiserver/status.h"

namespace capstan::testing::apiserver {

// Returns why the object is invalid; empty: valid. The name must begin with that of the signer.
std::vector<Cause> ValidateTrustBundle(const runtime::JsonValue& object);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// What an update may change in a Pod and in the template of a Job. Mirrors ValidatePodUpdate of
// k8s.io/kubernetes/pkg/apis/core/validation. Differs: the error lists the changed members of the
// spec as JSON, not as a diff of Go types, and the node affinity of a gated Pod cannot change.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Returns why `next` may not replace `live`, without the rules of ValidatePod.
std::vector<Cause> ValidatePodUpdate(const runtime::JsonValue& live,
                                     const runtime::JsonValue& next);

// Reports whether two PodSpecs are equal to a kube-apiserver. It sets the defaults of an omitted
// field, and this server does not.
bool SamePodSpec(const runtime::JsonValue& live, const runtime::JsonValue& next);

}  // namespace capstan::testing::apiserver

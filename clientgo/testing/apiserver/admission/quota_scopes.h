// SPDX-License-Identifier: Apache-2.0
// The scopes of a ResourceQuota: which Pods and PersistentVolumeClaims it counts. Mirrors the
// functions for scopes in k8s.io/kubernetes/pkg/quota/v1/evaluator/core.
#pragma once

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// Reports whether an object is in all scopes of a quota. Without scopes every object is.
bool IsInScopes(const runtime::JsonValue& quota, const Resource& resource,
                const runtime::JsonValue& object);

// Reports whether a Pod has a deadline, so that it is in the scope Terminating.
bool IsTerminating(const runtime::JsonValue& pod);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch, the patch of `kubectl edit` and `kubectl apply` for built-in kinds: lists
// are merged item by item where the field's patch strategy says so, and $-directives delete,
// replace and order. Mirrors k8s.io/apimachinery/pkg/util/strategicpatch.
#pragma once

#include <optional>

#include "capstan/testing/apiserver/internal/api_types.h"
#include "capstan/testing/apiserver/internal/json_edit.h"
#include "capstan/testing/apiserver/internal/status.h"

namespace capstan::testing::apiserver {

// Returns why kube-apiserver rejects the directives or the list items of a patch; nullopt: it does
// not. REQUIRES: both values are objects.
std::optional<Status> CheckStrategicMergePatch(const Message& message, const JsonValue& target,
                                               const JsonValue& patch);

// Changes `target`, an object of the type `message`, in place. REQUIRES: both values are objects.
void ApplyStrategicMergePatch(const Message& message, JsonValue& target, const JsonValue& patch,
                              JsonAllocator& allocator);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch, the patch of `kubectl edit` and `kubectl apply` for built-in kinds: lists
// are merged item by item where the field's patch strategy says so, and $-directives delete,
// replace and order. Mirrors k8s.io/apimachinery/pkg/util/strategicpatch.
#pragma once

#include "capstan/testing/apiserver/internal/api_types.h"
#include "capstan/testing/apiserver/internal/json_edit.h"

namespace capstan::testing::apiserver {

// Changes `target`, an object of the type `message`, in place. REQUIRES: both values are objects.
void ApplyStrategicMergePatch(const Message& message, JsonValue& target, const JsonValue& patch,
                              JsonAllocator& allocator);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch, the patch of `kubectl edit` and `kubectl apply` for built-in kinds: lists
// are merged item by item where the field's patch strategy says so, and $-directives delete,
// replace and order. Mirrors k8s.io/apimachinery/pkg/util/strategicpatch. Differs: of a patch that
// both changes a list and deletes items from it (`$deleteFromPrimitiveList/<list>`), the deletion
// comes first. Go's order is random.
#pragma once

#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Changes `target`, an object of the type `message`, in place. After an error it is invalid.
// REQUIRES: both values are objects.
Result<void> ApplyStrategicMergePatch(const runtime::Message& message, runtime::JsonValue& target,
                                      const runtime::JsonValue& patch, JsonAllocator& allocator);

}  // namespace capstan::testing::apiserver

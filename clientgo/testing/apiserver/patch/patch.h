// SPDX-License-Identifier: Apache-2.0
// JSON patch (RFC 6902) and JSON merge patch (RFC 7386). They change `target` in place. After an
// error it is invalid.
#pragma once

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

Result<void> ApplyJsonPatch(runtime::JsonDocument& target, const runtime::JsonValue& operations);
// null removes a member. A value that is not an object replaces it.
void ApplyMergePatch(runtime::JsonValue& target, const runtime::JsonValue& patch,
                     JsonAllocator& allocator);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// The ways in which a patch changes a document: JSON patch (RFC 6902), JSON merge patch (RFC 7386),
// strategic merge patch, and the merge half of server-side apply. Pure functions; `target` is
// changed in place, and must be thrown away when they fail.
#pragma once

#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

Result<void> ApplyJsonPatch(JsonDocument& target, const JsonValue& operations);
// null removes; anything that is not an object replaces.
void ApplyMergePatch(JsonValue& target, const JsonValue& patch, JsonAllocator& allocator);
// As a merge patch, but lists with a key are merged item by item; {"$patch":"delete"} removes one.
void ApplyStrategicMergePatch(JsonValue& target, const JsonValue& patch, JsonAllocator& allocator);
// Sets what `configuration` has, leaves what it has not.
void MergeApplied(JsonValue& target, const JsonValue& configuration, JsonAllocator& allocator);

}  // namespace apiserver

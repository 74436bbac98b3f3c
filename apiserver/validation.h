// SPDX-License-Identifier: Apache-2.0
// What the real API server does to an object between decoding and the storage: defaults, and
// validation of the object and of its change. As much of it as clients here can run into. Pure
// functions on documents.
#pragma once

#include <vector>

#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

void ApplyDefaults(const Resource& resource, JsonDocument& object);
// What the server gives to a new object on its own account: no field manager owns that.
void PrepareForCreate(const Resource& resource, JsonDocument& object);
// The causes for which an object is refused; empty: it is valid.
std::vector<Cause> Validate(const Resource& resource, const JsonValue& object);
// The causes for which `next` may not take the place of `live`.
std::vector<Cause> ValidateUpdate(const Resource& resource, const JsonValue& live,
                                  const JsonValue& next);

}  // namespace apiserver

// SPDX-License-Identifier: Apache-2.0
// Members of one object with the same name. API servers never send them, so the Decoder does not
// look for them. Texts that people write may have them.
#pragma once

#include "capstan/export.h"
#include "capstan/runtime/json_value.h"

namespace capstan::runtime {

// Keeps the last of the members with the same name, at any depth, as Go's decoder does. Not
// recursive.
CAPSTAN_EXPORT_INTERNAL void KeepLastMembers(JsonValue& root);

}  // namespace capstan::runtime

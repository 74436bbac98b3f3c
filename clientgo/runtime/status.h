// SPDX-License-Identifier: Apache-2.0
// From a parsed metav1.Status to an Error. Internal to the decoders; callers have DecodeStatus.
#pragma once

#include "clientgo/runtime/json.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

// `http_code` 0: the Status came inside a 200 stream, and its own code counts.
util::Error ErrorFromStatus(int http_code, const JsonValue& status);

}  // namespace clientgo::runtime

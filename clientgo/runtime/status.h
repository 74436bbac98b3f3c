// SPDX-License-Identifier: Apache-2.0
// From a parsed metav1.Status to an Error, whose message is an Excerpt.
// Internal to the decoders; callers have DecodeStatus.
#pragma once

#include <string_view>

#include "clientgo/runtime/json_value.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

// What a server or an object says in our messages: at most 2048 bytes of it, not ending inside a
// UTF-8 sequence, without the white space around.
std::string_view Excerpt(std::string_view text);

// `http_code` 0: the Status came inside a 200 stream, and its own code counts.
util::Error ErrorFromStatus(int http_code, const JsonValue& status);

}  // namespace clientgo::runtime

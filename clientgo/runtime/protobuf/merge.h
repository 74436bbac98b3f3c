// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "clientgo/runtime/protobuf/api_types.h"

namespace capstan::runtime {

// Returns the JSON object `json` of a message, in which names may occur several times because the
// fields did in protobuf, merged as Go's decoder merges them: lists are joined, messages are
// merged, of everything else the last one counts. If `in_event`, the message is that of the member
// "object". Pure function.
std::string MergeRepeats(std::string_view json, const Message& message, bool in_event);

}  // namespace capstan::runtime

// SPDX-License-Identifier: Apache-2.0
// EventRecord: an Event on its way to the server, and how its name, its message and its patch are
// made. Plain data and pure functions. Mirrors makeEvent of k8s.io/client-go/tools/record.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "clientgo/api/event.h"
#include "clientgo/runtime/object.h"
#include "clientgo/util/clock.h"

namespace clientgo::record {

struct EventRecord {
  std::string name = {};
  api::EventFields fields = {};

  // It lives with its object, or in "default".
  runtime::ObjectKey Key() const;
};

// A message that is longer is cut.
inline constexpr std::size_t kMessageBytesMax = 1024;

// "<object>.<hex unix nanoseconds>". An object whose name makes no valid name for an Event (too
// long, or characters that only some kinds may have) gives "event.<hex unix nanoseconds>".
std::string EventName(std::string_view object_name, util::Clock::WallTime time);
// At most `bytes_max` of `text`, not ending inside a UTF-8 character.
std::string_view Truncate(std::string_view text, std::size_t bytes_max);
// The body of a merge patch that tells one more occurrence.
std::string ToPatch(const EventRecord& event);

}  // namespace clientgo::record

// SPDX-License-Identifier: Apache-2.0
// ZoneOffset is the offset of a named time zone at a point in time. Mirrors Go's
// time.LoadLocation and its reader of TZif files (RFC 8536) in /usr/share/zoneinfo, with the rule
// in a file's footer for times after its last transition. Differs: "Local" is UTC, as in a
// container. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::cel {

// Returns the seconds to the east of UTC at a time in seconds since 1970; nullopt: there is no such
// zone.
std::optional<std::int64_t> ZoneOffset(const std::string& name, std::int64_t time);

// Returns the offset by the rule of a footer, such as "EST5EDT,M3.2.0,M11.1.0"; nullopt: the rule
// is wrong.
std::optional<std::int64_t> OffsetOfRule(std::string_view rule, std::int64_t time);

}  // namespace capstan::cel

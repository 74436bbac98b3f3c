// SPDX-License-Identifier: Apache-2.0
// Arithmetic and texts of timestamps and durations. Mirrors cel-go's common/types/timestamp.go,
// duration.go and overflow.go, and the texts of Go's package time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/cel/value.h"

namespace capstan::cel {

// The results are errors outside the range of their type.
Value Add(Duration a, Duration b);
Value Subtract(Duration a, Duration b);
Value Add(Timestamp a, Duration b);
Value Subtract(Timestamp a, Duration b);
Value Subtract(Timestamp a, Timestamp b);

// Reports whether the time is between the years 1 and 9999.
bool IsInRange(Timestamp time);

// Reads RFC 3339 as Go does. Returns nullopt if the text is no time.
std::optional<Timestamp> ParseTimestamp(std::string_view text);
// Reads a date as 2026-01-02.
std::optional<Timestamp> ParseDate(std::string_view text);
// Reports whether OpenAPI's format date-time accepts the text.
bool IsDateTime(std::string_view text);
// Reads a duration as OpenAPI's format does: 1h, 2 days, 3 weeks.
std::optional<Duration> ParseFormatDuration(const std::string& text);
// Returns RFC 3339 in the zone of the time, with as many digits as there are:
// 2026-01-02T03:04:05.5Z.
std::string TimestampText(Timestamp time);
// Returns seconds as a double: 90s, 0.5s.
std::string DurationText(Duration duration);

// CivilTime is a time in a time zone.
struct CivilTime {
  std::int64_t year = 0;
  int month = 0;        // from 1
  int day = 0;          // from 1
  int day_of_year = 0;  // from 1
  int day_of_week = 0;  // from 0, a Sunday
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
};
CivilTime ToCivil(Timestamp time);

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
// The times and durations of Kubernetes objects, and their texts. They are std::chrono types, so
// that arithmetic and comparisons are those of the standard library. All times are UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan {

// Time is a metav1.Time, with whole seconds: "2026-01-02T03:04:05Z".
using Time = std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>;
// MicroTime is a metav1.MicroTime: "2026-01-02T03:04:05.000006Z".
using MicroTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;
// Duration is a metav1.Duration: "1m30s".
using Duration = std::chrono::nanoseconds;

// Returns a time of the clock without its fraction of a second, as metav1.Now does.
inline Time ToTime(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}
inline MicroTime ToMicroTime(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::microseconds>(time);
}

// Returns the text of a time in JSON. A time outside of the years 0 to 9999 becomes their first or
// last second.
CAPSTAN_EXPORT std::string FormatTime(Time time);
CAPSTAN_EXPORT std::string FormatTime(MicroTime time);

// Parses RFC 3339 as Go's time.Parse: with any number of fraction digits after a point or a comma,
// any offset, and an hour of one or two digits. Digits beyond microseconds are dropped. Returns
// nullopt for other text, and for times whose year in UTC is not 0 to 9999.
CAPSTAN_EXPORT std::optional<MicroTime> ParseTime(std::string_view text);

// Like ParseTime of any year, but returns the nearest time that the clock can represent (1677 to
// 2262): year 9999 is "never".
CAPSTAN_EXPORT std::optional<std::chrono::system_clock::time_point> ParseNearestTime(
    std::string_view text);

// Returns whether the text is RFC 3339 of Go's zero time, 0001-01-01T00:00:00Z in any offset, which
// stands for no time.
CAPSTAN_EXPORT bool IsZeroTime(std::string_view text);

// Parses like Go's time.ParseDuration: "1m30s", "100ms", "1.5h", "0".
CAPSTAN_EXPORT std::optional<Duration> ParseDuration(std::string_view text);
// Formats like Go's Duration.String: "1m30s", "100ms", "0s".
CAPSTAN_EXPORT std::string FormatDuration(Duration duration);

}  // namespace capstan

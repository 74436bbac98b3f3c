// SPDX-License-Identifier: Apache-2.0
// The text formats of times and durations in Kubernetes. Times are UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::clientgo::util {

// Returns metav1.Time's format: "2026-01-02T03:04:05Z".
CAPSTAN_EXPORT std::string FormatTime(std::chrono::system_clock::time_point time);
// Returns metav1.MicroTime's format: "2026-01-02T03:04:05.000006Z".
CAPSTAN_EXPORT std::string FormatMicroTime(std::chrono::system_clock::time_point time);
// Parses RFC 3339 as Go's time.Parse: with any number of fraction digits after a point or a comma,
// any offset, and an hour of one or two digits. Returns nullopt for other text, and for times
// before 1677 or after 2262, which the clock cannot represent.
CAPSTAN_EXPORT std::optional<std::chrono::system_clock::time_point> ParseTime(
    std::string_view text);

// Like ParseTime, but returns the nearest time that the clock can represent: year 9999 is "never".
CAPSTAN_EXPORT std::optional<std::chrono::system_clock::time_point> ParseNearestTime(
    std::string_view text);

// Returns whether the text is RFC 3339 of Go's zero time, 0001-01-01T00:00:00Z in any offset, which
// stands for no time.
CAPSTAN_EXPORT bool IsZeroTime(std::string_view text);

// Parses like Go's time.ParseDuration: "1m30s", "100ms", "1.5h", "0".
CAPSTAN_EXPORT std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text);
// Formats like Go's Duration.String: "1m30s", "100ms", "0s".
CAPSTAN_EXPORT std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace capstan::clientgo::util

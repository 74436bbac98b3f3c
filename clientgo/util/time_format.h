// SPDX-License-Identifier: Apache-2.0
// The three textual forms of time that Kubernetes uses. Pure functions; UTC only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace clientgo::util {

// metav1.Time: "2026-01-02T03:04:05Z". metav1.MicroTime: "2026-01-02T03:04:05.000006Z".
std::string FormatTime(std::chrono::system_clock::time_point time);
std::string FormatMicroTime(std::chrono::system_clock::time_point time);
// RFC 3339 with any number of fraction digits and any offset; nullopt when it is not, or is
// before 1677 or after 2262, which the clock cannot hold.
std::optional<std::chrono::system_clock::time_point> ParseTime(std::string_view text);

// Go's time.ParseDuration: "1m30s", "100ms", "1.5h", "0". nullopt when it is not.
std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text);
// Go's Duration.String: "1m30s", "100ms", "0s".
std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace clientgo::util

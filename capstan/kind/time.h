// SPDX-License-Identifier: Apache-2.0
// The times of Kubernetes objects. They are std::chrono types, so that arithmetic and comparisons
// are those of the standard library. All times are UTC.
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

// Returns the text of a time in JSON. Years are 0 to 9999.
CAPSTAN_EXPORT std::string FormatTime(Time time);
CAPSTAN_EXPORT std::string FormatTime(MicroTime time);
// Parses RFC 3339 with any number of fraction digits and any offset. Digits beyond microseconds are
// dropped. Returns nullopt for other text.
CAPSTAN_EXPORT std::optional<MicroTime> ParseTime(std::string_view text);

// Returns a time of the clock without its fraction of a second, as metav1.Now does.
inline Time ToTime(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}
inline MicroTime ToMicroTime(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::microseconds>(time);
}

}  // namespace capstan

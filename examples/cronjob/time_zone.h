// SPDX-License-Identifier: Apache-2.0
// LoadTimeZone finds a time zone of the IANA database by its name. It reads the files of the
// package tzdata in /usr/share/zoneinfo, or in the folder of the environment variable TZDIR.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "capstan/error.h"
#include "capstan/time.h"

// The names of the database have at most 36 characters.
inline constexpr std::size_t kTimeZoneNameMax = 64;

// Returns the time zone, such as "Europe/Paris". Fails with kInvalid for an unknown name, for
// "Local", and for a name that is a path. Thread-safe.
capstan::Expected<absl::TimeZone> LoadTimeZone(std::string_view name);

// Returns the text of a time in RFC 3339 with the offset of the zone: "2026-01-02T04:04:05+01:00".
std::string FormatTimeIn(const absl::TimeZone& zone, capstan::Time time);

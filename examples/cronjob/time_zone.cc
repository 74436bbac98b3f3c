// SPDX-License-Identifier: Apache-2.0
#include "cronjob/time_zone.h"

#include <algorithm>

namespace {

using capstan::Err;
using capstan::ErrorReason;

// A part of a name between slashes. Kubernetes accepts the same characters.
bool IsNamePart(std::string_view part) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '+';
  };
  return !part.empty() && part.size() <= 14 && part != "." && part != ".." && part[0] != '-' &&
         std::all_of(part.begin(), part.end(), allowed);
}

bool IsName(std::string_view name) {
  if (name.size() > kTimeZoneNameMax) return false;
  for (;;) {
    const std::size_t slash = name.find('/');
    if (!IsNamePart(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

// "Local" and "localtime" are the zone of this machine, and not names of the database.
bool IsLocal(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower == "local" || lower == "localtime";
}

}  // namespace

capstan::Expected<absl::TimeZone> LoadTimeZone(std::string_view name) {
  absl::TimeZone zone;
  if (!IsName(name) || IsLocal(name) ||
      !absl::LoadTimeZone(absl::string_view(name.data(), name.size()), &zone)) {
    return Err(ErrorReason::kInvalid, "unknown time zone \"" + std::string(name) +
                                          "\"; use a name of the IANA database, such as "
                                          "Europe/Paris");
  }
  return zone;
}

std::string FormatTimeIn(const absl::TimeZone& zone, capstan::Time time) {
  const absl::Time at = absl::FromUnixSeconds(time.time_since_epoch().count());
  if (zone.At(at).offset == 0) return capstan::FormatTime(time);
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%S%Ez", at, zone);
}

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/expiry.h"

#include <chrono>
#include <cstdio>

namespace controllers::cainjector {

std::string ExpiryText(CertificateTime time) {
  if (time == CertificateTime::max()) return "never";
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  const int size = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace controllers::cainjector

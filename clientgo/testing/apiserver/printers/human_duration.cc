// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/human_duration.h"

#include <algorithm>
#include <cstdint>

#include "capstan/clock.h"

namespace capstan::testing::apiserver {
namespace {

// Returns "<whole><unit>", and a rest that is not 0 with its own unit.
std::string Units(std::int64_t whole, const char* unit, std::int64_t rest, const char* rest_unit) {
  std::string text = std::to_string(whole) + unit;
  return rest == 0 ? text : text + std::to_string(rest) + rest_unit;
}

}  // namespace

std::string HumanDuration(std::chrono::nanoseconds duration) {
  constexpr std::int64_t kDay = 24;
  constexpr std::int64_t kYear = 365;
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return Units(seconds, "s", 0, "");
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return Units(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return Units(minutes, "m", 0, "");
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return Units(hours, "h", minutes % 60, "m");
  if (hours < 2 * kDay) return Units(hours, "h", 0, "");
  const std::int64_t days = hours / kDay;
  if (days < 8) return Units(days, "d", hours % kDay, "h");
  if (days < 2 * kYear) return Units(days, "d", 0, "");
  if (days < 8 * kYear) return Units(days / kYear, "y", days % kYear, "d");
  return Units(days / kYear, "y", 0, "");
}

std::string HumanDuration(MicroTime from, MicroTime to) {
  using std::chrono::microseconds;
  using std::chrono::nanoseconds;
  // 10,000 years fit into microseconds, but not into nanoseconds.
  constexpr auto kMin = std::chrono::ceil<microseconds>(nanoseconds::min());
  constexpr auto kMax = std::chrono::floor<microseconds>(nanoseconds::max());
  return HumanDuration(nanoseconds(std::clamp<microseconds>(to - from, kMin, kMax)));
}

std::string AgeText(std::string_view time) {
  if (time.empty() || IsZeroTime(time)) return "<unknown>";
  const auto parsed = ParseTime(time);
  if (!parsed) return "<invalid>";
  return HumanDuration(*parsed, ToMicroTime(Clock::Real().WallNow()));
}

}  // namespace capstan::testing::apiserver

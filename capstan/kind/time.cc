// SPDX-License-Identifier: Apache-2.0
#include "capstan/kind/time.h"

#include <algorithm>
#include <cstdint>

#include "capstan/clientgo/util/time_format.h"

namespace capstan {
namespace {

// The Gregorian calendar repeats after 400 years. The formats of clientgo/util use the clock's
// nanoseconds, which represent the years 1678 to 2261 only. So a time is moved to these years.
constexpr std::int64_t kCycleSeconds = std::int64_t{146097} * 24 * 3600;
constexpr int kCycleYears = 400;
constexpr int kFirstYear = 1800;

constexpr std::int64_t kFirstSecond =
    std::chrono::sys_seconds(std::chrono::sys_days(std::chrono::year(kFirstYear) / 1 / 1))
        .time_since_epoch()
        .count();

constexpr std::chrono::sys_days kYear0 = std::chrono::year(0) / 1 / 1;
constexpr std::chrono::sys_days kYear10000 = std::chrono::year(10000) / 1 / 1;

struct Moved {
  std::chrono::system_clock::time_point time;
  int cycles;
};

Moved Move(std::int64_t seconds) {
  std::int64_t cycles = (seconds - kFirstSecond) / kCycleSeconds;
  if (seconds - cycles * kCycleSeconds < kFirstSecond) --cycles;
  return {.time = std::chrono::system_clock::time_point(
              std::chrono::seconds(seconds - cycles * kCycleSeconds)),
          .cycles = static_cast<int>(cycles)};
}

// Returns `text` with its year, the first four digits, moved by cycles of 400 years. Years are 0 to
// 9999 in RFC 3339; others become one of these two.
std::string WithYear(std::string text, int cycles) {
  const int year = std::clamp(std::stoi(text.substr(0, 4)) + cycles * kCycleYears, 0, 9999);
  const std::string digits = std::to_string(year);
  return text.replace(0, 4, std::string(4 - digits.size(), '0') + digits);
}

}  // namespace

std::string FormatTime(Time time) {
  const Moved moved = Move(time.time_since_epoch().count());
  return WithYear(clientgo::util::FormatTime(moved.time), moved.cycles);
}

std::string FormatTime(MicroTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const Moved moved = Move(seconds.time_since_epoch().count());
  return WithYear(clientgo::util::FormatMicroTime(moved.time + (time - seconds)), moved.cycles);
}

std::optional<MicroTime> ParseTime(std::string_view text) {
  int year = 0;
  if (text.size() < 5) return std::nullopt;
  for (const char digit : text.substr(0, 4)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    year = year * 10 + (digit - '0');
  }
  const int cycles =
      (year - kFirstYear) / kCycleYears - ((year - kFirstYear) % kCycleYears < 0 ? 1 : 0);
  const auto moved = clientgo::util::ParseTime(WithYear(std::string(text), -cycles));
  if (!moved) return std::nullopt;
  const MicroTime time = std::chrono::floor<std::chrono::microseconds>(*moved) +
                         std::chrono::seconds(cycles * kCycleSeconds);
  // An offset may move a time out of these years.
  if (time < kYear0 || time >= kYear10000) return std::nullopt;
  return time;
}

}  // namespace capstan

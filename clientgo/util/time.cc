// SPDX-License-Identifier: Apache-2.0
#include "capstan/time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace capstan {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::system_clock;

// The clock counts nanoseconds. Between these seconds (1677 to 2262) it can represent every
// fraction.
constexpr Time kFirstSecond =
    std::chrono::ceil<std::chrono::seconds>(system_clock::time_point::min());
constexpr Time kLastSecond =
    std::chrono::floor<std::chrono::seconds>(system_clock::time_point::max());

constexpr Time kYear0 = std::chrono::sys_days(std::chrono::year(0) / 1 / 1);
constexpr Time kYear1 = std::chrono::sys_days(std::chrono::year(1) / 1 / 1);
constexpr Time kYear10000 = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1);

// Returns the text of a time without Z. RFC 3339 has the years 0 to 9999: a time before or after
// them becomes their first or last second. std::chrono::year would wrap after 32767.
std::string FormatSeconds(Time time) {
  time = std::clamp(time, kYear0, kYear10000 - std::chrono::seconds(1));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

// Reads exactly `digits` decimal digits at `pos`. Returns -1 when they are missing.
int ReadDigits(std::string_view text, std::size_t pos, std::size_t digits) {
  if (pos + digits > text.size()) return -1;
  int value = 0;
  for (std::size_t i = pos; i < pos + digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool IsAt(std::string_view text, std::size_t pos, char wanted) {
  return pos < text.size() && text[pos] == wanted;
}

// Like Go, it accepts offsets of 24 hours and 60 minutes.
std::optional<std::chrono::minutes> ParseOffset(std::string_view text) {
  if (text == "Z") return std::chrono::minutes(0);
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return {};
  const int hours = ReadDigits(text, 1, 2);
  const int minutes = ReadDigits(text, 4, 2);
  if (hours < 0 || hours > 24 || minutes < 0 || minutes > 60) return {};
  const std::chrono::minutes offset(hours * 60 + minutes);
  return text[0] == '-' ? -offset : offset;
}

struct Unit {
  std::string_view name;
  std::uint64_t nanos;
};
// "ms" comes before "m", so that the longer name is found first. Micro has two signs.
constexpr std::array kUnits = {Unit{"ns", 1},
                               Unit{"us", 1'000},
                               Unit{"\u00b5s", 1'000},
                               Unit{"\u03bcs", 1'000},
                               Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"m", 60'000'000'000},
                               Unit{"h", 3'600'000'000'000}};
// The limit of a duration: -2^63 ns is valid, 2^63 ns is not.
constexpr std::uint64_t kNanosMax = std::uint64_t{1} << 63U;

// Removes and parses one "<number><unit>" at the start of `text`. Like Go it uses integers, because
// a double cannot represent every nanosecond of a year.
std::optional<std::uint64_t> TakeTerm(std::string_view& text) {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  double scale = 1;
  bool digits = false;
  bool point = false;
  bool full = false;  // further digits of the fraction are ignored
  std::size_t pos = 0;
  for (; pos < text.size(); ++pos) {
    const char c = text[pos];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    digits = true;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (!point) {
      if (whole > (kNanosMax - digit) / 10) return {};
      whole = whole * 10 + digit;
    } else if (full || fraction > (kNanosMax - digit) / 10) {
      full = true;
    } else {
      fraction = fraction * 10 + digit;
      scale *= 10;
    }
  }
  if (!digits) return {};
  text.remove_prefix(pos);
  for (const Unit& unit : kUnits) {
    if (text.substr(0, unit.name.size()) != unit.name) continue;
    text.remove_prefix(unit.name.size());
    if (whole > kNanosMax / unit.nanos) return {};
    return whole * unit.nanos +
           static_cast<std::uint64_t>(static_cast<double>(fraction) *
                                      (static_cast<double>(unit.nanos) / scale));
  }
  return {};
}

// Returns "1.5" for the value 1500 with the unit 1000, without trailing zeros.
std::string FormatFraction(std::uint64_t value, std::uint64_t unit) {
  std::string text = std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  while (rest != 0) {
    unit /= 10;
    text += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  return text;
}

}  // namespace

std::string FormatTime(Time time) { return FormatSeconds(time) + "Z"; }

std::string FormatTime(MicroTime time) {
  const Time seconds = std::chrono::floor<std::chrono::seconds>(time);
  std::array<char, 32> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ",
                static_cast<int>((time - seconds).count()));
  return FormatSeconds(seconds) + fraction.data();
}

namespace {

struct Instant {
  Time seconds;
  nanoseconds fraction;
};

std::optional<Instant> Parse(std::string_view text) {
  // Go accepts an hour of one digit.
  const std::size_t hour_digits = IsAt(text, 12, ':') ? 1 : 2;
  const std::size_t rest = 11 + hour_digits;
  const int year = ReadDigits(text, 0, 4);
  const int month = ReadDigits(text, 5, 2);
  const int day = ReadDigits(text, 8, 2);
  const int hour = ReadDigits(text, 11, hour_digits);
  const int minute = ReadDigits(text, rest + 1, 2);
  const int second = ReadDigits(text, rest + 4, 2);
  const bool separators = IsAt(text, 4, '-') && IsAt(text, 7, '-') && IsAt(text, 10, 'T') &&
                          IsAt(text, rest, ':') && IsAt(text, rest + 3, ':');
  if (!separators || year < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
      second > 59) {
    return {};
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (month < 0 || day < 0 || !date.ok()) return {};

  std::size_t pos = rest + 6;
  nanoseconds fraction{0};
  if (IsAt(text, pos, '.') || IsAt(text, pos, ',')) {
    std::int64_t unit = 100'000'000;
    const std::size_t first = ++pos;
    for (; pos < text.size() && text[pos] >= '0' && text[pos] <= '9'; ++pos, unit /= 10) {
      fraction += nanoseconds((text[pos] - '0') * unit);
    }
    if (pos == first) return {};
  }
  const auto offset = ParseOffset(text.substr(pos));
  if (!offset) return {};
  const Time seconds = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                       std::chrono::minutes(minute) + std::chrono::seconds(second) - *offset;
  return Instant{seconds, fraction};
}

}  // namespace

std::optional<MicroTime> ParseTime(std::string_view text) {
  const auto instant = Parse(text);
  if (!instant || instant->seconds < kYear0 || instant->seconds >= kYear10000) return {};
  return instant->seconds + duration_cast<microseconds>(instant->fraction);
}

std::optional<system_clock::time_point> ParseNearestTime(std::string_view text) {
  const auto instant = Parse(text);
  if (!instant) return {};
  if (instant->seconds < kFirstSecond) return system_clock::time_point::min();
  if (instant->seconds >= kLastSecond) return system_clock::time_point::max();
  return instant->seconds + duration_cast<system_clock::duration>(instant->fraction);
}

bool IsZeroTime(std::string_view text) {
  const auto instant = Parse(text);
  return instant && instant->seconds == kYear1 && instant->fraction == nanoseconds(0);
}

std::optional<Duration> ParseDuration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return nanoseconds(0);
  if (text.empty()) return {};
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto term = TakeTerm(text);
    if (!term || *term > kNanosMax - total) return {};
    total += *term;
  }
  if (negative) return nanoseconds(static_cast<std::int64_t>(0 - total));
  if (total == kNanosMax) return {};
  return nanoseconds(static_cast<std::int64_t>(total));
}

std::string FormatDuration(Duration duration) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const bool negative = duration.count() < 0;
  const auto count = static_cast<std::uint64_t>(duration.count());
  const std::uint64_t nanos = negative ? 0 - count : count;
  const std::string sign = negative ? "-" : "";
  if (nanos == 0) return "0s";
  if (nanos < 1'000) return sign + std::to_string(nanos) + "ns";
  if (nanos < 1'000'000) return sign + FormatFraction(nanos, 1'000) + "\u00b5s";
  if (nanos < kSecond) return sign + FormatFraction(nanos, 1'000'000) + "ms";
  std::string text = sign;
  const std::uint64_t minutes = nanos / (60 * kSecond);
  if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
  if (minutes >= 1) text += std::to_string(minutes % 60) + "m";
  return text + FormatFraction(nanos % (60 * kSecond), kSecond) + "s";
}

}  // namespace capstan

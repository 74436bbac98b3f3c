// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/timestamps.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "capstan/text.h"
#include "clientgo/cel/number_text.h"

namespace capstan::cel {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kSecondsMin = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kSecondsMax = 253'402'300'799;  // 9999-12-31T23:59:59Z

Value DurationOrOverflow(bool overflow, std::int64_t nanos) {
  return overflow ? Value::Failure("integer overflow") : Value::Of(Duration{nanos});
}

// Returns time + nanos, in which the nanoseconds are at least 0.
Value Shift(Timestamp time, std::int64_t seconds, std::int64_t nanos) {
  std::int64_t total = time.nanos + nanos;
  Timestamp shifted{.offset = time.offset};
  if (__builtin_add_overflow(time.seconds, seconds, &shifted.seconds)) {
    return Value::Failure("timestamp overflow");
  }
  while (total < 0) {
    total += kNanosPerSecond;
    --shifted.seconds;
  }
  while (total >= kNanosPerSecond) {
    total -= kNanosPerSecond;
    ++shifted.seconds;
  }
  shifted.nanos = static_cast<std::int32_t>(total);
  return IsInRange(shifted) ? Value::Of(shifted) : Value::Failure("timestamp overflow");
}

// Reads `digits` digits at the start of the text and removes them.
std::optional<int> TakeNumber(std::string_view& text, std::size_t digits) {
  int number = 0;
  if (text.size() < digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || end != text.data() + digits || !IsAsciiDigit(text[0])) {
    return std::nullopt;
  }
  text.remove_prefix(digits);
  return number;
}

bool TakeChar(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Returns the day since 1970, and removes it from the text.
std::optional<std::int64_t> TakeDate(std::string_view& text) {
  const auto year = TakeNumber(text, 4);
  if (!year || !TakeChar(text, "-")) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month || !TakeChar(text, "-")) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Returns the nanoseconds of ".123", and removes them. Go ignores digits behind the ninth.
std::int32_t TakeFraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !IsAsciiDigit(text[1])) return 0;
  text.remove_prefix(1);
  std::int32_t nanos = 0;
  auto unit = static_cast<std::int32_t>(kNanosPerSecond / 10);
  while (!text.empty() && IsAsciiDigit(text[0])) {
    nanos += unit * (text[0] - '0');
    unit /= 10;
    text.remove_prefix(1);
  }
  return nanos;
}

// Returns the offset of a zone in seconds: Z, +01:00.
std::optional<std::int64_t> TakeZone(std::string_view& text) {
  if (TakeChar(text, "Z")) return 0;
  const bool west = text.starts_with('-');
  if (!TakeChar(text, "+-")) return std::nullopt;
  const auto hours = TakeNumber(text, 2);
  if (!hours || !TakeChar(text, ":")) return std::nullopt;
  const auto minutes = TakeNumber(text, 2);
  if (!minutes || *hours > 24 || *minutes > 60) return std::nullopt;
  const std::int64_t offset = (std::int64_t{*hours} * 60 + *minutes) * 60;
  return west ? -offset : offset;
}

// Returns ".5" for the nanoseconds, without zeros at the end.
std::string FractionText(std::int64_t nanos) {
  if (nanos == 0) return {};
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), ".%09lld", static_cast<long long>(nanos));
  std::string fraction(text.data());
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return fraction;
}

// Returns "Z", or "+01:00".
std::string ZoneText(std::int32_t offset) {
  if (offset == 0) return "Z";
  const int minutes = std::abs(offset) / 60;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60,
                minutes % 60);
  return text.data();
}

}  // namespace

Value Add(Duration a, Duration b) {
  std::int64_t nanos = 0;
  if (!__builtin_add_overflow(a.nanos, b.nanos, &nanos)) return Value::Of(Duration{nanos});
  return Value::Failure("integer overflow");
}

Value Subtract(Duration a, Duration b) {
  std::int64_t nanos = 0;
  if (!__builtin_sub_overflow(a.nanos, b.nanos, &nanos)) return Value::Of(Duration{nanos});
  return Value::Failure("integer overflow");
}

Value Add(Timestamp a, Duration b) {
  return Shift(a, b.nanos / kNanosPerSecond, b.nanos % kNanosPerSecond);
}

Value Subtract(Timestamp a, Duration b) {
  return Shift(a, -(b.nanos / kNanosPerSecond), -(b.nanos % kNanosPerSecond));
}

Value Subtract(Timestamp a, Timestamp b) {
  std::int64_t nanos = 0;
  const bool overflow =
      __builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, static_cast<std::int64_t>(a.nanos) - b.nanos, &nanos);
  return DurationOrOverflow(overflow, nanos);
}

bool IsInRange(Timestamp time) {
  return time.seconds >= kSecondsMin && time.seconds <= kSecondsMax;
}

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  const auto day = TakeDate(text);
  if (!day || !TakeChar(text, "T")) return std::nullopt;
  // Like Go's time.Parse, which takes an hour of one digit.
  const auto hour = TakeNumber(text, text.find(':') == 1 ? 1 : 2);
  if (!hour || !TakeChar(text, ":")) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute || !TakeChar(text, ":")) return std::nullopt;
  const auto second = TakeNumber(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::int32_t nanos = TakeFraction(text);
  const auto offset = TakeZone(text);
  if (!offset || !text.empty()) return std::nullopt;
  return Timestamp{.seconds = *day * kSecondsPerDay + (std::int64_t{*hour} * 60 + *minute) * 60 +
                              *second - *offset,
                   .nanos = nanos,
                   .offset = static_cast<std::int32_t>(*offset)};
}

std::optional<Timestamp> ParseDate(std::string_view text) {
  const auto day = TakeDate(text);
  if (!day || !text.empty()) return std::nullopt;
  return Timestamp{.seconds = *day * kSecondsPerDay};
}

std::string TimestampText(Timestamp time) {
  const CivilTime civil = ToCivil({.seconds = time.seconds + time.offset, .nanos = time.nanos});
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d",
                static_cast<int>(civil.year), civil.month, civil.day, civil.hour, civil.minute,
                civil.second);
  return std::string(text.data()) + FractionText(time.nanos) + ZoneText(time.offset);
}

std::string DurationText(Duration duration) {
  const std::int64_t seconds = duration.nanos / kNanosPerSecond;
  const auto whole = static_cast<double>(seconds);
  const auto rest = static_cast<double>(duration.nanos % kNanosPerSecond);
  return FixedText(whole + rest / static_cast<double>(kNanosPerSecond)) + "s";
}

CivilTime ToCivil(Timestamp time) {
  const std::chrono::sys_seconds point{std::chrono::seconds(time.seconds)};
  const auto days = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(days);
  const std::chrono::sys_days first(date.year() / std::chrono::January / 1);
  const auto in_day = (point - days).count();
  constexpr int kNanosPerMilli = 1'000'000;
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .day = static_cast<int>(static_cast<unsigned>(date.day())),
          .day_of_year = static_cast<int>((days - first).count()) + 1,
          .day_of_week = static_cast<int>(std::chrono::weekday(days).c_encoding()),
          .hour = static_cast<int>(in_day / 3600),
          .minute = static_cast<int>(in_day / 60 % 60),
          .second = static_cast<int>(in_day % 60),
          .millisecond = time.nanos / kNanosPerMilli};
}

}  // namespace capstan::cel

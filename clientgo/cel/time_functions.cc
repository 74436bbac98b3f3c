// SPDX-License-Identifier: Apache-2.0
// The parts of timestamps and durations: getFullYear(), getHours("+01:00"). Mirrors cel-go's
// cel/library.go and common/types/timestamp.go.
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "clientgo/cel/functions.h"
#include "clientgo/cel/time_zones.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

std::optional<int> ParseOffsetPart(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

// Returns the offset of a time zone in seconds: "-08:30", "UTC", "Europe/Berlin".
std::optional<std::int64_t> OffsetOf(const std::string& name, const Timestamp& time) {
  const std::string_view zone = name;
  const std::size_t colon = zone.find(':');
  if (colon == std::string_view::npos) return ZoneOffset(name, time.seconds);
  const auto hours = ParseOffsetPart(zone.substr(0, colon));
  const auto minutes = ParseOffsetPart(zone.substr(colon + 1));
  if (!hours || !minutes) return std::nullopt;
  const std::int64_t whole = std::int64_t{*hours} * 60;
  return (zone.starts_with('-') ? whole - *minutes : whole + *minutes) * 60;
}

// Returns a part of a timestamp, in UTC or in the zone of a second argument.
template <std::int64_t (*Part)(const CivilTime&)>
Value PartOfTime(Arguments args) {
  Timestamp time = *args[0].Get<Timestamp>();
  if (args.size() == 2) {
    const std::string& zone = *args[1].Get<std::string>();
    const auto offset = OffsetOf(zone, time);
    if (!offset) return Value::Failure("unknown time zone " + zone);
    time.seconds += *offset;
  }
  return Value::Int(Part(ToCivil(time)));
}

std::int64_t YearOf(const CivilTime& time) { return time.year; }
std::int64_t MonthOf(const CivilTime& time) { return time.month - 1; }
std::int64_t DayOfYear(const CivilTime& time) { return time.day_of_year - 1; }
std::int64_t DayOfMonth(const CivilTime& time) { return time.day - 1; }
std::int64_t DateOf(const CivilTime& time) { return time.day; }
std::int64_t DayOfWeek(const CivilTime& time) { return time.day_of_week; }
std::int64_t HourOf(const CivilTime& time) { return time.hour; }
std::int64_t MinuteOf(const CivilTime& time) { return time.minute; }
std::int64_t SecondOf(const CivilTime& time) { return time.second; }
std::int64_t MillisecondOf(const CivilTime& time) { return time.millisecond; }

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMillisecond;

// Returns how many units a duration has. Go's Duration.Seconds is a double, which rounds 1.9...9s
// to 2s for long durations.
template <std::int64_t Nanos>
Value UnitsOfDuration(Arguments args) {
  const std::int64_t nanos = args[0].Get<Duration>()->nanos;
  if (Nanos < kSecond) return Value::Int(nanos / Nanos);
  const std::int64_t whole = nanos / Nanos;
  const double rest = static_cast<double>(nanos % Nanos) / static_cast<double>(Nanos);
  return Value::Int(static_cast<std::int64_t>(static_cast<double>(whole) + rest));
}

constexpr std::string_view kOfTime = ". timestamp -> int";
constexpr std::string_view kOfTimeInZone = ". timestamp, string -> int";
constexpr std::string_view kOfDuration = ". duration -> int";

constexpr std::array kTimeRows = std::to_array<OverloadRow>({
    {"getFullYear", kOfTime, PartOfTime<YearOf>},
    {"getFullYear", kOfTimeInZone, PartOfTime<YearOf>},
    {"getMonth", kOfTime, PartOfTime<MonthOf>},
    {"getMonth", kOfTimeInZone, PartOfTime<MonthOf>},
    {"getDayOfYear", kOfTime, PartOfTime<DayOfYear>},
    {"getDayOfYear", kOfTimeInZone, PartOfTime<DayOfYear>},
    {"getDayOfMonth", kOfTime, PartOfTime<DayOfMonth>},
    {"getDayOfMonth", kOfTimeInZone, PartOfTime<DayOfMonth>},
    {"getDate", kOfTime, PartOfTime<DateOf>},
    {"getDate", kOfTimeInZone, PartOfTime<DateOf>},
    {"getDayOfWeek", kOfTime, PartOfTime<DayOfWeek>},
    {"getDayOfWeek", kOfTimeInZone, PartOfTime<DayOfWeek>},
    {"getHours", kOfTime, PartOfTime<HourOf>},
    {"getHours", kOfTimeInZone, PartOfTime<HourOf>},
    {"getHours", kOfDuration, UnitsOfDuration<3600 * kSecond>},
    {"getMinutes", kOfTime, PartOfTime<MinuteOf>},
    {"getMinutes", kOfTimeInZone, PartOfTime<MinuteOf>},
    {"getMinutes", kOfDuration, UnitsOfDuration<60 * kSecond>},
    {"getSeconds", kOfTime, PartOfTime<SecondOf>},
    {"getSeconds", kOfTimeInZone, PartOfTime<SecondOf>},
    {"getSeconds", kOfDuration, UnitsOfDuration<kSecond>},
    {"getMilliseconds", kOfTime, PartOfTime<MillisecondOf>},
    {"getMilliseconds", kOfTimeInZone, PartOfTime<MillisecondOf>},
    {"getMilliseconds", kOfDuration, UnitsOfDuration<kMillisecond>},
});

}  // namespace

std::span<const OverloadRow> TimeRows() { return kTimeRows; }

}  // namespace capstan::cel

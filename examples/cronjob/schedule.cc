// SPDX-License-Identifier: Apache-2.0
#include "cronjob/schedule.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/time/civil_time.h"
#include "capstan/time.h"

using capstan::Err;
using capstan::ErrorReason;
using capstan::Expected;

struct Schedule::Field {
  std::string_view name;
  int min, max;
  std::vector<std::string_view> names;  // of `min` and the following values
};

namespace {

constexpr int kYearsMax = 5;
constexpr std::chrono::hours kEveryMax(24 * 365 * 100);
constexpr char kSpaces[] = " \t\n\v\f\r";

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> SplitWords(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words = Split(text, separators);
  std::erase(words, "");
  return words;
}

std::optional<int> ParseNumber(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 0) return std::nullopt;
  return number;
}

std::optional<int> ParseNumberOrName(std::string_view text, int first,
                                     const std::vector<std::string_view>& names) {
  const auto same = [&](std::string_view name) {
    return std::equal(name.begin(), name.end(), text.begin(), text.end(),
                      [](char lower, char c) { return lower == (c | 0x20); });
  };
  const auto found = std::find_if(names.begin(), names.end(), same);
  if (found != names.end()) return first + static_cast<int>(found - names.begin());
  return ParseNumber(text);
}

absl::Time ToAbsl(capstan::Time time) {
  return absl::FromUnixSeconds(time.time_since_epoch().count());
}
capstan::Time FromAbsl(absl::Time time) {
  return capstan::Time(std::chrono::seconds(absl::ToUnixSeconds(time)));
}

// Returns the first instant after `time` at which the local day is `day` or later.
absl::Time StartAfter(absl::Time time, const absl::TimeZone& zone, const absl::CivilDay& day) {
  const absl::TimeZone::TimeInfo info = zone.At(absl::CivilSecond(day));
  // A midnight that is skipped: the day starts at the change of the clocks.
  if (info.kind == absl::TimeZone::TimeInfo::SKIPPED) return info.trans;
  // A midnight that occurs twice, and `time` is between the two.
  if (info.pre <= time) return info.post;
  return info.pre;
}

// Returns the first full minute at or after `time`. Offsets of today's zones are full minutes.
absl::Time CeilMinute(absl::Time time) {
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  return absl::FromUnixSeconds(seconds + (60 - seconds % 60) % 60);
}

}  // namespace

Expected<Schedule> Schedule::Parse(std::string_view text, const absl::TimeZone& zone) {
  static const std::array<Field, kPlaces> kFields = {
      Field{"minute", 0, 59, {}}, Field{"hour", 0, 23, {}}, Field{"day of month", 1, 31, {}},
      Field{"month",
            1,
            12,
            {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
      Field{"day of week", 0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}}};

  if (text.empty()) return Err(ErrorReason::kInvalid, "the schedule is empty");
  if (text.find("TZ") != std::string_view::npos) {
    return Err(ErrorReason::kInvalid, "TZ and CRON_TZ are not supported; set spec.timeZone");
  }
  if (text[0] == '@') return ParseDescriptor(text, zone);
  const auto words = SplitWords(text, kSpaces);
  if (words.size() != kPlaces) {
    return Err(ErrorReason::kInvalid, "expected exactly 5 fields, found " +
                                          std::to_string(words.size()) + ": \"" +
                                          std::string(text) + "\"");
  }
  Schedule schedule;
  schedule.zone_ = zone;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto values = ParseField(words[i], kFields.at(i));
    if (!values) {
      return Err(ErrorReason::kInvalid, std::string(kFields.at(i).name) + " \"" +
                                            std::string(words[i]) +
                                            "\": " + values.error().message);
    }
    schedule.fields_.at(i) = *values;
  }
  return schedule;
}

Expected<Schedule> Schedule::ParseDescriptor(std::string_view text, const absl::TimeZone& zone) {
  static constexpr std::pair<std::string_view, std::string_view> kDescriptors[] = {
      {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
      {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
      {"@hourly", "0 * * * *"},
  };
  for (const auto& [descriptor, fields] : kDescriptors) {
    if (text == descriptor) return Parse(fields, zone);
  }
  constexpr std::string_view kEvery = "@every ";
  if (!text.starts_with(kEvery)) {
    return Err(ErrorReason::kInvalid, "unknown descriptor \"" + std::string(text) + "\"");
  }
  const auto duration = capstan::ParseDuration(text.substr(kEvery.size()));
  if (!duration || duration->count() < 0) {
    return Err(ErrorReason::kInvalid,
               "\"" + std::string(text) + "\" is not a duration; write it as @every 1h30m");
  }
  if (*duration > kEveryMax) {
    return Err(ErrorReason::kInvalid, "\"" + std::string(text) + "\" is more than 100 years");
  }
  Schedule schedule;
  schedule.every_ =
      std::max(std::chrono::seconds(1), std::chrono::floor<std::chrono::seconds>(*duration));
  return schedule;
}

Expected<Schedule::Values> Schedule::ParseField(std::string_view text, const Field& field) {
  Values all;
  const auto ranges = SplitWords(text, ",");
  if (ranges.empty()) return Err(ErrorReason::kInvalid, "the list is empty");
  for (const std::string_view range : ranges) {
    const auto values = ParseRange(range, field);
    if (!values) return values;
    all.bits |= values->bits;
    all.any |= values->any;
  }
  return all;
}

Expected<Schedule::Values> Schedule::ParseRange(std::string_view text, const Field& field) {
  const auto invalid = [](const std::string& what) { return Err(ErrorReason::kInvalid, what); };
  const auto range_and_step = Split(text, "/");
  const auto ends = Split(range_and_step[0], "-");
  if (range_and_step.size() > 2) return invalid("too many slashes");
  if (ends.size() > 2) return invalid("too many hyphens");

  Values values;
  int first = field.min;
  int last = field.max;
  const bool any = range_and_step[0] == "*" || range_and_step[0] == "?";
  if (!any) {
    const auto from = ParseNumberOrName(ends[0], field.min, field.names);
    const auto to = ParseNumberOrName(ends.back(), field.min, field.names);
    if (!from || !to) {
      return invalid("\"" + std::string(from ? ends.back() : ends[0]) + "\" is not a number" +
                     (field.names.empty() ? "" : " or a name"));
    }
    first = *from;
    if (ends.size() == 2 || range_and_step.size() == 1) last = *to;
  }
  int step = 1;
  if (range_and_step.size() == 2) {
    const auto number = ParseNumber(range_and_step[1]);
    if (!number || *number == 0) return invalid("the step must be a positive number");
    step = *number;
  }
  const std::string limits =
      " is not in the range " + std::to_string(field.min) + "-" + std::to_string(field.max);
  if (first < field.min || first > field.max) return invalid(std::to_string(first) + limits);
  if (last < field.min || last > field.max) return invalid(std::to_string(last) + limits);
  if (first > last) return invalid("the range ends before it begins");

  for (int value = first; value <= last; value += std::min(step, 64)) {
    values.bits |= std::uint64_t{1} << static_cast<unsigned>(value);
  }
  values.any = any && step == 1;
  return values;
}

bool Schedule::DayMatches(const absl::CivilDay& day) const {
  const Values& of_month = fields_[kDayOfMonth];
  const Values& of_week = fields_[kDayOfWeek];
  const bool month_matches = of_month.Has(day.day());
  // absl's Monday is 0, that of cron is 1.
  const bool week_matches = of_week.Has((static_cast<int>(absl::GetWeekday(day)) + 1) % 7);
  if (of_month.any || of_week.any) return month_matches && week_matches;
  return month_matches || week_matches;
}

std::optional<capstan::Time> Schedule::Next(capstan::Time time) const {
  if (every_) return time + *every_;
  absl::Time start = CeilMinute(ToAbsl(time) + absl::Seconds(1));
  const auto last_year = zone_.At(start).cs.year() + kYearsMax;
  for (;;) {
    const absl::CivilSecond local = zone_.At(start).cs;
    if (local.year() > last_year) return std::nullopt;
    if (!fields_[kMonth].Has(local.month())) {
      start = StartAfter(start, zone_, absl::CivilDay(absl::CivilMonth(local) + 1));
    } else if (!DayMatches(absl::CivilDay(local))) {
      start = StartAfter(start, zone_, absl::CivilDay(local) + 1);
    } else if (!fields_[kHour].Has(local.hour()) || !fields_[kMinute].Has(local.minute())) {
      // Minute by minute, so that each change of the clocks is seen. A day has 1440 of them.
      start += absl::Minutes(1);
    } else {
      return FromAbsl(start);
    }
  }
}

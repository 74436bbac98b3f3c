// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/cron_schedule.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

// Unit is what one of the five fields of a schedule counts.
struct CronUnit {
  int least;
  int most;
  std::string_view names = {};  // of the values, each with three letters; the first is `least`
};

constexpr std::array<CronUnit, 5> kUnits = {CronUnit{0, 59}, CronUnit{0, 23}, CronUnit{1, 31},
                                            CronUnit{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
                                            CronUnit{0, 6, "sunmontuewedthufrisat"}};

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\n\v\f\r");
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t\n\v\f\r"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// CronRange parses one range of a field, such as "1-5/2".
class CronRange {
 public:
  CronRange(std::string_view text, const CronUnit& unit) : text_(text), unit_(unit) {}

  std::string Error() {
    const auto parts = SplitAll(text_, '/');
    const auto ends = SplitAll(parts.front(), '-');
    int start = unit_.least;
    int end = unit_.most;
    if (ends.front() != "*" && ends.front() != "?") {
      if (!ReadValue(ends.front(), start)) return error_;
      end = start;
      if (ends.size() > 2) return "too many hyphens: " + Text();
      if (ends.size() == 2 && !ReadValue(ends[1], end)) return error_;
    }
    int step = 1;
    if (parts.size() > 2) return "too many slashes: " + Text();
    if (parts.size() == 2) {
      if (!ReadNumber(parts[1], step)) return error_;
      if (ends.size() == 1) end = unit_.most;  // "5/10" is "5-59/10"
    }
    const auto number = [](int value) { return "(" + std::to_string(value) + ")"; };
    if (start < unit_.least) {
      return "beginning of range " + number(start) + " below minimum " + number(unit_.least) +
             ": " + Text();
    }
    if (end > unit_.most) {
      return "end of range " + number(end) + " above maximum " + number(unit_.most) + ": " + Text();
    }
    if (start > end) {
      return "beginning of range " + number(start) + " beyond end of range " + number(end) + ": " +
             Text();
    }
    return step == 0 ? "step of range should be a positive number: " + Text() : "";
  }

 private:
  std::string Text() const { return std::string(text_); }

  bool ReadValue(std::string_view text, int& value) {
    const std::string name = LowerAscii(text);
    if (name.size() == 3) {
      const std::size_t at = unit_.names.find(name);
      if (at != std::string_view::npos && at % 3 == 0) {
        value = unit_.least + static_cast<int>(at / 3);
        return true;
      }
    }
    return ReadNumber(text, value);
  }

  bool ReadNumber(std::string_view text, int& value) {
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool signs = text.starts_with("+-");
    if (error == std::errc() && end == digits.data() + digits.size() && !signs) {
      if (value >= 0) return true;
      error_ = "negative number (" + std::to_string(value) + ") not allowed: " + std::string(text);
      return false;
    }
    error_ = "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " +
             Quote(text) + ": " +
             (error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax");
    return false;
  }

  std::string_view text_;
  const CronUnit& unit_;
  std::string error_;
};

std::string FieldError(std::string_view field, const CronUnit& unit) {
  for (const std::string_view range : Split(field, ',')) {
    if (range.empty()) continue;
    std::string error = CronRange(range, unit).Error();
    if (!error.empty()) return error;
  }
  return "";
}

std::string DescriptorError(std::string_view schedule) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (schedule == known) return "";
  }
  constexpr std::string_view kEvery = "@every ";
  if (!schedule.starts_with(kEvery)) return "unrecognized descriptor: " + std::string(schedule);
  const std::string_view duration = schedule.substr(kEvery.size());
  if (ParseDuration(duration)) return "";
  return "failed to parse duration " + std::string(schedule) + ": time: invalid duration " +
         Quote(duration);
}

// The names of the time zone database, and the first parts of those with several.
constexpr std::string_view kAreas =
    " Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe "
    "Indian Mexico Pacific US ";
constexpr std::string_view kSingleZones =
    " CET CST6CDT Cuba EET EST EST5EDT Egypt Eire Factory GB GB-Eire GMT GMT+0 GMT-0 GMT0 "
    "Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ "
    "NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT Universal W-SU WET "
    "Zulu ";

}  // namespace

std::string ScheduleError(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    schedule.remove_prefix(std::min(schedule.find(' '), schedule.size()));
    while (schedule.starts_with(' ')) schedule.remove_prefix(1);
  }
  if (schedule.starts_with('@')) return DescriptorError(schedule);
  const auto fields = Words(schedule);
  if (fields.size() != kUnits.size()) {
    return "expected exactly 5 fields, found " + std::to_string(fields.size()) + ": [" +
           Join(fields, " ") + "]";
  }
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    std::string error = FieldError(fields[i], kUnits[i]);
    if (!error.empty()) return error;
  }
  return "";
}

std::string TimeZoneError(const std::string& name) {
  if (name.empty() || name == "UTC" || name == "Local") return "";
  if (name.find("..") != std::string::npos || name.front() == '/' || name.front() == '\\') {
    return "time: invalid location name";
  }
  const bool in_area = name.find('/') != std::string::npos;
  const std::string_view list = in_area ? kAreas : kSingleZones;
  const std::string wanted = " " + name.substr(0, name.find('/')) + " ";
  return list.find(wanted) == std::string_view::npos ? "unknown time zone " + name : "";
}

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// Schedule is a cron schedule. It is written in one of these forms:
//
//   30 6-16/4 * jan,jul mon-fri   minute, hour, day of the month, month, day of the week
//   @yearly @annually @monthly @weekly @daily @midnight @hourly
//   @every 1h30m                  a fixed time after the last start, at most 100 years
//
// A field is a list of *, ?, a number, a name of a month or day, or a range, each with an optional
// step. "5/15" means "5-59/15". If both fields of days are restricted, a day matches either. If one
// of them is * or ?, a day matches both.
//
// A schedule starts at each minute whose local time matches. A local time that a change of the
// clocks skips starts nothing. One that occurs twice starts twice.
//
// Mirrors ParseStandard and Schedule of github.com/robfig/cron v3, which kube-controller-manager
// uses. Differs: no prefix TZ= or CRON_TZ=, which Kubernetes rejects; no "+5", "," or "*-5". Where
// the clocks change at midnight or by half an hour, robfig/cron may miss a start or start at
// another hour.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "capstan/error.h"
#include "capstan/time.h"

class Schedule {
 public:
  // The local time is that of `zone`. Fails with kInvalid and one line about what is wrong.
  static capstan::Expected<Schedule> Parse(std::string_view text,
                                           const absl::TimeZone& zone = absl::UTCTimeZone());

  // Returns the first start after `time`. nullopt: there is none in this year and the next five,
  // as with "0 0 31 2 *".
  std::optional<capstan::Time> Next(capstan::Time time) const;

 private:
  // The values of one field, as bits.
  struct Values {
    std::uint64_t bits = 0;
    bool any = false;  // * or ? without a step
    bool Has(int value) const { return (bits >> value & 1U) != 0; }
  };
  struct Field;  // the limits and names of a field
  enum Place { kMinute, kHour, kDayOfMonth, kMonth, kDayOfWeek, kPlaces };

  static capstan::Expected<Schedule> ParseDescriptor(std::string_view text,
                                                     const absl::TimeZone& zone);
  static capstan::Expected<Values> ParseField(std::string_view text, const Field& field);
  static capstan::Expected<Values> ParseRange(std::string_view text, const Field& field);
  bool DayMatches(const absl::CivilDay& day) const;

  absl::TimeZone zone_;
  std::optional<std::chrono::seconds> every_;  // set: the fields are not used
  std::array<Values, kPlaces> fields_ = {};
};

// SPDX-License-Identifier: Apache-2.0
// Checks schedules and time zones of CronJobs.
#pragma once

#include <string>
#include <string_view>

namespace capstan::testing::apiserver {

// Returns why the text is no schedule, or "". Mirrors ParseStandard of github.com/robfig/cron/v3.
// Differs: the error of a wrong duration in "@every" is shorter, and the time zone in "TZ=UTC ..."
// is not looked up.
std::string ScheduleError(std::string_view schedule);

// Returns why the name of a time zone is unknown, or "". Mirrors time.LoadLocation of Go. A machine
// without files of time zones knows all names.
std::string TimeZoneError(const std::string& name);

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
// Which starts of a CronJob were missed, and when to look again. Pure functions. Mirror
// mostRecentScheduleTime, nextScheduleTime and nextScheduleTimeDuration of kube-controller-manager
// (pkg/controller/cronjob/utils.go). Differ: a schedule with a single start in the next five years
// is valid.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "capstan/error.h"
#include "capstan/time.h"
#include "cronjob/cronjob.h"
#include "cronjob/schedule.h"

using WallTime = std::chrono::system_clock::time_point;

struct MissedStarts {
  capstan::Time earliest = {};                    // starts up to here do not count
  std::optional<capstan::Time> most_recent = {};  // nullopt: none was missed
  // Their number as long as the schedule is regular. More than kManyMissed are suspicious.
  std::int64_t count = 0;
};
inline constexpr std::int64_t kManyMissed = 100;

// Returns the starts between status.lastScheduleTime, or the creation, and `now`. With `deadline`,
// those before spec.startingDeadlineSeconds do not count. Fails with kInvalid if the schedule never
// starts.
capstan::Expected<MissedStarts> FindMissedStarts(const CronJob& cron_job, WallTime now,
                                                 const Schedule& schedule, bool deadline);

// Returns the time until the next start, and a little more, so that clocks that differ do not make
// the controller look too early. It is at most 100 years. nullopt: the schedule never starts again.
std::optional<std::chrono::nanoseconds> TimeToNextStart(const CronJob& cron_job, WallTime now,
                                                        const Schedule& schedule);
inline constexpr std::chrono::milliseconds kNextStartDelta(100);

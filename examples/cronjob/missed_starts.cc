// SPDX-License-Identifier: Apache-2.0
#include "cronjob/missed_starts.h"

#include <algorithm>

using capstan::Err;
using capstan::ErrorReason;
using capstan::Expected;
using capstan::Time;

namespace {

// Nanoseconds have 292 years, and the times of objects have 9999.
constexpr std::chrono::seconds kLongestWait = std::chrono::hours(24 * 365 * 100);

}  // namespace

Expected<MissedStarts> FindMissedStarts(const CronJob& cron_job, WallTime now,
                                        const Schedule& schedule, bool deadline) {
  const Time until = capstan::ToTime(now);  // starts are whole seconds
  MissedStarts missed;
  missed.earliest = cron_job.status.last_schedule_time.value_or(
      cron_job.metadata.creation_timestamp.value_or(Time()));
  if (deadline && cron_job.spec.starting_deadline_seconds) {
    // The API server has no maximum for it.
    const auto seconds =
        std::min<std::int64_t>(*cron_job.spec.starting_deadline_seconds, std::int64_t{1} << 32);
    missed.earliest = std::max(missed.earliest, until - std::chrono::seconds(seconds));
  }
  const auto first = schedule.Next(missed.earliest);
  if (!first) {
    return Err(ErrorReason::kInvalid, "the schedule starts nothing in the next five years");
  }
  if (*first > until) return missed;
  const auto second = schedule.Next(*first);
  if (!second || *second > until) {
    missed.most_recent = first;
    return missed;
  }

  // There may be millions. Their number is an estimate from the first two, and the search for the
  // most recent one begins shortly before now. The begin is a multiple of the interval, so that
  // "@every" keeps its rhythm.
  const auto interval = *second - *first;
  missed.count = (until - *first) / interval + 1;
  for (auto start = schedule.Next(*first + (missed.count - 2) * interval); start && *start <= until;
       start = schedule.Next(*start)) {
    missed.most_recent = start;
  }
  return missed;
}

std::optional<std::chrono::nanoseconds> TimeToNextStart(const CronJob& cron_job, WallTime now,
                                                        const Schedule& schedule) {
  const Time until = capstan::ToTime(now);
  Time after = until;
  if (const auto missed = FindMissedStarts(cron_job, now, schedule, /*deadline=*/false)) {
    if (missed->most_recent) {
      after = *missed->most_recent;
    } else if (missed->count == 0) {
      after = missed->earliest;
    }
  }
  const auto next = schedule.Next(after);
  if (!next) return std::nullopt;
  return std::min(*next - until, kLongestWait) + kNextStartDelta - (now - until);
}

// SPDX-License-Identifier: Apache-2.0
// The cases of pkg/controller/cronjob of Kubernetes 1.37: TestNextScheduleTime,
// TestMostRecentScheduleTime and TestNextScheduleTimeDuration of utils_test.go, and
// TestControllerV2UpdateCronJob.
#include "cronjob/missed_starts.h"

#include <chrono>
#include <optional>
#include <string>

#include "testing/example_test.h"

namespace {

using capstan::Time;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using MaybeSeconds = std::optional<seconds>;

// All times are relative to the top of this hour, a Thursday.
const Time kTop = capstan::ToTime(*capstan::ParseTime("2016-05-19T10:00:00Z"));

CronJob NewCronJob(const std::string& schedule, seconds created, MaybeSeconds last,
                   MaybeSeconds deadline = std::nullopt) {
  CronJob cron_job;
  cron_job.spec.schedule = schedule;
  cron_job.metadata.creation_timestamp = kTop + created;
  if (last) cron_job.status.last_schedule_time = kTop + *last;
  if (deadline) cron_job.spec.starting_deadline_seconds = deadline->count();
  return cron_job;
}

Schedule ScheduleOf(const CronJob& cron_job) {
  return Value(Schedule::Parse(cron_job.spec.schedule), cron_job.spec.schedule);
}

std::string Text(MaybeSeconds time) {
  return time ? std::to_string(time->count()) + " s" : std::string("none");
}

// TestNextScheduleTime: the start that is caught up.
void TestMostRecentStart() {
  const struct {
    std::string name;
    seconds created;
    MaybeSeconds last;
    seconds now;
    MaybeSeconds start;
    MaybeSeconds deadline = std::nullopt;
  } kCases[] = {
      {"1: never started, no start needed", minutes(-10), {}, minutes(-7), {}},
      {"2: never started, one needed", minutes(-10), {}, seconds(2), seconds(0)},
      {"3: started, no start needed", minutes(-10), seconds(0), minutes(2), {}},
      {"4: started, one needed", minutes(-10), seconds(0), minutes(65), hours(1)},
      {"5: started, two needed", hours(-2), hours(-1), minutes(65), hours(1)},
      {"6: many needed", hours(-2), hours(-1), hours(241), hours(241)},
      {"7: many needed, short deadline", hours(-2), hours(-1), hours(241), hours(241), hours(2)},
  };
  for (const auto& c : kCases) {
    const CronJob cron_job = NewCronJob("0 * * * ?", c.created, c.last, c.deadline);
    const auto missed =
        Value(FindMissedStarts(cron_job, kTop + c.now, ScheduleOf(cron_job), true), c.name);
    MaybeSeconds start;
    if (missed.most_recent) start = *missed.most_recent - kTop;
    Require(start == c.start, c.name + ": " + Text(start));
    Require((missed.count > kManyMissed) == c.name.starts_with("6"),
            c.name + ": " + std::to_string(missed.count) + " are missed");
  }
  const CronJob rogue = NewCronJob("59 23 31 2 *", seconds(10), {});
  const auto error = FindMissedStarts(rogue, kTop + hours(1), ScheduleOf(rogue), true);
  Require(!error && capstan::IsInvalid(error.error()), "8: a schedule that never starts");
}

// TestMostRecentScheduleTime
void TestMissedStarts() {
  enum Number { kNone, kFew, kMany };
  const std::string kComplex = "30 6-16/4 * * 1-5";
  const seconds kHalfPast = minutes(30);
  const struct {
    std::string name, schedule;
    seconds created;
    MaybeSeconds last;
    seconds now;
    seconds earliest;
    MaybeSeconds start;
    Number number = kNone;
    MaybeSeconds deadline = std::nullopt;
    bool with_deadline = false;
  } kCases[] = {
      {"now before next schedule", "0 * * * *", {}, {}, seconds(30), {}, {}},
      {"now just after next schedule", "0 * * * *", {}, {}, minutes(61), {}, hours(1)},
      {"missed 5 schedules",
       "0 * * * *",
       seconds(10),
       {},
       minutes(301),
       seconds(10),
       hours(5),
       kFew},
      {"complex schedule",
       kComplex,
       {},
       kHalfPast,
       minutes(24 * 60 + 31),
       kHalfPast,
       minutes(24 * 60 + 30),
       kFew},
      {"another complex schedule",
       "30 10,11,12 * * 1-5",
       {},
       kHalfPast,
       minutes(30 * 60 + 30),
       kHalfPast,
       {},
       kFew},
      {"complex schedule with longer diff between executions",
       kComplex,
       {},
       kHalfPast,
       minutes(96 * 60 + 31),
       kHalfPast,
       minutes(96 * 60 + 30),
       kFew},
      {"complex schedule with shorter diff between executions",
       kComplex,
       {},
       {},
       minutes(24 * 60 + 31),
       {},
       minutes(24 * 60 + 30),
       kFew},
      {"@every schedule", "@every 1h", minutes(-59), minutes(1), hours(7 * 24), minutes(1),
       minutes((6 * 24 + 23) * 60 + 1), kMany, seconds(10)},
      {"earliestTime being CreationTimestamp and LastScheduleTime",
       "0 * * * *",
       {},
       seconds(0),
       seconds(30),
       {},
       {}},
      {"earliestTime being LastScheduleTime",
       "*/5 * * * *",
       {},
       kHalfPast,
       minutes(31),
       kHalfPast,
       {}},
      {"earliestTime being LastScheduleTime (within StartingDeadlineSeconds)",
       "*/5 * * * *",
       {},
       kHalfPast,
       minutes(31),
       kHalfPast,
       {},
       kNone,
       minutes(1)},
      {"earliestTime being LastScheduleTime (outside StartingDeadlineSeconds)",
       "*/5 * * * *",
       {},
       kHalfPast,
       minutes(32),
       minutes(31),
       {},
       kNone,
       minutes(1),
       true},
  };
  for (const auto& c : kCases) {
    const CronJob cron_job = NewCronJob(c.schedule, c.created, c.last, c.deadline);
    const auto missed = Value(
        FindMissedStarts(cron_job, kTop + c.now, ScheduleOf(cron_job), c.with_deadline), c.name);
    MaybeSeconds start;
    if (missed.most_recent) start = *missed.most_recent - kTop;
    Require(start == c.start, c.name + ": " + Text(start));
    Require(missed.earliest == kTop + c.earliest, c.name + ": the earliest time");
    const Number number = missed.count > kManyMissed ? kMany : missed.count > 0 ? kFew : kNone;
    Require(number == c.number, c.name + ": " + std::to_string(missed.count) + " are missed");
  }
  const CronJob leap = NewCronJob("0 0 29 2 *", hours(-24 * 365), {});
  const auto missed = FindMissedStarts(leap, kTop, ScheduleOf(leap), false);
  Require(missed && missed->most_recent, "a start on February 29");
}

// TestNextScheduleTimeDuration, and TestControllerV2UpdateCronJob with its other schedules.
void TestTimeToNextStart() {
  const auto time = [](int h, int m, int s = 0) { return hours(h) + minutes(m) + seconds(s); };
  const struct {
    std::string name, schedule;
    MaybeSeconds last;
    seconds now;
    seconds next;
  } kCases[] = {
      {"complex schedule skipping weekend", "30 6-16/4 * * 1-5", minutes(30), time(24, 31),
       time(3, 59)},
      {"another complex schedule skipping weekend", "30 10,11,12 * * 1-5", minutes(30),
       time(30, 30), hours(66)},
      {"once a week cronjob, missed two runs", "0 12 * * 4", hours(2), time(19 * 24 + 1, 30),
       time(48, 30)},
      {"no previous run of a cronjob", "0 12 * * 5", {}, hours(6), hours(20)},
      {"spec.schedule changed", "*/1 * * * *", minutes(-1), seconds(-1), seconds(1)},
      {"spec.schedule with @every changed - cadence decrease", "@every 3m", minutes(-1),
       seconds(-1), time(0, 2, 1)},
      {"spec.schedule with @every changed - cadence increase", "@every 1m", minutes(-1),
       seconds(-1), seconds(1)},
  };
  for (const auto& c : kCases) {
    const CronJob cron_job = NewCronJob(c.schedule, seconds(0), c.last);
    const auto next = TimeToNextStart(cron_job, kTop + c.now, ScheduleOf(cron_job));
    Require(next == nanoseconds(c.next + kNextStartDelta),
            c.name + ": " + (next ? std::to_string(next->count()) + " ns" : "never"));
  }
  const CronJob rogue = NewCronJob("0 0 31 2 *", seconds(0), {});
  Require(!TimeToNextStart(rogue, kTop, ScheduleOf(rogue)), "a schedule that never starts");
  // Clocks that differ: the last start is in the future.
  const CronJob ahead = NewCronJob("0 * * * *", seconds(0), hours(1));
  Require(TimeToNextStart(ahead, kTop, ScheduleOf(ahead)) == hours(2) + kNextStartDelta,
          "the start after the last one");
}

// A time of an object may be later than the last one that nanoseconds can hold.
void TestFarFuture() {
  const Time far = std::chrono::floor<seconds>(*capstan::ParseTime("9999-12-31T23:59:59Z"));
  const auto longest = hours(24 * 365 * 100) + kNextStartDelta;
  for (const std::string schedule : {"@every 1h", "0 * * * *", "@every 876000h"}) {
    CronJob cron_job = NewCronJob(schedule, seconds(0), {});
    cron_job.status.last_schedule_time = far;
    const auto missed = FindMissedStarts(cron_job, kTop, ScheduleOf(cron_job), true);
    Require(missed && !missed->most_recent, schedule + ": nothing was missed");
    Require(TimeToNextStart(cron_job, kTop, ScheduleOf(cron_job)) == longest,
            schedule + ": the longest wait");
  }
  const CronJob rare = NewCronJob("@every 876000h", hours(-1), {});
  const auto missed = FindMissedStarts(rare, kTop, ScheduleOf(rare), true);
  Require(missed && !missed->most_recent, "the first start is in 100 years");
  Require(TimeToNextStart(rare, kTop + milliseconds(250), ScheduleOf(rare)) ==
              longest - hours(1) - milliseconds(250),
          "the time until then");
}

}  // namespace

int main() {
  return RunUnitTest([] {
    TestMostRecentStart();
    TestMissedStarts();
    TestTimeToNextStart();
    TestFarFuture();
  });
}

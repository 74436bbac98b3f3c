// SPDX-License-Identifier: Apache-2.0
// The tests of schedules and time zones. The comments name the tests of robfig/cron v3 with the
// same cases.
#include "cronjob/schedule.h"

#include <optional>
#include <string>

#include "capstan/time.h"
#include "cronjob/time_zone.h"
#include "testing/example_test.h"

namespace {

using capstan::Time;

Time At(const std::string& text) {
  const auto time = capstan::ParseTime(text);
  Require(time.has_value(), "a time: " + text);
  return std::chrono::floor<std::chrono::seconds>(*time);
}

Schedule Parsed(const std::string& text, const std::string& zone = "UTC") {
  return Value(Schedule::Parse(text, Value(LoadTimeZone(zone), zone)), text);
}

std::string Text(std::optional<Time> time) {
  return time ? capstan::FormatTime(*time) : std::string("never");
}

// TestActivation: does the schedule start at this minute?
void TestMatches() {
  const struct {
    std::string time, schedule;
    bool starts;
  } kCases[] = {
      {"2012-07-09T15:00:00Z", "0/15 * * * *", true},
      {"2012-07-09T15:45:00Z", "0/15 * * * *", true},
      {"2012-07-09T15:40:00Z", "0/15 * * * *", false},
      {"2012-07-09T15:05:00Z", "5/15 * * * *", true},
      {"2012-07-09T15:20:00Z", "5/15 * * * *", true},
      {"2012-07-09T15:50:00Z", "5/15 * * * *", true},
      // names of months and days
      {"2012-07-15T15:00:00Z", "0/15 * * Jul *", true},
      {"2012-07-15T15:00:00Z", "0/15 * * Jun *", false},
      {"2012-07-15T08:30:00Z", "30 08 ? Jul Sun", true},
      {"2012-07-15T08:30:00Z", "30 08 15 Jul ?", true},
      {"2012-07-16T08:30:00Z", "30 08 ? Jul Sun", false},
      {"2012-07-16T08:30:00Z", "30 08 15 Jul ?", false},
      {"2012-07-16T08:30:00Z", "30 08 * JUL MON-FRI", true},
      // descriptors
      {"2012-07-09T15:00:00Z", "@hourly", true},
      {"2012-07-09T15:04:00Z", "@hourly", false},
      {"2012-07-09T15:00:00Z", "@daily", false},
      {"2012-07-09T00:00:00Z", "@daily", true},
      {"2012-07-09T00:00:00Z", "@midnight", true},
      {"2012-07-09T00:00:00Z", "@weekly", false},
      {"2012-07-08T00:00:00Z", "@weekly", true},
      {"2012-07-08T01:00:00Z", "@weekly", false},
      {"2012-07-08T00:00:00Z", "@monthly", false},
      {"2012-07-01T00:00:00Z", "@monthly", true},
      {"2012-07-01T00:00:00Z", "@yearly", false},
      {"2012-01-01T00:00:00Z", "@yearly", true},
      {"2012-01-01T00:00:00Z", "@annually", true},
      // both fields of days are restricted: either matches
      {"2012-07-15T00:00:00Z", "* * 1,15 * Sun", true},
      {"2012-06-15T00:00:00Z", "* * 1,15 * Sun", true},
      {"2012-08-01T00:00:00Z", "* * 1,15 * Sun", true},
      {"2012-07-15T00:00:00Z", "* * */10 * Sun", true},
      // one of them is a star: both match
      {"2012-07-15T00:00:00Z", "* * * * Mon", false},
      {"2012-07-09T00:00:00Z", "* * 1,15 * *", false},
      {"2012-07-15T00:00:00Z", "* * 1,15 * *", true},
      {"2012-07-15T00:00:00Z", "* * */2 * Sun", true},
  };
  for (const auto& c : kCases) {
    const auto next = Parsed(c.schedule).Next(At(c.time) - std::chrono::seconds(1));
    Require((next == At(c.time)) == c.starts,
            c.schedule + " after " + c.time + " starts at " + Text(next));
  }
}

// TestNext and TestNextWithTz, without the seconds that a CronJob's schedule does not have.
void TestNext() {
  const std::string kNewYork = "America/New_York";
  const struct {
    std::string time, schedule, next;
    std::string zone = "UTC";
  } kCases[] = {
      {"2012-07-09T14:45:00Z", "0/15 * * * *", "2012-07-09T15:00:00Z"},
      {"2012-07-09T14:59:00Z", "0/15 * * * *", "2012-07-09T15:00:00Z"},
      {"2012-07-09T14:59:59Z", "0/15 * * * *", "2012-07-09T15:00:00Z"},
      // wraps around hours, days, months and years
      {"2012-07-09T15:45:00Z", "20-35/15 * * * *", "2012-07-09T16:20:00Z"},
      {"2012-07-09T23:46:00Z", "*/15 * * * *", "2012-07-10T00:00:00Z"},
      {"2012-07-09T23:45:00Z", "20-35/15 * * * *", "2012-07-10T00:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 1/2 * * *", "2012-07-10T01:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 10-12 * * *", "2012-07-10T10:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 1/2 */2 * *", "2012-07-11T01:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 * 9-20 * *", "2012-07-10T00:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 * 9-20 Jul *", "2012-07-10T00:20:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 9 Apr-Oct ?", "2012-08-09T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 */5 Apr,Aug,Oct Mon", "2012-08-01T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 */5 Oct Mon", "2012-10-01T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 * Feb Mon", "2013-02-04T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 * Feb Mon/2", "2013-02-01T00:00:00Z"},
      {"2012-12-31T23:59:45Z", "* * * * *", "2013-01-01T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 29 Feb ?", "2016-02-29T00:00:00Z"},
      // no such day
      {"2012-07-09T23:35:00Z", "0 0 30 Feb ?", "never"},
      {"2012-07-09T23:35:00Z", "0 0 31 Apr ?", "never"},
      // the clocks go forward at 2:00: 2:30 does not exist that day
      {"2012-03-11T00:00:00-05:00", "30 2 11 Mar ?", "2013-03-11T02:30:00-04:00", kNewYork},
      {"2012-03-11T00:00:00-05:00", "0 * * * ?", "2012-03-11T01:00:00-05:00", kNewYork},
      {"2012-03-11T01:00:00-05:00", "0 * * * ?", "2012-03-11T03:00:00-04:00", kNewYork},
      {"2012-03-11T03:00:00-04:00", "0 * * * ?", "2012-03-11T04:00:00-04:00", kNewYork},
      {"2012-03-11T04:00:00-04:00", "0 * * * ?", "2012-03-11T05:00:00-04:00", kNewYork},
      {"2012-03-11T00:00:00-05:00", "0 1 * * ?", "2012-03-11T01:00:00-05:00", kNewYork},
      {"2012-03-11T01:00:00-05:00", "0 1 * * ?", "2012-03-12T01:00:00-04:00", kNewYork},
      {"2012-03-11T00:00:00-05:00", "0 2 * * ?", "2012-03-12T02:00:00-04:00", kNewYork},
      // the clocks go back at 2:00: what is between 1:00 and 2:00 starts twice
      {"2012-11-04T00:00:00-04:00", "30 2 04 Nov ?", "2012-11-04T02:30:00-05:00", kNewYork},
      {"2012-11-04T01:45:00-04:00", "30 1 04 Nov ?", "2012-11-04T01:30:00-05:00", kNewYork},
      {"2012-11-04T00:00:00-04:00", "0 * * * ?", "2012-11-04T01:00:00-04:00", kNewYork},
      {"2012-11-04T01:00:00-04:00", "0 * * * ?", "2012-11-04T01:00:00-05:00", kNewYork},
      {"2012-11-04T01:00:00-05:00", "0 * * * ?", "2012-11-04T02:00:00-05:00", kNewYork},
      {"2012-11-04T00:00:00-04:00", "0 1 * * ?", "2012-11-04T01:00:00-04:00", kNewYork},
      {"2012-11-04T01:00:00-04:00", "0 1 * * ?", "2012-11-04T01:00:00-05:00", kNewYork},
      {"2012-11-04T01:00:00-05:00", "0 1 * * ?", "2012-11-05T01:00:00-05:00", kNewYork},
      {"2012-11-04T00:00:00-04:00", "0 2 * * ?", "2012-11-04T02:00:00-05:00", kNewYork},
      {"2012-11-04T02:00:00-05:00", "0 2 * * ?", "2012-11-05T02:00:00-05:00", kNewYork},
      {"2012-11-04T00:00:00-04:00", "0 3 * * ?", "2012-11-04T03:00:00-05:00", kNewYork},
      {"2012-11-04T03:00:00-05:00", "0 3 * * ?", "2012-11-05T03:00:00-05:00", kNewYork},
      {"2012-11-04T00:00:00-04:00", "0 3 3 * ?", "2012-12-03T03:00:00-05:00", kNewYork},
      // the clocks skip midnight, or go back to before it
      {"2018-10-17T05:00:00-04:00", "0 9 10 * ?", "2018-11-10T06:00:00-05:00", "America/Sao_Paulo"},
      {"2018-02-14T05:00:00-05:00", "0 9 22 * ?", "2018-02-22T07:00:00-05:00", "America/Sao_Paulo"},
      {"2018-11-03T12:00:00-03:00", "@daily", "2018-11-05T00:00:00-02:00", "America/Sao_Paulo"},
      {"2018-11-03T12:00:00-03:00", "0 1 4 * *", "2018-11-04T01:00:00-02:00", "America/Sao_Paulo"},
      {"2010-11-06T23:30:00-02:30", "30 23 8 * *", "2010-11-08T23:30:00-03:30", "America/St_Johns"},
      {"2010-11-06T23:30:00-03:30", "30 23 8 * *", "2010-11-08T23:30:00-03:30", "America/St_Johns"},
      // half an hour
      {"2012-04-01T01:45:00+11:00", "45 1 * * *", "2012-04-01T01:45:00+10:30",
       "Australia/Lord_Howe"},
      // a time zone without changes
      {"2016-01-03T13:09:03+05:30", "14 14 * * *", "2016-01-03T14:14:00+05:30", "Asia/Kolkata"},
      {"2016-01-03T04:09:03+05:30", "14 14 * * ?", "2016-01-03T14:14:00+05:30", "Asia/Kolkata"},
      // later than the transitions in the files of tzdata
      {"2045-07-01T00:00:00Z", "0 12 * * *", "2045-07-01T12:00:00-04:00", kNewYork},
  };
  for (const auto& c : kCases) {
    const auto next = Parsed(c.schedule, c.zone).Next(At(c.time));
    const std::string wanted = c.next == "never" ? c.next : Text(At(c.next));
    Require(Text(next) == wanted, c.schedule + " in " + c.zone + " after " + c.time +
                                      " starts at " + Text(next) + ", not at " + wanted);
  }
}

// TestConstantDelayNext
void TestEvery() {
  const struct {
    std::string time, schedule, next;
  } kCases[] = {
      {"2012-07-09T14:45:00Z", "@every 15m", "2012-07-09T15:00:00Z"},
      {"2012-07-09T14:59:59Z", "@every 15m", "2012-07-09T15:14:59Z"},
      {"2012-07-09T15:45:00Z", "@every 35m", "2012-07-09T16:20:00Z"},
      {"2012-07-09T23:35:51Z", "@every 25h44m24s", "2012-07-11T01:20:15Z"},
      {"2012-12-31T23:59:45Z", "@every 15s", "2013-01-01T00:00:00Z"},
      // fractions of a second are dropped, and less than a second is one
      {"2012-07-09T14:45:00Z", "@every 15m0.5s", "2012-07-09T15:00:00Z"},
      {"2012-07-09T14:45:00Z", "@every 15ms", "2012-07-09T14:45:01Z"},
  };
  for (const auto& c : kCases) {
    const auto next = Parsed(c.schedule).Next(At(c.time));
    Require(next == At(c.next), c.schedule + " starts at " + Text(next));
  }
}

// TestErrors, TestRange, TestParseScheduleErrors, TestStandardSpecSchedule and TestSlash0NoHang
void TestRejects() {
  const struct {
    std::string schedule, error;
  } kCases[] = {
      {"", "the schedule is empty"},
      {"xyz", "expected exactly 5 fields, found 1: \"xyz\""},
      {"* * * *", "expected exactly 5 fields, found 4: \"* * * *\""},
      {"0 * * * * *", "expected exactly 5 fields, found 6: \"0 * * * * *\""},
      {"60 0 * * *", "minute \"60\": 60 is not in the range 0-59"},
      {"0 60 * * *", "hour \"60\": 60 is not in the range 0-23"},
      {"0 0 0 * *", "day of month \"0\": 0 is not in the range 1-31"},
      {"0 0 * 1-13 *", "month \"1-13\": 13 is not in the range 1-12"},
      {"0 0 * * 7", "day of week \"7\": 7 is not in the range 0-6"},
      {"0 0 * * XYZ", "day of week \"XYZ\": \"XYZ\" is not a number or a name"},
      {"5 j * * *", "hour \"j\": \"j\" is not a number"},
      {"jan * * * *", "minute \"jan\": \"jan\" is not a number"},
      {"0 0 * jan-x *", "month \"jan-x\": \"x\" is not a number or a name"},
      {"5--5 * * * *", "minute \"5--5\": too many hyphens"},
      {"*//2 * * * *", "minute \"*//2\": too many slashes"},
      {"5-3 * * * *", "minute \"5-3\": the range ends before it begins"},
      {"15/0 * * * *", "minute \"15/0\": the step must be a positive number"},
      {"*/-12 * * * *", "minute \"*/-12\": the step must be a positive number"},
      {", * * * *", "minute \",\": the list is empty"},
      {"@every Xm", "\"@every Xm\" is not a duration; write it as @every 1h30m"},
      {"@every 2100000h", "\"@every 2100000h\" is more than 100 years"},
      {"@every 876000h1s", "\"@every 876000h1s\" is more than 100 years"},
      {"@unrecognized", "unknown descriptor \"@unrecognized\""},
      {"TZ=UTC 0 0 * * *", "TZ and CRON_TZ are not supported; set spec.timeZone"},
      {"CRON_TZ=Asia/Tokyo @daily", "TZ and CRON_TZ are not supported; set spec.timeZone"},
  };
  for (const auto& c : kCases) {
    const auto parsed = Schedule::Parse(c.schedule);
    Require(!parsed, "\"" + c.schedule + "\" is rejected");
    Require(parsed.error().message == c.error && capstan::IsInvalid(parsed.error()),
            "the error of \"" + c.schedule + "\" is: " + parsed.error().message);
  }
  Parsed("59/9999999 23-23/1 1,5-7/2,3,,31 */12 *");  // these are valid
  Parsed("  0\t0 *  * ? ");
  Parsed("@every 876000h");
}

// The cases of TestValidateCronJob in k8s.io/kubernetes/pkg/apis/batch/validation.
void TestTimeZones() {
  for (const std::string name :
       {"", "Local", "LOCAL", "localtime", " Asia/Tokyo", "Asia/ Tokyo", "Asia//Tokyo", "/Asia",
        "Europe/London?", "../etc/localtime", "Asia/./Tokyo", "-Etc/GMT", "America", "Nowhere/City",
        "Fixed/UTC+01:00:00"}) {
    const auto zone = LoadTimeZone(name);
    Require(!zone && zone.error().message ==
                         "unknown time zone \"" + name +
                             "\"; use a name of the IANA database, such as Europe/Paris",
            "time zone \"" + name + "\" is rejected");
  }
  const auto format = [](const std::string& zone) {
    return FormatTimeIn(Value(LoadTimeZone(zone), zone), At("2016-05-19T10:00:00Z"));
  };
  Require(format("UTC") == "2016-05-19T10:00:00Z", "a time in UTC");
  Require(format("Europe/Rome") == "2016-05-19T12:00:00+02:00", "a time in Rome");
  Require(format("America/Argentina/Buenos_Aires") == "2016-05-19T07:00:00-03:00",
          "a time in Buenos Aires");
  Require(format("Etc/GMT+5") == "2016-05-19T05:00:00-05:00", "a name with a plus");
}

}  // namespace

int main() {
  return RunUnitTest([] {
    TestMatches();
    TestNext();
    TestEvery();
    TestRejects();
    TestTimeZones();
  });
}

// SPDX-License-Identifier: Apache-2.0
// controller_test [--real KUBECONFIG] calls Reconcile once in each case of
// TestControllerV2SyncCronJob, TestControllerV2CleanupFinishedJobs and
// TestControllerV2JobAlreadyExists... of Kubernetes 1.37 (pkg/controller/cronjob) and of
// TestControllerV2GetJobsToBeReconciled of 1.34, and compares the Jobs, the status and the Events.
// README.md has the differences.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "capstan/clientcmd/config.h"
#include "capstan/testing/apiserver/server.h"
#include "cronjob/world.h"
#include "testing/example_test.h"

namespace {

using cronjob_test::Case;
using cronjob_test::kAfterPriorHour;
using cronjob_test::kAfterTheHour;
using cronjob_test::kBeforeNextHour;
using cronjob_test::kBeforePriorHour;
using cronjob_test::kBeforeTheHour;
using cronjob_test::kEveryHour;
using cronjob_test::kLong;
using cronjob_test::kMedium;
using cronjob_test::kOnTheHour;
using cronjob_test::kShort;
using cronjob_test::kTheHour;
using cronjob_test::kWeekAfter;
using cronjob_test::World;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Upstream's names end with A, F or R for the three policies.
std::vector<Case> ForEachPolicy(const Case& c) {
  std::vector<Case> cases;
  for (const char* policy : {kAllowConcurrent, kForbidConcurrent, kReplaceConcurrent}) {
    cases.push_back(c);
    cases.back().policy = policy;
    cases.back().name += std::string(", ") + policy[0];
  }
  return cases;
}

std::vector<Case> NeverRan() {
  const Case due = {.name = "never ran, is time",
                    .creates = true,
                    .active = 1,
                    .events = "SuccessfulCreate",
                    .requeue = minutes(59)};
  std::vector<Case> cases = {
      {.name = "never ran, not valid time zone",
       .now = kBeforeTheHour,
       .zone = "bad timezone",
       .events = "!UnknownTimeZone"},
      {.name = "never ran, not time in zone",
       .now = kBeforeTheHour,
       .zone = "America/New_York",
       .requeue = minutes(1)},
      // Upstream follows it, with a warning.
      {.name = "never ran, is time in zone, but TZ is also set in schedule",
       .schedule = std::string("TZ=UTC ") + kOnTheHour,
       .zone = "America/New_York",
       .events = "!UnparseableSchedule"},
      {.name = "never ran, is time, suspended", .suspend = true},
      {.name = "never ran, is time, past deadline",
       .now = kAfterTheHour + minutes(11),
       .deadline = kShort,
       .requeue = minutes(48)},
  };
  const auto add = [&](const std::vector<Case>& more) {
    cases.insert(cases.end(), more.begin(), more.end());
  };
  add(ForEachPolicy({.name = "never ran, not valid schedule",
                     .schedule = "obvious error schedule",
                     .now = kBeforeTheHour,
                     .events = "!UnparseableSchedule"}));
  add(ForEachPolicy({.name = "never ran, not time", .now = kBeforeTheHour, .requeue = minutes(1)}));
  add(ForEachPolicy(due));
  Case changed = due;
  changed.name = "never ran, is time in zone";
  changed.zone = "America/New_York";
  add({changed});
  changed = due;
  changed.name = "never ran, is time, not past deadline";
  changed.deadline = kLong;
  add({changed});
  return cases;
}

std::vector<Case> PreviouslyRan() {
  const Case done = {.name = "prev ran but done, not time",
                     .now = kBeforeTheHour,
                     .ran = Case::kDone,
                     .events = "SawCompletedJob",
                     .requeue = minutes(1)};
  std::vector<Case> cases = ForEachPolicy(done);
  const auto add = [&](const std::vector<Case>& more) {
    cases.insert(cases.end(), more.begin(), more.end());
  };
  Case due = done;
  due.name = "prev ran but done, is time";
  due.now = kAfterTheHour;
  due.creates = true;
  due.active = 1;
  due.events = "SawCompletedJob SuccessfulCreate";
  due.requeue = minutes(59);
  add(ForEachPolicy(due));
  Case changed = due;
  changed.name = "prev ran but done, is time, not past deadline";
  changed.deadline = kLong;
  add({changed});
  // With a history limit the Job is deleted, and the time stays.
  for (const int limit : {0, 10}) {
    changed = done;
    changed.name =
        "set lastsuccessfultime if successfulJobHistoryLimit is " + std::to_string(limit);
    changed.successful_limit = limit;
    changed.deletes = limit == 0;
    if (changed.deletes) changed.events += " SuccessfulDelete";
    add({changed});
  }
  add({{.name = "prev ran but done, is time, suspended",
        .suspend = true,
        .ran = Case::kDone,
        .events = "SawCompletedJob"},
       {.name = "prev ran but done, is time, past deadline",
        .deadline = kShort,
        .ran = Case::kDone,
        .events = "SawCompletedJob",
        .requeue = minutes(59)},
       // The Job has the name of the new one, but not its time.
       {.name = "prev ran but done, is time, create job failed, A",
        .ran = Case::kDone,
        .job = std::nullopt,
        .events = "SawCompletedJob",
        .requeue = minutes(59)},
       {.name =
            "prev ran but done, is time, job not present in CJ active status, create job failed",
        .ran = Case::kDone,
        .job = std::nullopt,
        .in_status = false,
        .requeue = minutes(59)},
       {.name = "TestControllerV2JobAlreadyExistsButNotInActiveStatus",
        .ran = Case::kActive,
        .job = std::nullopt,
        .in_status = false,
        .active = 1,
        .requeue = minutes(59)},
       // Upstream does not read the time of the Job, and looks again after a minute.
       {.name = "this ran but done, time drifted back, F",
        .policy = kForbidConcurrent,
        .now = kBeforeTheHour,
        .ran = Case::kDone,
        .job = kAfterTheHour,
        .in_status = false,
        .requeue = minutes(61)}});

  Case overdue = due;
  overdue.now = kWeekAfter;
  overdue.requeue = hours(1);
  for (const auto& deadline : {kMedium, kShort}) {
    overdue.name =
        "prev ran but done, long overdue, past deadline " + std::to_string(deadline.count());
    overdue.deadline = deadline;
    add(ForEachPolicy(overdue));
  }
  overdue.events = "SawCompletedJob !TooManyMissedTimes SuccessfulCreate";
  overdue.name = "prev ran but done, long overdue, not past deadline";
  overdue.deadline = kLong;
  add(ForEachPolicy(overdue));
  overdue.name = "prev ran but done, long overdue, no deadline";
  overdue.deadline.reset();
  add(ForEachPolicy(overdue));
  return cases;
}

std::vector<Case> StillActive() {
  const Case active = {.name = "still active, not time",
                       .now = kBeforeTheHour,
                       .ran = Case::kActive,
                       .active = 1,
                       .requeue = minutes(1)};
  std::vector<Case> cases = ForEachPolicy(active);
  const auto add = [&](const std::vector<Case>& more) {
    cases.insert(cases.end(), more.begin(), more.end());
  };
  Case due = active;
  due.name = "still active, is time, A";
  due.now = kAfterTheHour;
  due.creates = true;
  due.active = 2;
  due.events = "SuccessfulCreate";
  due.requeue = minutes(59);
  add({due});
  due.name = "still active, is time, not past deadline";
  due.deadline = kLong;
  add({due});
  add({{.name = "still active, is time, F",
        .policy = kForbidConcurrent,
        .ran = Case::kActive,
        .active = 1,
        .events = "JobAlreadyActive",
        .requeue = minutes(59)},
       {.name = "still active, is time, R",
        .policy = kReplaceConcurrent,
        .ran = Case::kActive,
        .creates = true,
        .deletes = true,
        .active = 1,
        .events = "SuccessfulDelete SuccessfulCreate",
        .requeue = minutes(59)},
       {.name = "still active, is time, suspended",
        .suspend = true,
        .ran = Case::kActive,
        .active = 1},
       {.name = "still active, is time, past deadline",
        .deadline = kShort,
        .ran = Case::kActive,
        .active = 1,
        .requeue = minutes(59)}});
  add(ForEachPolicy(
      {.name = "this started but is not present in cronjob active list, not past deadline",
       .now = kAfterTheHour + milliseconds(100),
       .deadline = kLong,
       .ran = Case::kActive,
       .job = kTheHour,
       .in_status = false,
       .active = 1,
       .requeue = minutes(59) - milliseconds(100)}));
  return cases;
}

// The names lack "with @every schedule, ".
std::vector<Case> Every() {
  const auto never = [](const std::string& name, milliseconds now, milliseconds created,
                        std::optional<seconds> deadline, bool creates, milliseconds requeue) {
    return Case{.name = "never ran, " + name,
                .schedule = kEveryHour,
                .now = now,
                .deadline = deadline,
                .created = created,
                .creates = creates,
                .active = creates ? 1U : 0U,
                .events = creates ? "SuccessfulCreate" : "",
                .requeue = requeue};
  };
  const auto ran = [](const std::string& name, milliseconds now, milliseconds last,
                      std::optional<seconds> deadline, bool creates, milliseconds requeue) {
    return Case{.name = "prev ran but done, " + name,
                .schedule = kEveryHour,
                .now = now,
                .deadline = deadline,
                .ran = Case::kDone,
                .job = kBeforePriorHour,
                .last = last,
                .creates = creates,
                .active = creates ? 1U : 0U,
                .events = creates ? "SawCompletedJob SuccessfulCreate" : "SawCompletedJob",
                .requeue = requeue};
  };
  const auto active = [](const std::string& name, milliseconds now, milliseconds last,
                         std::optional<seconds> deadline, bool creates, milliseconds requeue) {
    return Case{.name = "still active, " + name,
                .schedule = kEveryHour,
                .now = now,
                .deadline = deadline,
                .ran = Case::kActive,
                .job = last,
                .last = last,
                .creates = creates,
                .active = creates ? 2U : 1U,
                .events = creates ? "SuccessfulCreate" : "",
                .requeue = requeue};
  };
  constexpr seconds kLate(11), kInTime(9);
  std::vector<Case> cases = {
      never("not time", kTheHour, kBeforeTheHour, {}, false, minutes(59)),
      never("is time", kBeforeTheHour, kBeforePriorHour, {}, true, hours(1)),
      never("is time, past deadline", kBeforeTheHour + kLate, kBeforePriorHour, kShort, false,
            hours(1) - kLate),
      never("is time, not past deadline", kBeforeTheHour + kInTime, kBeforePriorHour, kLong, true,
            hours(1) - kInTime),
      ran("not time", kTheHour, kBeforeTheHour, {}, false, minutes(59)),
      ran("is time", hours(1), kBeforeTheHour, {}, true, minutes(59)),
      ran("is time, past deadline", kBeforeNextHour + kLate, kBeforeTheHour, kShort, false,
          hours(1) - kLate),
      active("not time", kTheHour, kBeforeTheHour, {}, false, minutes(59)),
      active("is time", kAfterTheHour, kBeforePriorHour, {}, true, minutes(58)),
      active("is time, past deadline", kBeforeNextHour + kLate, kBeforeTheHour, kShort, false,
             hours(1) - kLate),
      active("is time, not past deadline", kBeforeNextHour + kInTime, kBeforeTheHour, kLong, true,
             hours(1) - kInTime),
      ran("long overdue, no deadline", kWeekAfter, kAfterTheHour, {}, true, minutes(1)),
      ran("long overdue, past deadline", kWeekAfter + minutes(1) + kLate, kAfterTheHour, kShort,
          false, hours(1) - kLate),
  };
  cases[cases.size() - 2].events = "SawCompletedJob !TooManyMissedTimes SuccessfulCreate";
  return cases;
}

void TestSync(World& world) {
  for (const auto& cases : {NeverRan(), PreviouslyRan(), StillActive(), Every()}) {
    for (const Case& c : cases) world.Run(c);
  }
}

// TestControllerV2JobAlreadyExistsButDifferentOwner
void TestJobOfAnotherOwner(World& world) {
  const Case c = {.name = "the name belongs to another Job"};
  world.Prepare(c);
  world.AddStranger();
  const CronJob before = world.Get();
  world.RequireRequeue({.name = c.name, .requeue = minutes(59)}, world.Reconcile());
  Require(world.TakeEvents() == "!FailedCreate", c.name + ": an Event");
  Require(world.Get().status == before.status && world.Jobs().size() == 1,
          c.name + ": nothing changes");
}

// TestControllerV2GetJobsToBeReconciled: the Jobs of a CronJob are those in its namespace whose
// controller it is, with any labels. Garbage collection would delete those of missing owners first.
void TestJobsOfCronJob() {
  capstan::testing::apiserver::Server server({.garbage_collection = false});
  Value(server.Start(), "the embedded API server starts");
  World world(server.Config());
  const Case c = {.name = "the Jobs of a CronJob", .now = kBeforeTheHour, .ran = Case::kActive};
  world.Prepare(c);
  const std::string other_namespace = world.NewNamespace();
  world.AddChangedJob([](Job& job) {
    job.metadata.name = "without-controller";
    job.metadata.owner_references.clear();
  });
  world.AddChangedJob([](Job& job) {
    job.metadata.name = "other-controller";
    job.metadata.owner_references.at(0).name = "another-cronjob";
    job.metadata.owner_references.at(0).uid = "12345678-1234-1234-1234-123456789012";
  });
  world.AddChangedJob([&](Job& job) {
    job.metadata.name = "other-namespace";
    job.metadata.namespace_ = other_namespace;
  });
  world.AddChangedJob([](Job& job) {
    job.metadata.name = "other-labels";
    job.metadata.labels = {{"key", "different-value"}};
  });
  world.AddChangedJob([](Job& job) {
    job.metadata.name = "no-labels";
    job.metadata.labels.clear();
  });
  Require(world.Reconcile().has_value(), c.name);
  std::string active;
  for (const auto& job : world.Get().status.active) active += job.name + " ";
  Require(active == world.NameAt(kAfterPriorHour) + " no-labels other-labels ",
          c.name + ": active are " + active);
}

// TestControllerV2CleanupFinishedJobs: "jobs are not deleted if history limit not reached" is the
// case of 10 above. The oldest Jobs are deleted, those of each kind for itself.
void TestHistory(World& world) {
  const Case c = {.name = "the oldest Jobs are deleted",
                  .now = kBeforeTheHour,
                  .ran = Case::kDone,
                  .in_status = false,
                  .successful_limit = 2};
  world.Prepare(c);
  const CronJob cron_job = world.Get();
  std::vector<std::string> wanted = {world.NameAt(kAfterPriorHour) + "-failed"};
  for (const int hour : {2, 3, 4}) {
    Case older = c;
    older.job = kAfterPriorHour - hours(hour);
    const Job job = world.AddJob(cron_job, older, "");
    if (hour == 2) wanted.push_back(job.metadata.name);
  }
  wanted.push_back(world.NameAt(kAfterPriorHour));
  world.AddJob(cron_job, c, "-failed", "Failed");
  Require(world.Reconcile().has_value(), c.name);
  Require(world.TakeEvents() == "SuccessfulDelete SuccessfulDelete", c.name + ": the Events");
  world.RequireJobs(wanted, c.name);
}

// A fault needs the embedded API server.
void TestErrors() {
  capstan::testing::apiserver::Server server;
  Value(server.Start(), "the embedded API server starts");
  World world(server.Config());
  // "jobs are still deleted when a cronjob can't create jobs due to jobs quota being reached"
  const Case quota = {.name = "the quota of Jobs is reached",
                      .ran = Case::kDone,
                      .in_status = false,
                      .successful_limit = 0};
  world.Prepare(quota);
  server.InjectFault(
      {.match = {.verb = "create", .resource = "jobs"}, .code = 403, .message = "exceeded quota"});
  auto result = world.Reconcile();
  Require(!result && result.error().error.message.find("exceeded quota") != std::string::npos,
          quota.name + ": an error, which is retried");
  Require(world.TakeEvents() == "!FailedCreate SuccessfulDelete", quota.name + ": the Events");
  Require(world.Jobs().empty(), quota.name + ": old Jobs are deleted");
  Require(world.Get().status.last_successful_time.has_value(),
          quota.name + ": the status is written");

  const Case replace = {.name = "still active, is time, get job failed, R",
                        .policy = kReplaceConcurrent,
                        .ran = Case::kActive};
  world.Prepare(replace);
  server.InjectFault({.match = {.verb = "delete", .resource = "jobs"}, .code = 400});
  result = world.Reconcile();
  Require(!result, replace.name + ": an error, which is retried");
  Require(world.TakeEvents() == "!FailedDelete", replace.name + ": the Events");
  Require(world.Get().status.active.size() == 1 && world.Jobs().size() == 1,
          replace.name + ": the Job is still active");

  // The write of the status is lost. The Job has the time.
  const Case lost = {.name = "the status cannot be written", .events = "", .requeue = minutes(59)};
  world.Prepare(lost);
  server.InjectFault(
      {.match = {.verb = "update", .resource = "cronjobs", .subresource = "status"}, .code = 409});
  Require(!world.Reconcile(), lost.name + ": an error, which is retried");
  Require(world.TakeEvents() == "SuccessfulCreate", lost.name + ": the Events");
  world.RequireRequeue(lost, world.Reconcile());
  Require(world.TakeEvents().empty() && world.Jobs().size() == 1, lost.name + ": no second Job");
  Require(world.Get().status.last_schedule_time && world.Get().status.active.size() == 1,
          lost.name + ": the status is written");
}

// A Job that the history limit deletes has the only copy of its scheduled time until the status has
// it. The Job does not start again.
void TestTimeIsSavedFirst() {
  capstan::testing::apiserver::Server server;
  Value(server.Start(), "the embedded API server starts");
  World world(server.Config());
  const Case c = {.name = "the time of a Job is saved before the Job is deleted",
                  .ran = Case::kDone,
                  .job = kTheHour,
                  .in_status = false,
                  .successful_limit = 0,
                  .requeue = minutes(59)};
  world.Prepare(c);
  server.InjectFault({.match = {.verb = "update", .resource = "cronjobs", .subresource = "status"},
                      .code = 403,
                      .count = -1});
  for (int i = 0; i < 2; ++i) {
    Require(!world.Reconcile(), c.name + ": an error, which is retried");
    Require(world.TakeEvents().empty() && world.Jobs().size() == 1, c.name + ": the Job is left");
  }
  server.ClearFaults();
  world.RequireRequeue(c, world.Reconcile());
  Require(world.TakeEvents() == "SuccessfulDelete" && world.Jobs().empty(),
          c.name + ": the Job is deleted");
  Require(world.Get().status.last_schedule_time == world.At(kTheHour),
          c.name + ": the status has its time");
}

// Replace has deleted a Job, and none can start before the deadline. The cache is late. The deleted
// Job is not active again.
void TestReplacedJobIsGone() {
  capstan::testing::apiserver::Server server;
  Value(server.Start(), "the embedded API server starts");
  World world(server.Config());
  const Case c = {.name = "the next Job is not created",
                  .policy = kReplaceConcurrent,
                  .now = kTheHour + seconds(5),
                  .deadline = kShort,
                  .ran = Case::kActive};
  world.Prepare(c);
  server.InjectFault({.match = {.verb = "create", .resource = "jobs"}, .code = 403});
  server.InjectFault({.match = {.verb = "watch", .resource = "jobs"},
                      .action = capstan::testing::apiserver::FaultAction::kDelay,
                      .delay = seconds(1)});
  server.CutWatches();

  Require(!world.Reconcile(), c.name + ": an error, which is retried");
  Require(world.TakeEvents() == "SuccessfulDelete !FailedCreate", c.name + ": the Events");
  world.clock().StepWall(kShort);
  Require(world.Reconcile().has_value(), c.name + ": it is too late to start");
  Require(world.TakeEvents().empty(), c.name + ": no more Events");
  Require(world.Get().status.active.empty(), c.name + ": the status");
}

}  // namespace

int main(int argc, char** argv) {
  return RunTest(argc, argv, [](const std::string& kubeconfig) {
    World world(Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}),
                      "the kubeconfig is read"));
    TestSync(world);
    TestJobOfAnotherOwner(world);
    TestHistory(world);
    TestJobsOfCronJob();
    TestErrors();
    TestTimeIsSavedFirst();
    TestReplacedJobIsGone();
  });
}

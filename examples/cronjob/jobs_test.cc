// SPDX-License-Identifier: Apache-2.0
// The cases of TestGetJobFromTemplate2 and TestByJobStartTime in pkg/controller/cronjob of
// Kubernetes 1.37.
#include "cronjob/jobs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/controller_util.h"
#include "capstan/typed_object.h"
#include "testing/example_test.h"

namespace {

using capstan::Time;
using Texts = std::map<std::string, std::string>;

Time At(const std::string& text) { return capstan::ToTime(*capstan::ParseTime(text)); }

void TestMakeJob() {
  const struct {
    std::string name, zone;
    Texts annotations;
    std::string scheduled;
  } kCases[] = {
      {"UTC timezone and one annotation", "UTC", {{"x", "y"}}, "2016-05-19T10:00:00Z"},
      {"correct timezone and multiple annotation",
       "Europe/Rome",
       {{"x", "y"}, {"z", "x"}},
       "2016-05-19T12:00:00+02:00"},
  };
  CronJob cron_job;
  cron_job.metadata.name = "mycronjob";
  cron_job.metadata.namespace_ = "snazzycats";
  cron_job.spec.job_template.metadata.labels = {{"a", "b"}};
  cron_job.spec.job_template.spec.active_deadline_seconds = 1;
  Require(!MakeJob(cron_job, At("2016-05-19T10:00:00Z"), {}), "a CronJob without a uid");
  cron_job.metadata.uid = "1a2b3c";
  for (const auto& c : kCases) {
    cron_job.spec.job_template.metadata.annotations = c.annotations;
    const Job job = Value(
        MakeJob(cron_job, At("2016-05-19T10:00:00Z"), Value(LoadTimeZone(c.zone), c.zone)), c.name);
    Require(job.metadata.name == "mycronjob-24394200" && job.metadata.namespace_ == "snazzycats",
            c.name + ": the name " + job.metadata.name);
    Require(job.metadata.labels == Texts{{"a", "b"}}, c.name + ": the labels");
    Texts annotations = c.annotations;
    annotations[kScheduledAtAnnotation] = c.scheduled;
    Require(job.metadata.annotations == annotations, c.name + ": the annotations");
    Require(capstan::IsControlledBy(job.metadata, cron_job), c.name + ": the owner");
    Require(job.spec == cron_job.spec.job_template.spec,
            c.name + ": the spec is that of the template");
    Job made;
    made.metadata = job.metadata;
    Require(ScheduledTimeOf(made) == At("2016-05-19T10:00:00Z"), c.name + ": the time is read");
  }
  cron_job.metadata.name = std::string(kCronJobNameMax, 'a');
  Require(JobNameFor(cron_job, At("2150-01-01T00:00:00Z")).size() <= 63, "the longest name");
}

Job JobWith(const std::string& name, std::optional<Time> started) {
  Job job;
  job.metadata.name = name;
  job.status.start_time = started;
  return job;
}

void TestStartedBefore() {
  const Time now = At("2018-01-01T02:03:04Z");
  const Time later = At("2019-01-01T02:03:04Z");
  const struct {
    std::string name;
    std::vector<Job> jobs;
    std::string sorted;
  } kCases[] = {
      {"both have nil start times", {JobWith("b", {}), JobWith("a", {})}, "ab"},
      {"only the first has a nil start time", {JobWith("a", {}), JobWith("b", now)}, "ba"},
      {"only the second has a nil start time", {JobWith("a", now), JobWith("b", {})}, "ab"},
      {"both have non-nil, equal start time", {JobWith("b", now), JobWith("a", now)}, "ab"},
      {"both have non-nil, different start time", {JobWith("a", later), JobWith("b", now)}, "ba"},
  };
  for (const auto& c : kCases) {
    std::vector<Job> jobs = c.jobs;
    std::sort(jobs.begin(), jobs.end(), StartedBefore);
    Require(jobs[0].metadata.name + jobs[1].metadata.name == c.sorted, c.name);
  }
}

void TestFinishedType() {
  Job job;
  Require(FinishedType(job).empty(), "a Job without conditions");
  job.status.conditions = {{"SuccessCriteriaMet", "True"}, {"Complete", "False"}};
  Require(FinishedType(job).empty(), "a Job that will complete");
  job.status.conditions.push_back({"Failed", "True"});
  Require(FinishedType(job) == "Failed", "a failed Job");
  job.metadata.annotations[kScheduledAtAnnotation] = "soon";
  Require(!ScheduledTimeOf(job), "an annotation that is no time");
}

}  // namespace

int main() {
  return RunUnitTest([] {
    TestMakeJob();
    TestStartedBefore();
    TestFinishedType();
  });
}

// SPDX-License-Identifier: Apache-2.0
// The cases of internal/webhook/v1/cronjob_webhook_test.go of the kubebuilder book, and the time
// zone. cronjob_test.cc calls the webhooks through an API server.
#include "cronjob/webhook.h"

#include <string>

#include "testing/example_test.h"

namespace {

const std::string kTooLong =
    "this-name-is-way-too-long-and-should-fail-validation-because-it-is-way-too-long";

CronJob NewCronJob() {
  CronJob cron_job;
  cron_job.metadata.name = "valid-cronjob-name";
  cron_job.spec.schedule = "*/5 * * * *";
  cron_job.spec.concurrency_policy = kAllowConcurrent;
  cron_job.spec.successful_jobs_history_limit = 3;
  cron_job.spec.failed_jobs_history_limit = 1;
  return cron_job;
}

// Requires that Validate rejects the CronJob with this text in its error.
void RequireRejected(const CronJob& cron_job, const std::string& text, const std::string& what) {
  const auto valid = Validate(cron_job);
  Require(!valid, what);
  Require(
      capstan::IsInvalid(valid.error()) && valid.error().message.find(text) != std::string::npos,
      what + ": " + valid.error().message);
}

void TestDefaults() {
  CronJob cron_job;
  cron_job.spec.schedule = "*/5 * * * *";
  cron_job.spec.concurrency_policy.clear();
  SetDefaults(cron_job);
  Require(cron_job.spec.concurrency_policy == kAllowConcurrent && cron_job.spec.suspend == false &&
              cron_job.spec.successful_jobs_history_limit == 3 &&
              cron_job.spec.failed_jobs_history_limit == 1,
          "Should apply defaults when a required field is empty");

  cron_job.spec.concurrency_policy = kForbidConcurrent;
  cron_job.spec.suspend = true;
  cron_job.spec.successful_jobs_history_limit = 5;
  cron_job.spec.failed_jobs_history_limit = 0;
  SetDefaults(cron_job);
  Require(cron_job.spec.concurrency_policy == kForbidConcurrent && cron_job.spec.suspend == true &&
              cron_job.spec.successful_jobs_history_limit == 5 &&
              cron_job.spec.failed_jobs_history_limit == 0,
          "Should not overwrite fields that are already set");
}

void TestValidation() {
  CronJob cron_job = NewCronJob();
  Value(Validate(cron_job), "Should admit creation if the name and the schedule are valid");
  cron_job.metadata.name = kTooLong;
  RequireRejected(cron_job, "metadata.name: must have at most 52 characters",
                  "Should deny creation if the name is too long");
  cron_job.metadata.name = kTooLong.substr(0, 52);
  Value(Validate(cron_job), "a name of 52 characters");
  cron_job.metadata.name = kTooLong.substr(0, 53);
  RequireRejected(cron_job, "metadata.name", "a name of 53 characters");

  cron_job = NewCronJob();
  cron_job.spec.schedule = "invalid-cron-schedule";
  RequireRejected(cron_job,
                  "spec.schedule: expected exactly 5 fields, found 1: \"invalid-cron-schedule\"",
                  "Should deny creation if the schedule is invalid");
  cron_job.metadata.name = kTooLong;
  RequireRejected(cron_job, "; spec.schedule",
                  "Should deny update if both name and spec are invalid");
  cron_job.metadata.deletion_timestamp = capstan::Time();
  Value(Validate(cron_job), "an invalid CronJob that is being deleted");

  cron_job = NewCronJob();
  cron_job.metadata.name = "valid-cronjob-name-updated";
  cron_job.spec.schedule = "0 0 * * *";
  Value(Validate(cron_job), "Should admit update if both name and spec are valid");

  cron_job.spec.time_zone = "Europe/Paris";
  Value(Validate(cron_job), "a time zone");
  cron_job.spec.time_zone = "Nowhere/City";
  RequireRejected(cron_job, "spec.timeZone: unknown time zone \"Nowhere/City\"",
                  "an unknown time zone");
  cron_job.spec.time_zone.reset();
  cron_job.spec.schedule = "TZ=Europe/Paris 0 0 * * *";
  RequireRejected(cron_job, "spec.schedule: TZ and CRON_TZ are not supported; set spec.timeZone",
                  "a time zone in the schedule");
}

}  // namespace

int main() {
  return RunUnitTest([] {
    TestDefaults();
    TestValidation();
  });
}

// SPDX-License-Identifier: Apache-2.0
#include "cronjob/webhook.h"

#include <string>

#include "capstan/webhook/builder.h"
#include "cronjob/jobs.h"
#include "cronjob/schedule.h"
#include "cronjob/time_zone.h"

using capstan::Err;
using capstan::ErrorReason;
using capstan::Expected;

void SetDefaults(CronJob& cron_job) {
  CronJob::Spec& spec = cron_job.spec;
  if (spec.concurrency_policy.empty()) spec.concurrency_policy = kAllowConcurrent;
  if (!spec.suspend) spec.suspend = false;
  if (!spec.successful_jobs_history_limit) spec.successful_jobs_history_limit = 3;
  if (!spec.failed_jobs_history_limit) spec.failed_jobs_history_limit = 1;
}

Expected<void> Validate(const CronJob& cron_job) {
  // A finalizer must be removable from a CronJob that became invalid.
  if (cron_job.metadata.deletion_timestamp) return {};
  std::string problems;
  const auto add = [&](const std::string& path, const std::string& problem) {
    problems += (problems.empty() ? "" : "; ") + path + ": " + problem;
  };
  if (cron_job.metadata.name.size() > kCronJobNameMax) {
    add("metadata.name", "must have at most " + std::to_string(kCronJobNameMax) +
                             " characters, because the names of Jobs have 11 more");
  }
  if (cron_job.spec.time_zone) {
    const auto zone = LoadTimeZone(*cron_job.spec.time_zone);
    if (!zone) add("spec.timeZone", zone.error().message);
  }
  const auto schedule = Schedule::Parse(cron_job.spec.schedule);
  if (!schedule) add("spec.schedule", schedule.error().message);
  if (problems.empty()) return {};
  return Err(ErrorReason::kInvalid,
             "CronJob \"" + cron_job.metadata.name + "\" is invalid: " + problems);
}

Expected<void> AddCronJobWebhooks(capstan::Manager& manager) {
  return capstan::webhook::WebhookFor<CronJob>(manager)
      .Default(SetDefaults)
      .ValidateCreateAndUpdate(Validate)
      .Complete();
}

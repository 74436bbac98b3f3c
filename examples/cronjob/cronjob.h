// SPDX-License-Identifier: Apache-2.0
// The kind CronJob. Mirrors api/v1 of the kubebuilder book. Adds spec.timeZone and
// status.lastSuccessfulTime, which the CronJob of Kubernetes has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capstan/api/batch/v1/cron_job.h"
#include "capstan/api/object_reference.h"
#include "capstan/kind.h"
#include "cronjob/time_zone.h"

// The values of spec.concurrencyPolicy.
inline constexpr char kAllowConcurrent[] = "Allow";      // Jobs may run at the same time
inline constexpr char kForbidConcurrent[] = "Forbid";    // no start while a Job runs
inline constexpr char kReplaceConcurrent[] = "Replace";  // the running Job is deleted

struct CronJob {
  capstan::ObjectMeta metadata;
  struct Spec {
    std::string schedule;
    std::optional<std::string> time_zone;                   // nullopt: UTC
    std::optional<std::int64_t> starting_deadline_seconds;  // nullopt: none
    std::string concurrency_policy = kAllowConcurrent;
    std::optional<bool> suspend;
    capstan::api::batch::v1::JobTemplateSpec job_template;
    std::optional<std::int32_t> successful_jobs_history_limit;  // nullopt: none
    std::optional<std::int32_t> failed_jobs_history_limit;
  } spec;
  struct Status {
    std::vector<capstan::api::ObjectReference> active;
    std::optional<capstan::Time> last_schedule_time;
    std::optional<capstan::Time> last_successful_time;
    friend bool operator==(const Status&, const Status&) = default;
  } status;
};

template <>
inline constexpr auto capstan::kKind<CronJob> =
    Kind("batch.tutorial.kubebuilder.io", "v1", "CronJob", "cronjobs")
        .Namespaced()
        .Description("CronJob starts Jobs at the times of a schedule.")
        .Column({.name = "Schedule", .type = "string", .json_path = ".spec.schedule"})
        .Column({.name = "Suspend", .type = "boolean", .json_path = ".spec.suspend"})
        .Column({.name = "Last Schedule", .type = "date", .json_path = ".status.lastScheduleTime"})
        .Spec(Field("schedule", &CronJob::Spec::schedule)
                  .Required()
                  .Description("Five fields of cron, or a descriptor such as @hourly."),
              Field("timeZone", &CronJob::Spec::time_zone)
                  .MaxLength(kTimeZoneNameMax)
                  .Description("A name of the IANA database. By default the zone is UTC."),
              Field("startingDeadlineSeconds", &CronJob::Spec::starting_deadline_seconds)
                  .Minimum(0)
                  .Description("A Job that could not start for this time is skipped."),
              Field("concurrencyPolicy", &CronJob::Spec::concurrency_policy)
                  .Enum(kAllowConcurrent, kForbidConcurrent, kReplaceConcurrent)
                  .Default(kAllowConcurrent)
                  .Description("What happens when a Job still runs at the time of the next one."),
              Field("suspend", &CronJob::Spec::suspend)
                  .Description("Starts no more Jobs. Running Jobs continue."),
              Field("jobTemplate", &CronJob::Spec::job_template).Required(),
              Field("successfulJobsHistoryLimit", &CronJob::Spec::successful_jobs_history_limit)
                  .Minimum(0)
                  .Description("The number of successful Jobs to keep."),
              Field("failedJobsHistoryLimit", &CronJob::Spec::failed_jobs_history_limit)
                  .Minimum(0)
                  .Description("The number of failed Jobs to keep."))
        .Status(Field("active", &CronJob::Status::active)
                    .Description("The Jobs that have not finished."),
                Field("lastScheduleTime", &CronJob::Status::last_schedule_time)
                    .Description("The scheduled time of the last Job."),
                Field("lastSuccessfulTime", &CronJob::Status::last_successful_time)
                    .Description("When a Job last completed."));

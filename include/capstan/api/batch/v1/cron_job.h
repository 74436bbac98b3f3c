// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/batch/v1/job_spec.h"
#include "capstan/api/core/v1/object_reference.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::batch::v1 {

// JobTemplateSpec describes the data a Job should have when created from a template
struct CAPSTAN_EXPORT JobTemplateSpec {
  // Standard object's metadata of the jobs created from this template. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the desired behavior of the job. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  JobSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const JobTemplateSpec& a, const JobTemplateSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const JobTemplateSpec*);

// ConcurrencyPolicy describes how the job will be handled. Only one of the following concurrent
// policies may be specified. If none of the following policies is specified, the default one is
// AllowConcurrent.
// AllowConcurrent allows CronJobs to run concurrently.
inline constexpr std::string_view kAllowConcurrent = "Allow";
// ForbidConcurrent forbids concurrent runs, skipping next run if previous hasn't finished yet.
inline constexpr std::string_view kForbidConcurrent = "Forbid";
// ReplaceConcurrent cancels currently running job and replaces it with a new one.
inline constexpr std::string_view kReplaceConcurrent = "Replace";

// CronJobSpec describes how the job execution will look like and when it will actually run.
struct CAPSTAN_EXPORT CronJobSpec {
  // The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.
  std::string schedule = {};
  // The time zone name for the given schedule, see
  // https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will
  // default to the time zone of the kube-controller-manager process. The set of valid time zone
  // names and the time zone offset is loaded from the system-wide time zone database by the API
  // server during CronJob validation and the controller manager during execution. If no system-wide
  // time zone database can be found a bundled version of the database is used instead. If the time
  // zone name becomes invalid during the lifetime of a CronJob or due to a change in host
  // configuration, the controller will stop creating new new Jobs and will create a system event
  // with the reason UnknownTimeZone. More information can be found in
  // https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones
  std::optional<std::string> time_zone = {};
  // Optional deadline in seconds for starting the job if it misses scheduled time for any reason.
  // Missed jobs executions will be counted as failed ones.
  std::optional<std::int64_t> starting_deadline_seconds = {};
  // Specifies how to treat concurrent executions of a Job. Valid values are:
  // - "Allow" (default): allows CronJobs to run concurrently;
  // - "Forbid": forbids concurrent runs, skipping next run if previous run hasn't finished yet;
  // - "Replace": cancels currently running job and replaces it with a new one
  std::string concurrency_policy = {};
  // This flag tells the controller to suspend subsequent executions, it does not apply to already
  // started executions.  Defaults to false.
  std::optional<bool> suspend = {};
  // Specifies the job that will be created when executing a CronJob.
  JobTemplateSpec job_template = {};
  // The number of successful finished jobs to retain. Value must be non-negative integer. Defaults
  // to 3.
  std::optional<std::int32_t> successful_jobs_history_limit = {};
  // The number of failed finished jobs to retain. Value must be non-negative integer. Defaults to
  // 1.
  std::optional<std::int32_t> failed_jobs_history_limit = {};
};
CAPSTAN_EXPORT bool operator==(const CronJobSpec& a, const CronJobSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CronJobSpec*);

// CronJobStatus represents the current state of a cron job.
struct CAPSTAN_EXPORT CronJobStatus {
  // A list of pointers to currently running jobs.
  List<core::v1::ObjectReference> active = {};
  // Information when was the last time the job was successfully scheduled.
  std::optional<Time> last_schedule_time = {};
  // Information when was the last time the job successfully completed.
  std::optional<Time> last_successful_time = {};
};
CAPSTAN_EXPORT bool operator==(const CronJobStatus& a, const CronJobStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CronJobStatus*);

// CronJob represents the configuration of a single cron job.
struct CAPSTAN_EXPORT CronJob {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the desired behavior of a cron job, including the schedule. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  CronJobSpec spec = {};
  // Current status of a cron job. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  CronJobStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const CronJob& a, const CronJob& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CronJob*);

}  // namespace capstan::api::batch::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::batch::v1::CronJob> =
    capstan::Kind("batch", "v1", "CronJob", "cronjobs").Namespaced().Whole().Spec().Status();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/batch/v1/cron_job.h"
#include "capstan/api/batch/v1/job.h"
#include "capstan/api/batch/v1/job_spec.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::batch::v1 {

CAPSTAN_LAYOUT(JobTemplateSpec,
    CAPSTAN_FIELD(JobTemplateSpec, "metadata", metadata),
    CAPSTAN_FIELD(JobTemplateSpec, "spec", spec))

CAPSTAN_LAYOUT(CronJobSpec,
    CAPSTAN_REQUIRED(CronJobSpec, "schedule", schedule),
    CAPSTAN_FIELD(CronJobSpec, "timeZone", time_zone),
    CAPSTAN_FIELD(CronJobSpec, "startingDeadlineSeconds", starting_deadline_seconds),
    CAPSTAN_FIELD(CronJobSpec, "concurrencyPolicy", concurrency_policy),
    CAPSTAN_FIELD(CronJobSpec, "suspend", suspend),
    CAPSTAN_REQUIRED(CronJobSpec, "jobTemplate", job_template),
    CAPSTAN_FIELD(CronJobSpec, "successfulJobsHistoryLimit", successful_jobs_history_limit),
    CAPSTAN_FIELD(CronJobSpec, "failedJobsHistoryLimit", failed_jobs_history_limit))

CAPSTAN_LAYOUT(CronJobStatus,
    CAPSTAN_FIELD(CronJobStatus, "active", active),
    CAPSTAN_FIELD(CronJobStatus, "lastScheduleTime", last_schedule_time),
    CAPSTAN_FIELD(CronJobStatus, "lastSuccessfulTime", last_successful_time))

CAPSTAN_LAYOUT(CronJob,
    CAPSTAN_PART(CronJob, "metadata", metadata, kMetadata),
    CAPSTAN_PART(CronJob, "spec", spec, kSpec),
    CAPSTAN_PART(CronJob, "status", status, kStatus))

CAPSTAN_LAYOUT(JobCondition,
    CAPSTAN_REQUIRED(JobCondition, "type", type),
    CAPSTAN_REQUIRED(JobCondition, "status", status),
    CAPSTAN_FIELD(JobCondition, "lastProbeTime", last_probe_time),
    CAPSTAN_FIELD(JobCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(JobCondition, "reason", reason),
    CAPSTAN_FIELD(JobCondition, "message", message))

CAPSTAN_LAYOUT(UncountedTerminatedPods,
    CAPSTAN_FIELD(UncountedTerminatedPods, "succeeded", succeeded),
    CAPSTAN_FIELD(UncountedTerminatedPods, "failed", failed))

CAPSTAN_LAYOUT(JobStatus,
    CAPSTAN_FIELD(JobStatus, "conditions", conditions),
    CAPSTAN_FIELD(JobStatus, "startTime", start_time),
    CAPSTAN_FIELD(JobStatus, "completionTime", completion_time),
    CAPSTAN_NUMBER(JobStatus, "active", active),
    CAPSTAN_NUMBER(JobStatus, "succeeded", succeeded),
    CAPSTAN_NUMBER(JobStatus, "failed", failed),
    CAPSTAN_FIELD(JobStatus, "terminating", terminating),
    CAPSTAN_FIELD(JobStatus, "completedIndexes", completed_indexes),
    CAPSTAN_FIELD(JobStatus, "failedIndexes", failed_indexes),
    CAPSTAN_FIELD(JobStatus, "uncountedTerminatedPods", uncounted_terminated_pods),
    CAPSTAN_FIELD(JobStatus, "ready", ready))

CAPSTAN_LAYOUT(Job,
    CAPSTAN_PART(Job, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Job, "spec", spec, kSpec),
    CAPSTAN_PART(Job, "status", status, kStatus))

CAPSTAN_LAYOUT(PodFailurePolicyOnExitCodesRequirement,
    CAPSTAN_FIELD(PodFailurePolicyOnExitCodesRequirement, "containerName", container_name),
    CAPSTAN_REQUIRED(PodFailurePolicyOnExitCodesRequirement, "operator", operator_),
    CAPSTAN_REQUIRED(PodFailurePolicyOnExitCodesRequirement, "values", values))

CAPSTAN_LAYOUT(PodFailurePolicyOnPodConditionsPattern,
    CAPSTAN_REQUIRED(PodFailurePolicyOnPodConditionsPattern, "type", type),
    CAPSTAN_REQUIRED(PodFailurePolicyOnPodConditionsPattern, "status", status))

CAPSTAN_LAYOUT(PodFailurePolicyRule,
    CAPSTAN_REQUIRED(PodFailurePolicyRule, "action", action),
    CAPSTAN_FIELD(PodFailurePolicyRule, "onExitCodes", on_exit_codes),
    CAPSTAN_FIELD(PodFailurePolicyRule, "onPodConditions", on_pod_conditions))

CAPSTAN_LAYOUT(PodFailurePolicy,
    CAPSTAN_REQUIRED(PodFailurePolicy, "rules", rules))

CAPSTAN_LAYOUT(SuccessPolicyRule,
    CAPSTAN_FIELD(SuccessPolicyRule, "succeededIndexes", succeeded_indexes),
    CAPSTAN_FIELD(SuccessPolicyRule, "succeededCount", succeeded_count))

CAPSTAN_LAYOUT(SuccessPolicy,
    CAPSTAN_REQUIRED(SuccessPolicy, "rules", rules))

CAPSTAN_LAYOUT(JobSchedulingConfiguration,
    CAPSTAN_FIELD(JobSchedulingConfiguration, "schedulingPolicy", scheduling_policy),
    CAPSTAN_FIELD(JobSchedulingConfiguration, "schedulingConstraints", scheduling_constraints),
    CAPSTAN_FIELD(JobSchedulingConfiguration, "disruptionMode", disruption_mode),
    CAPSTAN_FIELD(JobSchedulingConfiguration, "resourceClaims", resource_claims))

CAPSTAN_LAYOUT(JobSpec,
    CAPSTAN_FIELD(JobSpec, "parallelism", parallelism),
    CAPSTAN_FIELD(JobSpec, "completions", completions),
    CAPSTAN_FIELD(JobSpec, "activeDeadlineSeconds", active_deadline_seconds),
    CAPSTAN_FIELD(JobSpec, "podFailurePolicy", pod_failure_policy),
    CAPSTAN_FIELD(JobSpec, "successPolicy", success_policy),
    CAPSTAN_FIELD(JobSpec, "backoffLimit", backoff_limit),
    CAPSTAN_FIELD(JobSpec, "backoffLimitPerIndex", backoff_limit_per_index),
    CAPSTAN_FIELD(JobSpec, "maxFailedIndexes", max_failed_indexes),
    CAPSTAN_FIELD(JobSpec, "selector", selector),
    CAPSTAN_FIELD(JobSpec, "manualSelector", manual_selector),
    CAPSTAN_REQUIRED(JobSpec, "template", template_),
    CAPSTAN_FIELD(JobSpec, "ttlSecondsAfterFinished", ttl_seconds_after_finished),
    CAPSTAN_FIELD(JobSpec, "completionMode", completion_mode),
    CAPSTAN_FIELD(JobSpec, "suspend", suspend),
    CAPSTAN_FIELD(JobSpec, "podReplacementPolicy", pod_replacement_policy),
    CAPSTAN_FIELD(JobSpec, "managedBy", managed_by),
    CAPSTAN_FIELD(JobSpec, "scheduling", scheduling))

}  // namespace capstan::api::batch::v1

template class capstan::List<capstan::api::batch::v1::JobCondition>;
template class capstan::Boxed<capstan::api::batch::v1::UncountedTerminatedPods>;
template class capstan::Boxed<capstan::api::batch::v1::PodFailurePolicyOnExitCodesRequirement>;
template class capstan::List<capstan::api::batch::v1::PodFailurePolicyOnPodConditionsPattern>;
template class capstan::List<capstan::api::batch::v1::PodFailurePolicyRule>;
template class capstan::Boxed<capstan::api::batch::v1::PodFailurePolicy>;
template class capstan::List<capstan::api::batch::v1::SuccessPolicyRule>;
template class capstan::Boxed<capstan::api::batch::v1::SuccessPolicy>;
template class capstan::Boxed<capstan::api::batch::v1::JobSchedulingConfiguration>;

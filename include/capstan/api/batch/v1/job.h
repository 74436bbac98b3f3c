// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/batch/v1/job_spec.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::batch::v1 {

// JobSuspended means the job has been suspended.
inline constexpr std::string_view kJobSuspended = "Suspended";
// JobComplete means the job has completed its execution.
inline constexpr std::string_view kJobComplete = "Complete";
// JobFailed means the job has failed its execution.
inline constexpr std::string_view kJobFailed = "Failed";
// FailureTarget means the job is about to fail its execution.
inline constexpr std::string_view kJobFailureTarget = "FailureTarget";
// JobSuccessCriteriaMet means the Job has been succeeded.
inline constexpr std::string_view kJobSuccessCriteriaMet = "SuccessCriteriaMet";

// JobCondition describes current state of a job.
struct CAPSTAN_EXPORT JobCondition {
  // Type of job condition, Complete or Failed.
  std::string type = {};
  // Status of the condition, one of True, False, Unknown.
  std::string status = {};
  // Last time the condition was checked.
  std::optional<Time> last_probe_time = {};
  // Last time the condition transit from one status to another.
  std::optional<Time> last_transition_time = {};
  // (brief) reason for the condition's last transition.
  std::string reason = {};
  // Human readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const JobCondition& a, const JobCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const JobCondition*);

// UncountedTerminatedPods holds UIDs of Pods that have terminated but haven't been accounted in Job
// status counters.
struct CAPSTAN_EXPORT UncountedTerminatedPods {
  // succeeded holds UIDs of succeeded Pods.
  std::vector<std::string> succeeded = {};
  // failed holds UIDs of failed Pods.
  std::vector<std::string> failed = {};
};
CAPSTAN_EXPORT bool operator==(const UncountedTerminatedPods& a, const UncountedTerminatedPods& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const UncountedTerminatedPods*);

// JobStatus represents the current state of a Job.
struct CAPSTAN_EXPORT JobStatus {
  // The latest available observations of an object's current state. When a Job fails, one of the
  // conditions will have type "Failed" and status true. When a Job is suspended, one of the
  // conditions will have type "Suspended" and status true; when the Job is resumed, the status of
  // this condition will become false. When a Job is completed, one of the conditions will have type
  // "Complete" and status true.
  // A job is considered finished when it is in a terminal condition, either "Complete" or "Failed".
  // A Job cannot have both the "Complete" and "Failed" conditions. Additionally, it cannot be in
  // the "Complete" and "FailureTarget" conditions. The "Complete", "Failed" and "FailureTarget"
  // conditions cannot be disabled.
  // More info: https://kubernetes.io/docs/concepts/workloads/controllers/jobs-run-to-completion/
  List<JobCondition> conditions = {};
  // Represents time when the job controller started processing a job. When a Job is created in the
  // suspended state, this field is not set until the first time it is resumed. This field is reset
  // every time a Job is resumed from suspension. It is represented in RFC3339 form and is in UTC.
  // Once set, the field can only be removed when the job is suspended. The field cannot be modified
  // while the job is unsuspended or finished.
  std::optional<Time> start_time = {};
  // Represents time when the job was completed. It is not guaranteed to be set in happens-before
  // order across separate operations. It is represented in RFC3339 form and is in UTC. The
  // completion time is set when the job finishes successfully, and only then. The value cannot be
  // updated or removed. The value indicates the same or later point in time as the startTime field.
  std::optional<Time> completion_time = {};
  // The number of pending and running pods which are not terminating (without a deletionTimestamp).
  // The value is zero for finished jobs.
  std::int32_t active = {};
  // The number of pods which reached phase Succeeded. The value increases monotonically for a given
  // spec. However, it may decrease in reaction to scale down of elastic indexed jobs.
  std::int32_t succeeded = {};
  // The number of pods which reached phase Failed. The value increases monotonically.
  std::int32_t failed = {};
  // The number of pods which are terminating (in phase Pending or Running and have a
  // deletionTimestamp).
  std::optional<std::int32_t> terminating = {};
  // completedIndexes holds the completed indexes when .spec.completionMode = "Indexed" in a text
  // format. The indexes are represented as decimal integers separated by commas. The numbers are
  // listed in increasing order. Three or more consecutive numbers are compressed and represented by
  // the first and last element of the series, separated by a hyphen. For example, if the completed
  // indexes are 1, 3, 4, 5 and 7, they are represented as "1,3-5,7".
  std::string completed_indexes = {};
  // FailedIndexes holds the failed indexes when spec.backoffLimitPerIndex is set. The indexes are
  // represented in the text format analogous as for the `completedIndexes` field, ie. they are kept
  // as decimal integers separated by commas. The numbers are listed in increasing order. Three or
  // more consecutive numbers are compressed and represented by the first and last element of the
  // series, separated by a hyphen. For example, if the failed indexes are 1, 3, 4, 5 and 7, they
  // are represented as "1,3-5,7". The set of failed indexes cannot overlap with the set of
  // completed indexes.
  std::optional<std::string> failed_indexes = {};
  // uncountedTerminatedPods holds the UIDs of Pods that have terminated but the job controller
  // hasn't yet accounted for in the status counters.
  // The job controller creates pods with a finalizer. When a pod terminates (succeeded or failed),
  // the controller does three steps to account for it in the job status:
  // 1. Add the pod UID to the arrays in this field. 2. Remove the pod finalizer. 3. Remove the pod
  // UID from the arrays while increasing the corresponding
  // counter.
  // Old jobs might not be tracked using this field, in which case the field remains null. The
  // structure is empty for finished jobs.
  Boxed<UncountedTerminatedPods> uncounted_terminated_pods = {};
  // The number of active pods which have a Ready condition and are not terminating (without a
  // deletionTimestamp).
  std::optional<std::int32_t> ready = {};
};
CAPSTAN_EXPORT bool operator==(const JobStatus& a, const JobStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const JobStatus*);

// Job represents the configuration of a single job.
struct CAPSTAN_EXPORT Job {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Specification of the desired behavior of a job. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  JobSpec spec = {};
  // Current status of a job. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  JobStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Job& a, const Job& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Job*);

}  // namespace capstan::api::batch::v1

extern template class capstan::List<capstan::api::batch::v1::JobCondition>;
extern template class capstan::Boxed<capstan::api::batch::v1::UncountedTerminatedPods>;

template <>
inline constexpr auto capstan::kKind<capstan::api::batch::v1::Job> =
    capstan::Kind("batch", "v1", "Job", "jobs").Namespaced().Whole().Spec().Status();

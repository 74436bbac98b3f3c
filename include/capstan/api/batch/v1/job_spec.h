// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/core/v1/pod_template_spec.h"
#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_disruption_mode.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_resource_claim.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_scheduling_constraints.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_scheduling_policy.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::batch::v1 {

// JobReasonPodFailurePolicy reason indicates a job failure condition is added due to a failed pod
// matching a pod failure policy rule https://kep.k8s.io/3329
inline constexpr std::string_view kJobReasonPodFailurePolicy = "PodFailurePolicy";
// JobReasonBackOffLimitExceeded reason indicates that pods within a job have failed a number of
// times higher than backOffLimit times.
inline constexpr std::string_view kJobReasonBackoffLimitExceeded = "BackoffLimitExceeded";
// JobReasponDeadlineExceeded means job duration is past ActiveDeadline
inline constexpr std::string_view kJobReasonDeadlineExceeded = "DeadlineExceeded";
// JobReasonMaxFailedIndexesExceeded indicates that an indexed of a job failed
inline constexpr std::string_view kJobReasonMaxFailedIndexesExceeded = "MaxFailedIndexesExceeded";
// JobReasonFailedIndexes means Job has failed indexes.
inline constexpr std::string_view kJobReasonFailedIndexes = "FailedIndexes";
// JobReasonSuccessPolicy reason indicates a SuccessCriteriaMet condition is added due to a Job met
// successPolicy.
inline constexpr std::string_view kJobReasonSuccessPolicy = "SuccessPolicy";
// JobReasonCompletionsReached reason indicates a SuccessCriteriaMet condition is added due to a
// number of succeeded Job pods met completions.
inline constexpr std::string_view kJobReasonCompletionsReached = "CompletionsReached";

inline constexpr std::string_view kPodFailurePolicyOnExitCodesOpIn = "In";
inline constexpr std::string_view kPodFailurePolicyOnExitCodesOpNotIn = "NotIn";

// PodFailurePolicyOnExitCodesRequirement describes the requirement for handling a failed pod based
// on its container exit codes. In particular, it lookups the .state.terminated.exitCode for each
// app container and init container status, represented by the .status.containerStatuses and
// .status.initContainerStatuses fields in the Pod status, respectively. Containers completed with
// success (exit code 0) are excluded from the requirement check.
struct CAPSTAN_EXPORT PodFailurePolicyOnExitCodesRequirement {
  // Restricts the check for exit codes to the container with the specified name. When null, the
  // rule applies to all containers. When specified, it should match one the container or
  // initContainer names in the pod template.
  std::optional<std::string> container_name = {};
  // Represents the relationship between the container exit code(s) and the specified values.
  // Containers completed with success (exit code 0) are excluded from the requirement check.
  // Possible values are:
  // - In: the requirement is satisfied if at least one container exit code
  // (might be multiple if there are multiple containers not restricted
  // by the 'containerName' field) is in the set of specified values.
  // - NotIn: the requirement is satisfied if at least one container exit code
  // (might be multiple if there are multiple containers not restricted
  // by the 'containerName' field) is not in the set of specified values. Additional values are
  // considered to be added in the future. Clients should react to an unknown operator by assuming
  // the requirement is not satisfied.
  std::string operator_ = {};
  // Specifies the set of values. Each returned container exit code (might be multiple in case of
  // multiple containers) is checked against this set of values with respect to the operator. The
  // list of values must be ordered and must not contain duplicates. Value '0' cannot be used for
  // the In operator. At least one element is required. At most 255 elements are allowed.
  std::vector<std::int32_t> values = {};
};
CAPSTAN_EXPORT bool operator==(const PodFailurePolicyOnExitCodesRequirement& a,
                               const PodFailurePolicyOnExitCodesRequirement& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodFailurePolicyOnExitCodesRequirement*);

// PodFailurePolicyOnPodConditionsPattern describes a pattern for matching an actual pod condition
// type.
struct CAPSTAN_EXPORT PodFailurePolicyOnPodConditionsPattern {
  // Specifies the required Pod condition type. To match a pod condition it is required that
  // specified type equals the pod condition type.
  std::string type = {};
  // Specifies the required Pod condition status. To match a pod condition it is required that the
  // specified status equals the pod condition status. Defaults to True.
  std::string status = {};
};
CAPSTAN_EXPORT bool operator==(const PodFailurePolicyOnPodConditionsPattern& a,
                               const PodFailurePolicyOnPodConditionsPattern& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodFailurePolicyOnPodConditionsPattern*);

// PodFailurePolicyAction specifies how a Pod failure is handled.
// This is an action which might be taken on a pod failure - mark the pod's job as Failed and
// terminate all running pods.
inline constexpr std::string_view kPodFailurePolicyActionFailJob = "FailJob";
// This is an action which might be taken on a pod failure - mark the Job's index as failed to avoid
// restarts within this index. This action can only be used when backoffLimitPerIndex is set.
inline constexpr std::string_view kPodFailurePolicyActionFailIndex = "FailIndex";
// This is an action which might be taken on a pod failure - the counter towards .backoffLimit,
// represented by the job's .status.failed field, is not incremented and a replacement pod is
// created.
inline constexpr std::string_view kPodFailurePolicyActionIgnore = "Ignore";
// This is an action which might be taken on a pod failure - the pod failure is handled in the
// default way - the counter towards .backoffLimit, represented by the job's .status.failed field,
// is incremented.
inline constexpr std::string_view kPodFailurePolicyActionCount = "Count";

// PodFailurePolicyRule describes how a pod failure is handled when the requirements are met. One of
// onExitCodes and onPodConditions, but not both, can be used in each rule.
struct CAPSTAN_EXPORT PodFailurePolicyRule {
  // Specifies the action taken on a pod failure when the requirements are satisfied. Possible
  // values are:
  // - FailJob: indicates that the pod's job is marked as Failed and all
  // running pods are terminated.
  // - FailIndex: indicates that the pod's index is marked as Failed and will
  // not be restarted.
  // - Ignore: indicates that the counter towards the .backoffLimit is not
  // incremented and a replacement pod is created.
  // - Count: indicates that the pod is handled in the default way - the
  // counter towards the .backoffLimit is incremented. Additional values are considered to be added
  // in the future. Clients should react to an unknown action by skipping the rule.
  std::string action = {};
  // Represents the requirement on the container exit codes.
  Boxed<PodFailurePolicyOnExitCodesRequirement> on_exit_codes = {};
  // Represents the requirement on the pod conditions. The requirement is represented as a list of
  // pod condition patterns. The requirement is satisfied if at least one pattern matches an actual
  // pod condition. At most 20 elements are allowed.
  List<PodFailurePolicyOnPodConditionsPattern> on_pod_conditions = {};
};
CAPSTAN_EXPORT bool operator==(const PodFailurePolicyRule& a, const PodFailurePolicyRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodFailurePolicyRule*);

// PodFailurePolicy describes how failed pods influence the backoffLimit.
struct CAPSTAN_EXPORT PodFailurePolicy {
  // A list of pod failure policy rules. The rules are evaluated in order. Once a rule matches a Pod
  // failure, the remaining of the rules are ignored. When no rule matches the Pod failure, the
  // default handling applies - the counter of pod failures is incremented and it is checked against
  // the backoffLimit. At most 20 elements are allowed.
  List<PodFailurePolicyRule> rules = {};
};
CAPSTAN_EXPORT bool operator==(const PodFailurePolicy& a, const PodFailurePolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodFailurePolicy*);

// SuccessPolicyRule describes rule for declaring a Job as succeeded. Each rule must have at least
// one of the "succeededIndexes" or "succeededCount" specified.
struct CAPSTAN_EXPORT SuccessPolicyRule {
  // succeededIndexes specifies the set of indexes which need to be contained in the actual set of
  // the succeeded indexes for the Job. The list of indexes must be within 0 to
  // ".spec.completions-1" and must not contain duplicates. At least one element is required. The
  // indexes are represented as intervals separated by commas. The intervals can be a decimal
  // integer or a pair of decimal integers separated by a hyphen. The number are listed in
  // represented by the first and last element of the series, separated by a hyphen. For example, if
  // the completed indexes are 1, 3, 4, 5 and 7, they are represented as "1,3-5,7". When this field
  // is null, this field doesn't default to any value and is never evaluated at any time.
  std::optional<std::string> succeeded_indexes = {};
  // succeededCount specifies the minimal required size of the actual set of the succeeded indexes
  // for the Job. When succeededCount is used along with succeededIndexes, the check is constrained
  // only to the set of indexes specified by succeededIndexes. For example, given that
  // succeededIndexes is "1-4", succeededCount is "3", and completed indexes are "1", "3", and "5",
  // the Job isn't declared as succeeded because only "1" and "3" indexes are considered in that
  // rules. When this field is null, this doesn't default to any value and is never evaluated at any
  // time. When specified it needs to be a positive integer.
  std::optional<std::int32_t> succeeded_count = {};
};
CAPSTAN_EXPORT bool operator==(const SuccessPolicyRule& a, const SuccessPolicyRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SuccessPolicyRule*);

// SuccessPolicy describes when a Job can be declared as succeeded based on the success of some
// indexes.
struct CAPSTAN_EXPORT SuccessPolicy {
  // rules represents the list of alternative rules for the declaring the Jobs as successful before
  // `.status.succeeded >= .spec.completions`. Once any of the rules are met, the
  // "SuccessCriteriaMet" condition is added, and the lingering pods are removed. The terminal state
  // for such a Job has the "Complete" condition. Additionally, these rules are evaluated in order;
  // Once the Job meets one of the rules, other rules are ignored. At most 20 elements are allowed.
  List<SuccessPolicyRule> rules = {};
};
CAPSTAN_EXPORT bool operator==(const SuccessPolicy& a, const SuccessPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SuccessPolicy*);

// JobSchedulingConfiguration composes the reusable workload-aware scheduling building blocks.
struct CAPSTAN_EXPORT JobSchedulingConfiguration {
  // SchedulingPolicy defines the scheduling policy for this Job. Exactly one of Basic or Gang must
  // be set. This field is immutable after creation: the policy may not be added or removed. The
  // policy variant (basic/gang) is frozen by hand-written validation; only
  // schedulingPolicy.gang.minCount may be changed.
  Boxed<scheduling::v1alpha3::WorkloadPodGroupSchedulingPolicy> scheduling_policy = {};
  // SchedulingConstraints defines scheduling constraints (e.g. topology) for the Job's pods. This
  // field is immutable after creation.
  Boxed<scheduling::v1alpha3::WorkloadPodGroupSchedulingConstraints> scheduling_constraints = {};
  // DisruptionMode defines the mode in which the Job's pods can be disrupted. One of Single, All.
  // This field is immutable after creation: it may not be added or removed, and the selected mode
  // may not be changed.
  Boxed<scheduling::v1alpha3::WorkloadPodGroupDisruptionMode> disruption_mode = {};
  // ResourceClaims defines which ResourceClaims may be shared among Pods in the Job. Pods consume
  // the devices allocated to a PodGroup's claim by defining a claim in its own Spec.ResourceClaims
  // that matches the PodGroup's claim exactly. The claim must have the same name and refer to the
  // same ResourceClaim or ResourceClaimTemplate. At most 4 claims may be set, matching the limit on
  // the resulting PodGroup. This list is immutable after creation: entries may neither be added,
  // removed, nor modified.
  List<scheduling::v1alpha3::WorkloadPodGroupResourceClaim> resource_claims = {};
};
CAPSTAN_EXPORT bool operator==(const JobSchedulingConfiguration& a,
                               const JobSchedulingConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const JobSchedulingConfiguration*);

// CompletionMode specifies how Pod completions of a Job are tracked.
// NonIndexedCompletion is a Job completion mode. In this mode, the Job is considered complete when
// there have been .spec.completions successfully completed Pods. Pod completions are homologous to
// each other.
inline constexpr std::string_view kNonIndexedCompletion = "NonIndexed";
// IndexedCompletion is a Job completion mode. In this mode, the Pods of a Job get an associated
// completion index from 0 to (.spec.completions - 1). The Job is  considered complete when a Pod
// completes for each completion index.
inline constexpr std::string_view kIndexedCompletion = "Indexed";

// PodReplacementPolicy specifies the policy for creating pod replacements.
// TerminatingOrFailed means that we recreate pods when they are terminating (has a
// metadata.deletionTimestamp) or failed.
inline constexpr std::string_view kTerminatingOrFailed = "TerminatingOrFailed";
// Failed means to wait until a previously created Pod is fully terminated (has phase Failed or
// Succeeded) before creating a replacement Pod.
inline constexpr std::string_view kFailed = "Failed";

// JobSpec describes how the job execution will look like.
struct CAPSTAN_EXPORT JobSpec {
  // Specifies the maximum desired number of pods the job should run at any given time. The actual
  // number of pods running in steady state will be less than this number when ((.spec.completions -
  // .status.successful) < .spec.parallelism), i.e. when the work left to do is less than max
  // parallelism. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/jobs-run-to-completion/
  std::optional<std::int32_t> parallelism = {};
  // Specifies the desired number of successfully finished pods the job should be run with.  Setting
  // to null means that the success of any pod signals the success of all pods, and allows
  // parallelism to have any positive value.  Setting to 1 means that parallelism is limited to 1
  // and the success of that pod signals the success of the job. More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/jobs-run-to-completion/
  std::optional<std::int32_t> completions = {};
  // Specifies the duration in seconds relative to the startTime that the job may be continuously
  // active before the system tries to terminate it; value must be positive integer. If a Job is
  // suspended (at creation or through an update), this timer will effectively be stopped and reset
  // when the Job is resumed again.
  std::optional<std::int64_t> active_deadline_seconds = {};
  // Specifies the policy of handling failed pods. In particular, it allows to specify the set of
  // actions and conditions which need to be satisfied to take the associated action. If empty, the
  // default behaviour applies - the counter of failed pods, represented by the jobs's
  // .status.failed field, is incremented and it is checked against the backoffLimit. This field
  // cannot be used in combination with restartPolicy=OnFailure.
  Boxed<PodFailurePolicy> pod_failure_policy = {};
  // successPolicy specifies the policy when the Job can be declared as succeeded. If empty, the
  // default behavior applies - the Job is declared as succeeded only when the number of succeeded
  // pods equals to the completions. When the field is specified, it must be immutable and works
  // only for the Indexed Jobs. Once the Job meets the SuccessPolicy, the lingering pods are
  // terminated.
  Boxed<SuccessPolicy> success_policy = {};
  // Specifies the number of retries before marking this job failed. Defaults to 6, unless
  // backoffLimitPerIndex (only Indexed Job) is specified. When backoffLimitPerIndex is specified,
  // backoffLimit defaults to 2147483647.
  std::optional<std::int32_t> backoff_limit = {};
  // Specifies the limit for the number of retries within an index before marking this index as
  // failed. When enabled the number of failures per index is kept in the pod's
  // batch.kubernetes.io/job-index-failure-count annotation. It can only be set when Job's
  // completionMode=Indexed, and the Pod's restart policy is Never. The field is immutable.
  std::optional<std::int32_t> backoff_limit_per_index = {};
  // Specifies the maximal number of failed indexes before marking the Job as failed, when
  // backoffLimitPerIndex is set. Once the number of failed indexes exceeds this number the entire
  // Job is marked as Failed and its execution is terminated. When left as null the job continues
  // execution of all of its indexes and is marked with the `Complete` Job condition. It can only be
  // specified when backoffLimitPerIndex is set. It can be null or up to completions. It is required
  // and must be less than or equal to 10^4 when is completions greater than 10^5.
  std::optional<std::int32_t> max_failed_indexes = {};
  // A label query over pods that should match the pod count. Normally, the system sets this field
  // for you. More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
  Boxed<meta::v1::LabelSelector> selector = {};
  // manualSelector controls generation of pod labels and pod selectors. Leave `manualSelector`
  // unset unless you are certain what you are doing. When false or unset, the system pick labels
  // unique to this job and appends those labels to the pod template.  When true, the user is
  // responsible for picking unique labels and specifying the selector.  Failure to pick a unique
  // label may cause this and other jobs to not function correctly.  However, You may see
  // `manualSelector=true` in jobs that were created with the old `extensions/v1beta1` API. More
  // info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/jobs-run-to-completion/#specifying-your-own-pod-selector
  std::optional<bool> manual_selector = {};
  // Describes the pod that will be created when executing a job. The only allowed
  // template.spec.restartPolicy values are "Never" or "OnFailure". More info:
  // https://kubernetes.io/docs/concepts/workloads/controllers/jobs-run-to-completion/
  core::v1::PodTemplateSpec template_ = {};
  // ttlSecondsAfterFinished limits the lifetime of a Job that has finished execution (either
  // Complete or Failed). If this field is set, ttlSecondsAfterFinished after the Job finishes, it
  // is eligible to be automatically deleted. When the Job is being deleted, its lifecycle
  // guarantees (e.g. finalizers) will be honored. If this field is unset, the Job won't be
  // automatically deleted. If this field is set to zero, the Job becomes eligible to be deleted
  // immediately after it finishes.
  std::optional<std::int32_t> ttl_seconds_after_finished = {};
  // completionMode specifies how Pod completions are tracked. It can be `NonIndexed` (default) or
  // `Indexed`.
  // `NonIndexed` means that the Job is considered complete when there have been .spec.completions
  // successfully completed Pods. Each Pod completion is homologous to each other.
  // `Indexed` means that the Pods of a Job get an associated completion index from 0 to
  // (.spec.completions - 1), available in the annotation batch.kubernetes.io/job-completion-index.
  // The Job is considered complete when there is one successfully completed Pod for each index.
  // When value is `Indexed`, .spec.completions must be specified and `.spec.parallelism` must be
  // less than or equal to 10^5. In addition, The Pod name takes the form
  // `$(job-name)-$(index)-$(random-string)`, the Pod hostname takes the form
  // `$(job-name)-$(index)`.
  // More completion modes can be added in the future. If the Job controller observes a mode that it
  // doesn't recognize, which is possible during upgrades due to version skew, the controller skips
  // updates for the Job.
  std::optional<std::string> completion_mode = {};
  // suspend specifies whether the Job controller should create Pods or not. If a Job is created
  // with suspend set to true, no Pods are created by the Job controller. If a Job is suspended
  // after creation (i.e. the flag goes from false to true), the Job controller will delete all
  // active Pods associated with this Job. Users must design their workload to gracefully handle
  // this. Suspending a Job will reset the StartTime field of the Job, effectively resetting the
  // ActiveDeadlineSeconds timer too. Defaults to false.
  std::optional<bool> suspend = {};
  // podReplacementPolicy specifies when to create replacement Pods. Possible values are:
  // - TerminatingOrFailed means that we recreate pods
  // when they are terminating (has a metadata.deletionTimestamp) or failed.
  // - Failed means to wait until a previously created Pod is fully terminated (has phase
  // Failed or Succeeded) before creating a replacement Pod.
  // When using podFailurePolicy, Failed is the the only allowed value. TerminatingOrFailed and
  // Failed are allowed values when podFailurePolicy is not in use.
  std::optional<std::string> pod_replacement_policy = {};
  // ManagedBy field indicates the controller that manages a Job. The k8s Job controller reconciles
  // jobs which don't have this field at all or the field value is the reserved string
  // `kubernetes.io/job-controller`, but skips reconciling Jobs with a custom value for this field.
  // The value must be a valid domain-prefixed path (e.g. acme.io/foo) - all characters before the
  // first "/" must be a valid subdomain as defined by RFC 1123. All characters trailing the first
  // "/" must be valid HTTP Path characters as defined by RFC 3986. The value cannot exceed 63
  // characters. This field is immutable.
  std::optional<std::string> managed_by = {};
  // scheduling defines the Workload-aware Scheduling configuration for this Job. When set, it
  // specifies the scheduling policy (basic or gang), topology constraints, disruption mode, and
  // shared resource claims. When omitted, the Job defaults to the basic scheduling policy, which
  // behaves as standard pod-by-pod scheduling. This field is alpha-level and requires the
  // WorkloadWithJob feature gate. This field is immutable, including whether it is set at all, only
  // policy.gang.minCount may be changed after creation.
  Boxed<JobSchedulingConfiguration> scheduling = {};
};
CAPSTAN_EXPORT bool operator==(const JobSpec& a, const JobSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const JobSpec*);

}  // namespace capstan::api::batch::v1

extern template class capstan::Boxed<
    capstan::api::batch::v1::PodFailurePolicyOnExitCodesRequirement>;
extern template class capstan::List<
    capstan::api::batch::v1::PodFailurePolicyOnPodConditionsPattern>;
extern template class capstan::List<capstan::api::batch::v1::PodFailurePolicyRule>;
extern template class capstan::Boxed<capstan::api::batch::v1::PodFailurePolicy>;
extern template class capstan::List<capstan::api::batch::v1::SuccessPolicyRule>;
extern template class capstan::Boxed<capstan::api::batch::v1::SuccessPolicy>;
extern template class capstan::Boxed<capstan::api::batch::v1::JobSchedulingConfiguration>;

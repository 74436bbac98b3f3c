// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/scheduling/v1beta1/disruption_mode.h"
#include "capstan/api/scheduling/v1beta1/pod_group_resource_claim.h"
#include "capstan/api/scheduling/v1beta1/pod_group_scheduling_constraints.h"
#include "capstan/api/scheduling/v1beta1/pod_group_scheduling_policy.h"
#include "capstan/boxed.h"
#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::scheduling::v1beta1 {

// PodGroupInitiallyScheduled represents status of the scheduling process for this PodGroup till
// first success.
inline constexpr std::string_view kPodGroupInitiallyScheduled = "PodGroupInitiallyScheduled";
// DisruptionTarget indicates the PodGroup is about to be terminated due to disruption such as
// preemption.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
// Unschedulable reason in the PodGroupInitiallyScheduled condition indicates that the PodGroup
// cannot be scheduled due to resource constraints, affinity/anti-affinity rules, or insufficient
// capacity for the PodGroup.
inline constexpr std::string_view kPodGroupReasonUnschedulable = "Unschedulable";
// SchedulerError reason in the PodGroupInitiallyScheduled condition means that some internal error
// happens during scheduling, for example due to nodeAffinity parsing errors.
inline constexpr std::string_view kPodGroupReasonSchedulerError = "SchedulerError";
// PreemptionByScheduler reason in the DisruptionTarget condition indicates the PodGroup was
// preempted to make room for higher-priority PodGroups or Pods.
inline constexpr std::string_view kPodGroupReasonPreemptionByScheduler = "PreemptionByScheduler";

// WorkloadReference references the Workload object together with the template that was used to
// create a particular PodGroup.
struct CAPSTAN_EXPORT WorkloadReference {
  // workloadName is the name of the Workload object that contains a template that was used when
  // creating a pod group. It must be a DNS name. This field is required.
  std::string workload_name = {};
  // templateName is the name of a template within the Workload object that was used to create a pod
  // group. It must be a DNS label. This field is required.
  std::string template_name = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadReference& a, const WorkloadReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadReference*);

// PreemptionPolicy describes a policy for if/when to preempt a pod.
// PreemptLowerPriority means that pod can preempt other pods with lower priority.
inline constexpr std::string_view kPreemptLowerPriority = "PreemptLowerPriority";
// PreemptNever means that pod never preempts other pods with lower priority.
inline constexpr std::string_view kPreemptNever = "Never";

// PodGroupSpec defines the desired state of a PodGroup.
struct CAPSTAN_EXPORT PodGroupSpec {
  // parentCompositePodGroupName contains the name of the parent composite pod group within the same
  // namespace as this pod group. If it's nil, then this pod group is a root of a workload's
  // hierarchy. This field is used only when the CompositePodGroup feature gate is enabled. This
  // field is immutable.
  std::optional<std::string> parent_composite_pod_group_name = {};
  // workloadRef references an optional PodGroup template within the Workload object that was used
  // to create the PodGroup. This field is immutable.
  Boxed<WorkloadReference> workload_ref = {};
  // schedulingPolicy defines the scheduling policy for this instance of the PodGroup. Controllers
  // are expected to fill this field by copying it from a PodGroupTemplate.
  PodGroupSchedulingPolicy scheduling_policy = {};
  // schedulingConstraints defines optional scheduling constraints (e.g. topology) for this
  // PodGroup. Controllers are expected to fill this field by copying it from a PodGroupTemplate.
  // This field is immutable. This field is only available when the TopologyAwareWorkloadScheduling
  // feature gate is enabled.
  Boxed<PodGroupSchedulingConstraints> scheduling_constraints = {};
  // resourceClaims defines which ResourceClaims may be shared among Pods in the group. Pods consume
  // the devices allocated to a PodGroup's claim by defining a claim in its own Spec.ResourceClaims
  // that matches the PodGroup's claim exactly. The claim must have the same name and refer to the
  // same ResourceClaim or ResourceClaimTemplate.
  // This is a beta-level field and requires that the DRAWorkloadResourceClaims feature gate is
  // enabled.
  // This field is immutable.
  List<PodGroupResourceClaim> resource_claims = {};
  // disruptionMode defines the mode in which a given PodGroup can be disrupted. Controllers are
  // expected to fill this field by copying it from a PodGroupTemplate. One of Single, All. Defaults
  // to Single if unset. This field is immutable.
  Boxed<DisruptionMode> disruption_mode = {};
  // priorityClassName defines the priority that should be considered when scheduling this pod
  // group. Controllers are expected to fill this field by copying it from a PodGroupTemplate.
  // Otherwise, it is validated and resolved similarly to the PriorityClassName on PodGroupTemplate
  // (i.e. if no priority class is specified, admission control can set this to the global default
  // priority class if it exists. Otherwise, the pod group's priority will be zero). This field is
  // immutable.
  std::string priority_class_name = {};
  // priority is the value of priority of this pod group. Various system components use this field
  // to find the priority of the pod group. When Priority Admission Controller is enabled, it
  // prevents users from setting this field. The admission controller populates this field from
  // PriorityClassName. The higher the value, the higher the priority. This field is immutable.
  std::optional<std::int32_t> priority = {};
  // preemptionPolicy is the Policy for preempting pods/podgroups with lower priority. One of Never,
  // PreemptLowerPriority. Defaults to PreemptLowerPriority if unset. When Priority Admission
  // Controller is enabled, it populates this field from PriorityClassName, and defaults to
  // PreemptLowerPriority if value is unset in PriorityClass. This field is immutable. This field is
  // available only when the PodGroupPreemptionPolicy feature gate is enabled.
  std::optional<std::string> preemption_policy = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroupSpec& a, const PodGroupSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroupSpec*);

// PodGroupResourceClaimStatus is stored in the PodGroupStatus for each PodGroupResourceClaim which
// references a ResourceClaimTemplate. It stores the generated name for the corresponding
// ResourceClaim.
struct CAPSTAN_EXPORT PodGroupResourceClaimStatus {
  // name uniquely identifies this resource claim inside the PodGroup. This must match the name of
  // an entry in podgroup.spec.resourceClaims, which implies that the string must be a DNS_LABEL.
  std::string name = {};
  // resourceClaimName is the name of the ResourceClaim that was generated for the PodGroup in the
  // namespace of the PodGroup. If this is unset, then generating a ResourceClaim was not necessary.
  // The podgroup.spec.resourceClaims entry can be ignored in this case.
  std::optional<std::string> resource_claim_name = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroupResourceClaimStatus& a,
                               const PodGroupResourceClaimStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroupResourceClaimStatus*);

// PodGroupStatus represents information about the status of a pod group.
struct CAPSTAN_EXPORT PodGroupStatus {
  // conditions represent the latest observations of the PodGroup's state.
  // Known condition types:
  // - "PodGroupInitiallyScheduled": Indicates whether the scheduling requirement has been
  // satisfied. Once this condition transitions to True, it serves as a terminal state and will
  // never revert to False, even if pods are subsequently evicted and group constraints are no
  // longer met.
  // - "DisruptionTarget": Indicates whether the PodGroup is about to be terminated
  // due to disruption such as preemption.
  // Known reasons for the PodGroupInitiallyScheduled condition:
  // - "Unschedulable": The PodGroup cannot be scheduled due to resource constraints,
  // affinity/anti-affinity rules, or insufficient capacity for the gang.
  // - "SchedulerError": The PodGroup cannot be scheduled due to some internal error
  // that happened during scheduling, for example due to nodeAffinity parsing errors.
  // Known reasons for the DisruptionTarget condition:
  // - "PreemptionByScheduler": The PodGroup was preempted by the scheduler to make room for
  // higher-priority PodGroups or Pods.
  std::vector<Condition> conditions = {};
  // resourceClaimStatuses is status of resource claims.
  List<PodGroupResourceClaimStatus> resource_claim_statuses = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroupStatus& a, const PodGroupStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroupStatus*);

// PodGroup represents a runtime instance of pods grouped together. PodGroups are created by
// workload controllers (Job, LWS, JobSet, etc...) from Workload.podGroupTemplates. PodGroup API
// enablement is toggled by the GenericWorkload feature gate.
struct CAPSTAN_EXPORT PodGroup {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec defines the desired state of the PodGroup.
  PodGroupSpec spec = {};
  // status represents the current observed state of the PodGroup.
  PodGroupStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroup& a, const PodGroup& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroup*);

}  // namespace capstan::api::scheduling::v1beta1

extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::WorkloadReference>;
extern template class capstan::List<capstan::api::scheduling::v1beta1::PodGroupResourceClaimStatus>;

template <>
inline constexpr auto capstan::kKind<capstan::api::scheduling::v1beta1::PodGroup> =
    capstan::Kind("scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/scheduling/v1beta1/disruption_mode.h"
#include "capstan/api/scheduling/v1beta1/pod_group.h"
#include "capstan/api/scheduling/v1beta1/pod_group_resource_claim.h"
#include "capstan/api/scheduling/v1beta1/pod_group_scheduling_constraints.h"
#include "capstan/api/scheduling/v1beta1/pod_group_scheduling_policy.h"
#include "capstan/api/scheduling/v1beta1/topology_constraint.h"
#include "capstan/api/scheduling/v1beta1/workload.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::scheduling::v1beta1 {

CAPSTAN_EMPTY_LAYOUT(SingleDisruptionMode)

CAPSTAN_EMPTY_LAYOUT(AllDisruptionMode)

CAPSTAN_LAYOUT(DisruptionMode,
    CAPSTAN_FIELD(DisruptionMode, "single", single),
    CAPSTAN_FIELD(DisruptionMode, "all", all))

CAPSTAN_LAYOUT(WorkloadReference,
    CAPSTAN_REQUIRED(WorkloadReference, "workloadName", workload_name),
    CAPSTAN_REQUIRED(WorkloadReference, "templateName", template_name))

CAPSTAN_LAYOUT(PodGroupSpec,
    CAPSTAN_FIELD(PodGroupSpec, "parentCompositePodGroupName", parent_composite_pod_group_name),
    CAPSTAN_FIELD(PodGroupSpec, "workloadRef", workload_ref),
    CAPSTAN_REQUIRED(PodGroupSpec, "schedulingPolicy", scheduling_policy),
    CAPSTAN_FIELD(PodGroupSpec, "schedulingConstraints", scheduling_constraints),
    CAPSTAN_FIELD(PodGroupSpec, "resourceClaims", resource_claims),
    CAPSTAN_FIELD(PodGroupSpec, "disruptionMode", disruption_mode),
    CAPSTAN_FIELD(PodGroupSpec, "priorityClassName", priority_class_name),
    CAPSTAN_FIELD(PodGroupSpec, "priority", priority),
    CAPSTAN_FIELD(PodGroupSpec, "preemptionPolicy", preemption_policy))

CAPSTAN_LAYOUT(PodGroupResourceClaimStatus,
    CAPSTAN_REQUIRED(PodGroupResourceClaimStatus, "name", name),
    CAPSTAN_FIELD(PodGroupResourceClaimStatus, "resourceClaimName", resource_claim_name))

CAPSTAN_LAYOUT(PodGroupStatus,
    CAPSTAN_FIELD(PodGroupStatus, "conditions", conditions),
    CAPSTAN_FIELD(PodGroupStatus, "resourceClaimStatuses", resource_claim_statuses))

CAPSTAN_LAYOUT(PodGroup,
    CAPSTAN_PART(PodGroup, "metadata", metadata, kMetadata),
    CAPSTAN_PART(PodGroup, "spec", spec, kSpec),
    CAPSTAN_PART(PodGroup, "status", status, kStatus))

CAPSTAN_LAYOUT(PodGroupResourceClaim,
    CAPSTAN_REQUIRED(PodGroupResourceClaim, "name", name),
    CAPSTAN_FIELD(PodGroupResourceClaim, "resourceClaimName", resource_claim_name),
    CAPSTAN_FIELD(PodGroupResourceClaim, "resourceClaimTemplateName", resource_claim_template_name))

CAPSTAN_LAYOUT(PodGroupSchedulingConstraints,
    CAPSTAN_FIELD(PodGroupSchedulingConstraints, "topology", topology))

CAPSTAN_EMPTY_LAYOUT(BasicSchedulingPolicy)

CAPSTAN_LAYOUT(GangSchedulingPolicy,
    CAPSTAN_REQUIRED(GangSchedulingPolicy, "minCount", min_count))

CAPSTAN_LAYOUT(PodGroupSchedulingPolicy,
    CAPSTAN_FIELD(PodGroupSchedulingPolicy, "basic", basic),
    CAPSTAN_FIELD(PodGroupSchedulingPolicy, "gang", gang))

CAPSTAN_LAYOUT(TopologyConstraint,
    CAPSTAN_REQUIRED(TopologyConstraint, "key", key))

CAPSTAN_LAYOUT(TypedLocalObjectReference,
    CAPSTAN_FIELD(TypedLocalObjectReference, "apiGroup", api_group),
    CAPSTAN_REQUIRED(TypedLocalObjectReference, "kind", kind),
    CAPSTAN_REQUIRED(TypedLocalObjectReference, "name", name))

CAPSTAN_LAYOUT(PodGroupTemplate,
    CAPSTAN_REQUIRED(PodGroupTemplate, "name", name),
    CAPSTAN_REQUIRED(PodGroupTemplate, "schedulingPolicy", scheduling_policy),
    CAPSTAN_REQUIRED(PodGroupTemplate, "schedulingConstraints", scheduling_constraints),
    CAPSTAN_FIELD(PodGroupTemplate, "resourceClaims", resource_claims),
    CAPSTAN_FIELD(PodGroupTemplate, "disruptionMode", disruption_mode),
    CAPSTAN_FIELD(PodGroupTemplate, "priorityClassName", priority_class_name),
    CAPSTAN_FIELD(PodGroupTemplate, "priority", priority),
    CAPSTAN_FIELD(PodGroupTemplate, "preemptionPolicy", preemption_policy))

CAPSTAN_EMPTY_LAYOUT(CompositeBasicSchedulingPolicy)

CAPSTAN_LAYOUT(CompositeGangSchedulingPolicy,
    CAPSTAN_REQUIRED(CompositeGangSchedulingPolicy, "minGroupCount", min_group_count))

CAPSTAN_LAYOUT(CompositePodGroupSchedulingPolicy,
    CAPSTAN_FIELD(CompositePodGroupSchedulingPolicy, "basic", basic),
    CAPSTAN_FIELD(CompositePodGroupSchedulingPolicy, "gang", gang))

CAPSTAN_LAYOUT(CompositePodGroupSchedulingConstraints,
    CAPSTAN_FIELD(CompositePodGroupSchedulingConstraints, "topology", topology))

CAPSTAN_EMPTY_LAYOUT(SingleCompositeDisruptionMode)

CAPSTAN_EMPTY_LAYOUT(AllCompositeDisruptionMode)

CAPSTAN_LAYOUT(CompositeDisruptionMode,
    CAPSTAN_FIELD(CompositeDisruptionMode, "single", single),
    CAPSTAN_FIELD(CompositeDisruptionMode, "all", all))

CAPSTAN_LAYOUT(CompositePodGroupTemplate,
    CAPSTAN_REQUIRED(CompositePodGroupTemplate, "name", name),
    CAPSTAN_REQUIRED(CompositePodGroupTemplate, "schedulingPolicy", scheduling_policy),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "schedulingConstraints", scheduling_constraints),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "disruptionMode", disruption_mode),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "priorityClassName", priority_class_name),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "priority", priority),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "preemptionPolicy", preemption_policy),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "podGroupTemplates", pod_group_templates),
    CAPSTAN_FIELD(CompositePodGroupTemplate, "compositePodGroupTemplates", composite_pod_group_templates))

CAPSTAN_LAYOUT(WorkloadSpec,
    CAPSTAN_FIELD(WorkloadSpec, "controllerRef", controller_ref),
    CAPSTAN_REQUIRED(WorkloadSpec, "podGroupTemplates", pod_group_templates),
    CAPSTAN_FIELD(WorkloadSpec, "compositePodGroupTemplates", composite_pod_group_templates))

CAPSTAN_LAYOUT(Workload,
    CAPSTAN_PART(Workload, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Workload, "spec", spec, kSpec))

}  // namespace capstan::api::scheduling::v1beta1

template class capstan::Boxed<capstan::api::scheduling::v1beta1::SingleDisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::AllDisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::DisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::WorkloadReference>;
template class capstan::List<capstan::api::scheduling::v1beta1::PodGroupResourceClaimStatus>;
template class capstan::List<capstan::api::scheduling::v1beta1::PodGroupResourceClaim>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::PodGroupSchedulingConstraints>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::BasicSchedulingPolicy>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::GangSchedulingPolicy>;
template class capstan::List<capstan::api::scheduling::v1beta1::TopologyConstraint>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::TypedLocalObjectReference>;
template class capstan::List<capstan::api::scheduling::v1beta1::PodGroupTemplate>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::CompositeBasicSchedulingPolicy>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::CompositeGangSchedulingPolicy>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::CompositePodGroupSchedulingConstraints>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::SingleCompositeDisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::AllCompositeDisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1beta1::CompositeDisruptionMode>;
template class capstan::List<capstan::api::scheduling::v1beta1::CompositePodGroupTemplate>;

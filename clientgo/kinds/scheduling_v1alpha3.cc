// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_disruption_mode.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_resource_claim.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_scheduling_constraints.h"
#include "capstan/api/scheduling/v1alpha3/workload_pod_group_scheduling_policy.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::scheduling::v1alpha3 {

CAPSTAN_EMPTY_LAYOUT(WorkloadPodGroupSingleDisruptionMode)

CAPSTAN_EMPTY_LAYOUT(WorkloadPodGroupAllDisruptionMode)

CAPSTAN_LAYOUT(WorkloadPodGroupDisruptionMode,
    CAPSTAN_FIELD(WorkloadPodGroupDisruptionMode, "single", single),
    CAPSTAN_FIELD(WorkloadPodGroupDisruptionMode, "all", all))

CAPSTAN_LAYOUT(WorkloadPodGroupResourceClaim,
    CAPSTAN_REQUIRED(WorkloadPodGroupResourceClaim, "name", name),
    CAPSTAN_FIELD(WorkloadPodGroupResourceClaim, "resourceClaimName", resource_claim_name),
    CAPSTAN_FIELD(WorkloadPodGroupResourceClaim, "resourceClaimTemplateName", resource_claim_template_name))

CAPSTAN_LAYOUT(TopologyConstraint,
    CAPSTAN_REQUIRED(TopologyConstraint, "key", key))

CAPSTAN_LAYOUT(WorkloadPodGroupSchedulingConstraints,
    CAPSTAN_FIELD(WorkloadPodGroupSchedulingConstraints, "topology", topology))

CAPSTAN_EMPTY_LAYOUT(WorkloadPodGroupBasicSchedulingPolicy)

CAPSTAN_LAYOUT(WorkloadPodGroupGangSchedulingPolicy,
    CAPSTAN_FIELD(WorkloadPodGroupGangSchedulingPolicy, "minCount", min_count))

CAPSTAN_LAYOUT(WorkloadPodGroupSchedulingPolicy,
    CAPSTAN_FIELD(WorkloadPodGroupSchedulingPolicy, "basic", basic),
    CAPSTAN_FIELD(WorkloadPodGroupSchedulingPolicy, "gang", gang))

}  // namespace capstan::api::scheduling::v1alpha3

template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupSingleDisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupAllDisruptionMode>;
template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupDisruptionMode>;
template class capstan::List<capstan::api::scheduling::v1alpha3::WorkloadPodGroupResourceClaim>;
template class capstan::List<capstan::api::scheduling::v1alpha3::TopologyConstraint>;
template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupSchedulingConstraints>;
template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupBasicSchedulingPolicy>;
template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupGangSchedulingPolicy>;
template class capstan::Boxed<capstan::api::scheduling::v1alpha3::WorkloadPodGroupSchedulingPolicy>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/policy/v1/eviction.h"
#include "capstan/api/policy/v1/pod_disruption_budget.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::policy::v1 {

CAPSTAN_LAYOUT(Eviction,
    CAPSTAN_PART(Eviction, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(Eviction, "deleteOptions", delete_options))

CAPSTAN_LAYOUT(PodDisruptionBudgetSpec,
    CAPSTAN_FIELD(PodDisruptionBudgetSpec, "minAvailable", min_available),
    CAPSTAN_FIELD(PodDisruptionBudgetSpec, "selector", selector),
    CAPSTAN_FIELD(PodDisruptionBudgetSpec, "maxUnavailable", max_unavailable),
    CAPSTAN_FIELD(PodDisruptionBudgetSpec, "unhealthyPodEvictionPolicy", unhealthy_pod_eviction_policy))

CAPSTAN_LAYOUT(PodDisruptionBudgetStatus,
    CAPSTAN_NUMBER(PodDisruptionBudgetStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(PodDisruptionBudgetStatus, "disruptedPods", disrupted_pods),
    CAPSTAN_REQUIRED(PodDisruptionBudgetStatus, "disruptionsAllowed", disruptions_allowed),
    CAPSTAN_REQUIRED(PodDisruptionBudgetStatus, "currentHealthy", current_healthy),
    CAPSTAN_REQUIRED(PodDisruptionBudgetStatus, "desiredHealthy", desired_healthy),
    CAPSTAN_REQUIRED(PodDisruptionBudgetStatus, "expectedPods", expected_pods),
    CAPSTAN_FIELD(PodDisruptionBudgetStatus, "conditions", conditions))

CAPSTAN_LAYOUT(PodDisruptionBudget,
    CAPSTAN_PART(PodDisruptionBudget, "metadata", metadata, kMetadata),
    CAPSTAN_PART(PodDisruptionBudget, "spec", spec, kSpec),
    CAPSTAN_PART(PodDisruptionBudget, "status", status, kStatus))

}  // namespace capstan::api::policy::v1


// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/boxed.h"
#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/int_or_string.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::policy::v1 {

// UnhealthyPodEvictionPolicyType defines the criteria for when unhealthy pods should be considered
// for eviction.
// IfHealthyBudget policy means that running pods (status.phase="Running"), but not yet healthy can
// be evicted only if the guarded application is not disrupted (status.currentHealthy is at least
// equal to status.desiredHealthy). Healthy pods will be subject to the PDB for eviction.
inline constexpr std::string_view kIfHealthyBudget = "IfHealthyBudget";
// AlwaysAllow policy means that all running pods (status.phase="Running"), but not yet healthy are
// considered disrupted and can be evicted regardless of whether the criteria in a PDB is met. This
// means perspective running pods of a disrupted application might not get a chance to become
// healthy. Healthy pods will be subject to the PDB for eviction.
inline constexpr std::string_view kAlwaysAllow = "AlwaysAllow";

// PodDisruptionBudgetSpec is a description of a PodDisruptionBudget.
struct CAPSTAN_EXPORT PodDisruptionBudgetSpec {
  // minAvailable indicates that an eviction is allowed if at least "minAvailable" pods selected by
  // "selector" will still be available after the eviction, i.e. even in the absence of the evicted
  // pod.  So for example you can prevent all voluntary evictions by specifying "100%".
  std::optional<IntOrString> min_available = {};
  // selector is a label query over pods whose evictions are managed by the disruption budget. A
  // null selector will match no pods, while an empty ({}) selector will select all pods within the
  // namespace.
  Boxed<meta::v1::LabelSelector> selector = {};
  // maxUnavailable indicates that an eviction is allowed if at most "maxUnavailable" pods selected
  // by "selector" are unavailable after the eviction, i.e. even in absence of the evicted pod. For
  // example, one can prevent all voluntary evictions by specifying 0. This is a mutually exclusive
  // setting with "minAvailable".
  std::optional<IntOrString> max_unavailable = {};
  // unhealthyPodEvictionPolicy defines the criteria for when unhealthy pods should be considered
  // for eviction. Current implementation considers healthy pods, as pods that have
  // status.conditions item with type="Ready",status="True".
  // Valid policies are IfHealthyBudget and AlwaysAllow. If no policy is specified, the default
  // behavior will be used, which corresponds to the IfHealthyBudget policy.
  // IfHealthyBudget policy means that running pods (status.phase="Running"), but not yet healthy
  // can be evicted only if the guarded application is not disrupted (status.currentHealthy is at
  // least equal to status.desiredHealthy). Healthy pods will be subject to the PDB for eviction.
  // AlwaysAllow policy means that all running pods (status.phase="Running"), but not yet healthy
  // are considered disrupted and can be evicted regardless of whether the criteria in a PDB is met.
  // This means perspective running pods of a disrupted application might not get a chance to become
  // healthy. Healthy pods will be subject to the PDB for eviction.
  // Additional policies may be added in the future. Clients making eviction decisions should
  // disallow eviction of unhealthy pods if they encounter an unrecognized policy in this field.
  std::optional<std::string> unhealthy_pod_eviction_policy = {};
};
CAPSTAN_EXPORT bool operator==(const PodDisruptionBudgetSpec& a, const PodDisruptionBudgetSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodDisruptionBudgetSpec*);

// PodDisruptionBudgetStatus represents information about the status of a PodDisruptionBudget.
// Status may trail the actual state of a system.
struct CAPSTAN_EXPORT PodDisruptionBudgetStatus {
  // Most recent generation observed when updating this PDB status. DisruptionsAllowed and other
  // status information is valid only if observedGeneration equals to PDB's object generation.
  std::int64_t observed_generation = {};
  // DisruptedPods contains information about pods whose eviction was processed by the API server
  // eviction subresource handler but has not yet been observed by the PodDisruptionBudget
  // controller. A pod will be in this map from the time when the API server processed the eviction
  // request to the time when the pod is seen by PDB controller as having been marked for deletion
  // (or after a timeout). The key in the map is the name of the pod and the value is the time when
  // the API server processed the eviction request. If the deletion didn't occur and a pod is still
  // there it will be removed from the list automatically by PodDisruptionBudget controller after
  // some time. If everything goes smooth this map should be empty for the most of the time. Large
  // number of entries in the map may indicate problems with pod deletions.
  std::map<std::string, Time> disrupted_pods = {};
  // Number of pod disruptions that are currently allowed.
  std::int32_t disruptions_allowed = {};
  // current number of healthy pods
  std::int32_t current_healthy = {};
  // minimum desired number of healthy pods
  std::int32_t desired_healthy = {};
  // total number of pods counted by this disruption budget
  std::int32_t expected_pods = {};
  // Conditions contain conditions for PDB. The disruption controller sets the DisruptionAllowed
  // condition. The following are known values for the reason field (additional reasons could be
  // added in the future):
  // - SyncFailed: The controller encountered an error and wasn't able to compute
  // the number of allowed disruptions. Therefore no disruptions are
  // allowed and the status of the condition will be False.
  // - InsufficientPods: The number of pods are either at or below the number
  // required by the PodDisruptionBudget. No disruptions are
  // allowed and the status of the condition will be False.
  // - SufficientPods: There are more pods than required by the PodDisruptionBudget.
  // The condition will be True, and the number of allowed
  // disruptions are provided by the disruptionsAllowed property.
  std::vector<Condition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const PodDisruptionBudgetStatus& a,
                               const PodDisruptionBudgetStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodDisruptionBudgetStatus*);

// PodDisruptionBudget is an object to define the max disruption that can be caused to a collection
// of pods
struct CAPSTAN_EXPORT PodDisruptionBudget {
  // metadata is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec is the specification of the desired behavior of the PodDisruptionBudget.
  PodDisruptionBudgetSpec spec = {};
  // status is the most recently observed status of the PodDisruptionBudget.
  PodDisruptionBudgetStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const PodDisruptionBudget& a, const PodDisruptionBudget& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodDisruptionBudget*);

}  // namespace capstan::api::policy::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::policy::v1::PodDisruptionBudget> =
    capstan::Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();

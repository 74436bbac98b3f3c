// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::scheduling::v1alpha3 {

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

// TopologyConstraint defines a topology constraint for a PodGroup.
struct CAPSTAN_EXPORT TopologyConstraint {
  // key specifies the key of the node label representing the topology domain. All pods within the
  // PodGroup must be colocated within the same domain instance. Different PodGroups can land on
  // different domain instances even if they derive from the same PodGroupTemplate. Examples:
  // "topology.kubernetes.io/rack"
  std::string key = {};
};
CAPSTAN_EXPORT bool operator==(const TopologyConstraint& a, const TopologyConstraint& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TopologyConstraint*);

// WorkloadPodGroupSchedulingConstraints defines leaf-level scheduling constraints, such as
// topology.
struct CAPSTAN_EXPORT WorkloadPodGroupSchedulingConstraints {
  // topology specifies desired topological placements for all pods within the pod group. If unset,
  // no topology placement is requested.
  List<TopologyConstraint> topology = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupSchedulingConstraints& a,
                               const WorkloadPodGroupSchedulingConstraints& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupSchedulingConstraints*);

}  // namespace capstan::api::scheduling::v1alpha3

extern template class capstan::List<capstan::api::scheduling::v1alpha3::TopologyConstraint>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupSchedulingConstraints>;

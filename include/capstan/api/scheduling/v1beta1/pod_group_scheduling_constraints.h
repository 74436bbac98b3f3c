// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/scheduling/v1beta1/topology_constraint.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::scheduling::v1beta1 {

// PodGroupSchedulingConstraints defines scheduling constraints (e.g. topology) for a PodGroup.
struct CAPSTAN_EXPORT PodGroupSchedulingConstraints {
  // topology defines the topology constraints for the pod group. Currently only a single topology
  // constraint can be specified. This may change in the future.
  List<TopologyConstraint> topology = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroupSchedulingConstraints& a,
                               const PodGroupSchedulingConstraints& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroupSchedulingConstraints*);

}  // namespace capstan::api::scheduling::v1beta1

extern template class capstan::Boxed<
    capstan::api::scheduling::v1beta1::PodGroupSchedulingConstraints>;

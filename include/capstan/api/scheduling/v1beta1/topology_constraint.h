// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::scheduling::v1beta1 {

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

}  // namespace capstan::api::scheduling::v1beta1

extern template class capstan::List<capstan::api::scheduling::v1beta1::TopologyConstraint>;

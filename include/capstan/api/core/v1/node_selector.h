// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/core/v1/node_selector_term.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// A node selector represents the union of the results of one or more label queries over a set of
// nodes; that is, it represents the OR of the selectors represented by the node selector terms.
struct CAPSTAN_EXPORT NodeSelector {
  // Required. A list of node selector terms. The terms are ORed.
  List<NodeSelectorTerm> node_selector_terms = {};
};
CAPSTAN_EXPORT bool operator==(const NodeSelector& a, const NodeSelector& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeSelector*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::NodeSelector>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// A topology selector requirement is a selector that matches given label. This is an alpha feature
// and may change in the future.
struct CAPSTAN_EXPORT TopologySelectorLabelRequirement {
  // The label key that the selector applies to.
  std::string key = {};
  // An array of string values. One value must match the label to be selected. Each entry in Values
  // is ORed.
  std::vector<std::string> values = {};
};
CAPSTAN_EXPORT bool operator==(const TopologySelectorLabelRequirement& a,
                               const TopologySelectorLabelRequirement& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TopologySelectorLabelRequirement*);

// A topology selector term represents the result of label queries. A null or empty topology
// selector term matches no objects. The requirements of them are ANDed. It provides a subset of
// functionality as NodeSelectorTerm. This is an alpha feature and may change in the future.
struct CAPSTAN_EXPORT TopologySelectorTerm {
  // A list of topology selector requirements by labels.
  List<TopologySelectorLabelRequirement> match_label_expressions = {};
};
CAPSTAN_EXPORT bool operator==(const TopologySelectorTerm& a, const TopologySelectorTerm& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TopologySelectorTerm*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::TopologySelectorLabelRequirement>;
extern template class capstan::List<capstan::api::core::v1::TopologySelectorTerm>;

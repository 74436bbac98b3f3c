// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>

#include "capstan/api/meta/v1/label_selector_requirement.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::meta::v1 {

// Note: There are two different styles of label selectors used in versioned types: an older style
// which is represented as just a string in versioned types, and a newer style that is structured.
// LabelSelector is an internal representation for the latter style.
// A label selector is a label query over a set of resources. The result of matchLabels and
// matchExpressions are ANDed. An empty label selector matches all objects. A null label selector
// matches no objects.
struct CAPSTAN_EXPORT LabelSelector {
  // matchLabels is a map of {key,value} pairs. A single {key,value} in the matchLabels map is
  // equivalent to an element of matchExpressions, whose key field is "key", the operator is "In",
  // and the values array contains only "value". The requirements are ANDed.
  std::map<std::string, std::string> match_labels = {};
  // matchExpressions is a list of label selector requirements. The requirements are ANDed.
  List<LabelSelectorRequirement> match_expressions = {};
};
CAPSTAN_EXPORT bool operator==(const LabelSelector& a, const LabelSelector& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LabelSelector*);

}  // namespace capstan::api::meta::v1

extern template class capstan::Boxed<capstan::api::meta::v1::LabelSelector>;
extern template class capstan::List<capstan::api::meta::v1::LabelSelector>;

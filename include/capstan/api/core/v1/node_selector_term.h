// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// A node selector operator is the set of operators that can be used in a node selector requirement.
inline constexpr std::string_view kNodeSelectorOpIn = "In";
inline constexpr std::string_view kNodeSelectorOpNotIn = "NotIn";
inline constexpr std::string_view kNodeSelectorOpExists = "Exists";
inline constexpr std::string_view kNodeSelectorOpDoesNotExist = "DoesNotExist";
inline constexpr std::string_view kNodeSelectorOpGt = "Gt";
inline constexpr std::string_view kNodeSelectorOpLt = "Lt";

// A node selector requirement is a selector that contains values, a key, and an operator that
// relates the key and values.
struct CAPSTAN_EXPORT NodeSelectorRequirement {
  // The label key that the selector applies to.
  std::string key = {};
  // Represents a key's relationship to a set of values. Valid operators are In, NotIn, Exists,
  // DoesNotExist. Gt, and Lt.
  std::string operator_ = {};
  // An array of string values. If the operator is In or NotIn, the values array must be non-empty.
  // If the operator is Exists or DoesNotExist, the values array must be empty. If the operator is
  // Gt or Lt, the values array must have a single element, which will be interpreted as an integer.
  // This array is replaced during a strategic merge patch.
  std::vector<std::string> values = {};
};
CAPSTAN_EXPORT bool operator==(const NodeSelectorRequirement& a, const NodeSelectorRequirement& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeSelectorRequirement*);

// A null or empty node selector term matches no objects. The requirements of them are ANDed. The
// TopologySelectorTerm type implements a subset of the NodeSelectorTerm.
struct CAPSTAN_EXPORT NodeSelectorTerm {
  // A list of node selector requirements by node's labels.
  List<NodeSelectorRequirement> match_expressions = {};
  // A list of node selector requirements by node's fields.
  List<NodeSelectorRequirement> match_fields = {};
};
CAPSTAN_EXPORT bool operator==(const NodeSelectorTerm& a, const NodeSelectorTerm& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NodeSelectorTerm*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::NodeSelectorRequirement>;
extern template class capstan::List<capstan::api::core::v1::NodeSelectorTerm>;

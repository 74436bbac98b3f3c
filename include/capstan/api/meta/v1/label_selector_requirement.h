// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::meta::v1 {

// A label selector operator is the set of operators that can be used in a selector requirement.
inline constexpr std::string_view kLabelSelectorOpIn = "In";
inline constexpr std::string_view kLabelSelectorOpNotIn = "NotIn";
inline constexpr std::string_view kLabelSelectorOpExists = "Exists";
inline constexpr std::string_view kLabelSelectorOpDoesNotExist = "DoesNotExist";

// A label selector requirement is a selector that contains values, a key, and an operator that
// relates the key and values.
struct CAPSTAN_EXPORT LabelSelectorRequirement {
  // key is the label key that the selector applies to.
  std::string key = {};
  // operator represents a key's relationship to a set of values. Valid operators are In, NotIn,
  // Exists and DoesNotExist.
  std::string operator_ = {};
  // values is an array of string values. If the operator is In or NotIn, the values array must be
  // non-empty. If the operator is Exists or DoesNotExist, the values array must be empty. This
  // array is replaced during a strategic merge patch.
  std::vector<std::string> values = {};
};
CAPSTAN_EXPORT bool operator==(const LabelSelectorRequirement& a,
                               const LabelSelectorRequirement& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LabelSelectorRequirement*);

}  // namespace capstan::api::meta::v1

extern template class capstan::List<capstan::api::meta::v1::LabelSelectorRequirement>;

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

// A field selector operator is the set of operators that can be used in a selector requirement.
inline constexpr std::string_view kFieldSelectorOpIn = "In";
inline constexpr std::string_view kFieldSelectorOpNotIn = "NotIn";
inline constexpr std::string_view kFieldSelectorOpExists = "Exists";
inline constexpr std::string_view kFieldSelectorOpDoesNotExist = "DoesNotExist";

// FieldSelectorRequirement is a selector that contains values, a key, and an operator that relates
// the key and values.
struct CAPSTAN_EXPORT FieldSelectorRequirement {
  // key is the field selector key that the requirement applies to.
  std::string key = {};
  // operator represents a key's relationship to a set of values. Valid operators are In, NotIn,
  // Exists, DoesNotExist. The list of operators may grow in the future.
  std::string operator_ = {};
  // values is an array of string values. If the operator is In or NotIn, the values array must be
  // non-empty. If the operator is Exists or DoesNotExist, the values array must be empty.
  std::vector<std::string> values = {};
};
CAPSTAN_EXPORT bool operator==(const FieldSelectorRequirement& a,
                               const FieldSelectorRequirement& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FieldSelectorRequirement*);

}  // namespace capstan::api::meta::v1

extern template class capstan::List<capstan::api::meta::v1::FieldSelectorRequirement>;

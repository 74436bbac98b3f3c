// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::admissionregistration::v1 {

// Variable is the definition of a variable that is used for composition. A variable is defined as a
// named expression.
struct CAPSTAN_EXPORT Variable {
  // name is the name of the variable. The name must be a valid CEL identifier and unique among all
  // variables. The variable can be accessed in other expressions through `variables` For example,
  // if name is "foo", the variable will be available as `variables.foo`
  std::string name = {};
  // expression is the expression that will be evaluated as the value of the variable. The CEL
  // expression has access to the same identifiers as the CEL expressions in Validation.
  std::string expression = {};
};
CAPSTAN_EXPORT bool operator==(const Variable& a, const Variable& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Variable*);

}  // namespace capstan::api::admissionregistration::v1

extern template class capstan::List<capstan::api::admissionregistration::v1::Variable>;

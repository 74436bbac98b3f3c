// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::rbac::v1 {

// RoleRef contains information that points to the role being used
struct CAPSTAN_EXPORT RoleRef {
  // apiGroup is the group for the resource being referenced
  std::string api_group = {};
  // kind is the type of resource being referenced
  std::string kind = {};
  // name is the name of resource being referenced
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const RoleRef& a, const RoleRef& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RoleRef*);

}  // namespace capstan::api::rbac::v1

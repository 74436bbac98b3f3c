// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/rbac/v1/policy_rule.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::rbac::v1 {

// Role is a namespaced, logical grouping of PolicyRules that can be referenced as a unit by a
// RoleBinding.
struct CAPSTAN_EXPORT Role {
  // metadata is the standard object's metadata.
  ObjectMeta metadata = {};
  // rules holds all the PolicyRules for this Role
  List<PolicyRule> rules = {};
};
CAPSTAN_EXPORT bool operator==(const Role& a, const Role& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Role*);

}  // namespace capstan::api::rbac::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::rbac::v1::Role> =
    capstan::Kind("rbac.authorization.k8s.io", "v1", "Role", "roles").Namespaced().Whole();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/rbac/v1/role_ref.h"
#include "capstan/api/rbac/v1/subject.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::rbac::v1 {

// RoleBinding references a role, but does not contain it.  It can reference a Role in the same
// namespace or a ClusterRole in the global namespace. It adds who information via Subjects and
// namespace information by which namespace it exists in.  RoleBindings in a given namespace only
// have effect in that namespace.
struct CAPSTAN_EXPORT RoleBinding {
  // metadata is the standard object's metadata.
  ObjectMeta metadata = {};
  // subjects holds references to the objects the role applies to.
  List<Subject> subjects = {};
  // roleRef can reference a Role in the current namespace or a ClusterRole in the global namespace.
  // If the RoleRef cannot be resolved, the Authorizer must return an error. This field is
  // immutable.
  RoleRef role_ref = {};
};
CAPSTAN_EXPORT bool operator==(const RoleBinding& a, const RoleBinding& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RoleBinding*);

}  // namespace capstan::api::rbac::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::rbac::v1::RoleBinding> =
    capstan::Kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings")
        .Namespaced()
        .Whole();

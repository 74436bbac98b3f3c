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

// ClusterRoleBinding references a ClusterRole, but not contain it.  It can reference a ClusterRole
// in the global namespace, and adds who information via Subject.
struct CAPSTAN_EXPORT ClusterRoleBinding {
  // metadata is the standard object's metadata.
  ObjectMeta metadata = {};
  // subjects holds references to the objects the role applies to.
  List<Subject> subjects = {};
  // roleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be
  // resolved, the Authorizer must return an error. This field is immutable.
  RoleRef role_ref = {};
};
CAPSTAN_EXPORT bool operator==(const ClusterRoleBinding& a, const ClusterRoleBinding& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ClusterRoleBinding*);

}  // namespace capstan::api::rbac::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::rbac::v1::ClusterRoleBinding> =
    capstan::Kind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings")
        .ClusterScoped()
        .Whole();

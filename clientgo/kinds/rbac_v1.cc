// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/rbac/v1/cluster_role.h"
#include "capstan/api/rbac/v1/cluster_role_binding.h"
#include "capstan/api/rbac/v1/policy_rule.h"
#include "capstan/api/rbac/v1/role.h"
#include "capstan/api/rbac/v1/role_binding.h"
#include "capstan/api/rbac/v1/role_ref.h"
#include "capstan/api/rbac/v1/subject.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::rbac::v1 {

CAPSTAN_LAYOUT(AggregationRule,
    CAPSTAN_FIELD(AggregationRule, "clusterRoleSelectors", cluster_role_selectors))

CAPSTAN_LAYOUT(ClusterRole,
    CAPSTAN_PART(ClusterRole, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(ClusterRole, "rules", rules),
    CAPSTAN_FIELD(ClusterRole, "aggregationRule", aggregation_rule))

CAPSTAN_LAYOUT(ClusterRoleBinding,
    CAPSTAN_PART(ClusterRoleBinding, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(ClusterRoleBinding, "subjects", subjects),
    CAPSTAN_REQUIRED(ClusterRoleBinding, "roleRef", role_ref))

CAPSTAN_LAYOUT(PolicyRule,
    CAPSTAN_REQUIRED(PolicyRule, "verbs", verbs),
    CAPSTAN_FIELD(PolicyRule, "apiGroups", api_groups),
    CAPSTAN_FIELD(PolicyRule, "resources", resources),
    CAPSTAN_FIELD(PolicyRule, "resourceNames", resource_names),
    CAPSTAN_FIELD(PolicyRule, "nonResourceURLs", non_resource_urls))

CAPSTAN_LAYOUT(Role,
    CAPSTAN_PART(Role, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(Role, "rules", rules))

CAPSTAN_LAYOUT(RoleBinding,
    CAPSTAN_PART(RoleBinding, "metadata", metadata, kMetadata),
    CAPSTAN_FIELD(RoleBinding, "subjects", subjects),
    CAPSTAN_REQUIRED(RoleBinding, "roleRef", role_ref))

CAPSTAN_LAYOUT(RoleRef,
    CAPSTAN_REQUIRED(RoleRef, "apiGroup", api_group),
    CAPSTAN_REQUIRED(RoleRef, "kind", kind),
    CAPSTAN_REQUIRED(RoleRef, "name", name))

CAPSTAN_LAYOUT(Subject,
    CAPSTAN_REQUIRED(Subject, "kind", kind),
    CAPSTAN_FIELD(Subject, "apiGroup", api_group),
    CAPSTAN_REQUIRED(Subject, "name", name),
    CAPSTAN_FIELD(Subject, "namespace", namespace_))

}  // namespace capstan::api::rbac::v1

template class capstan::Boxed<capstan::api::rbac::v1::AggregationRule>;
template class capstan::List<capstan::api::rbac::v1::PolicyRule>;
template class capstan::List<capstan::api::rbac::v1::Subject>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::rbac::v1 {

// Authorization is calculated against 1. evaluation of ClusterRoleBindings - short circuit on match
// 2. evaluation of RoleBindings in the namespace requested - short circuit on match 3. deny by
// default
// PolicyRule holds information that describes a policy rule, but does not contain information about
// who the rule applies to or which namespace the rule applies to.
struct CAPSTAN_EXPORT PolicyRule {
  // verbs is a list of Verbs that apply to ALL the ResourceKinds contained in this rule. '*'
  // represents all verbs.
  std::vector<std::string> verbs = {};
  // apiGroups is the name of the APIGroup that contains the resources.  If multiple API groups are
  // specified, any action requested against one of the enumerated resources in any API group will
  // be allowed. "" represents the core API group and "*" represents all API groups.
  std::vector<std::string> api_groups = {};
  // resources is a list of resources this rule applies to. '*' represents all resources.
  std::vector<std::string> resources = {};
  // resourceNames is an optional white list of names that the rule applies to.  An empty set means
  // that everything is allowed.
  std::vector<std::string> resource_names = {};
  // nonResourceURLs is a set of partial urls that a user should have access to.  *s are allowed,
  // but only as the full, final step in the path Since non-resource URLs are not namespaced, this
  // field is only applicable for ClusterRoles referenced from a ClusterRoleBinding. Rules can
  // either apply to API resources (such as "pods" or "secrets") or non-resource URL paths (such as
  // "/api"),  but not both.
  std::vector<std::string> non_resource_urls = {};
};
CAPSTAN_EXPORT bool operator==(const PolicyRule& a, const PolicyRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PolicyRule*);

}  // namespace capstan::api::rbac::v1

extern template class capstan::List<capstan::api::rbac::v1::PolicyRule>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/api/rbac/v1/policy_rule.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::rbac::v1 {

// AggregationRule describes how to locate ClusterRoles to aggregate into the ClusterRole
struct CAPSTAN_EXPORT AggregationRule {
  // clusterRoleSelectors holds a list of selectors which will be used to find ClusterRoles and
  // create the rules. If any of the selectors match, then the ClusterRole's permissions will be
  // added
  List<meta::v1::LabelSelector> cluster_role_selectors = {};
};
CAPSTAN_EXPORT bool operator==(const AggregationRule& a, const AggregationRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AggregationRule*);

// ClusterRole is a cluster level, logical grouping of PolicyRules that can be referenced as a unit
// by a RoleBinding or ClusterRoleBinding.
struct CAPSTAN_EXPORT ClusterRole {
  // metadata is the standard object's metadata.
  ObjectMeta metadata = {};
  // rules holds all the PolicyRules for this ClusterRole
  List<PolicyRule> rules = {};
  // aggregationRule is an optional field that describes how to build the Rules for this
  // ClusterRole. If AggregationRule is set, then the Rules are controller managed and direct
  // changes to Rules will be stomped by the controller.
  Boxed<AggregationRule> aggregation_rule = {};
};
CAPSTAN_EXPORT bool operator==(const ClusterRole& a, const ClusterRole& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ClusterRole*);

}  // namespace capstan::api::rbac::v1

extern template class capstan::Boxed<capstan::api::rbac::v1::AggregationRule>;

template <>
inline constexpr auto capstan::kKind<capstan::api::rbac::v1::ClusterRole> =
    capstan::Kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles")
        .ClusterScoped()
        .Whole();

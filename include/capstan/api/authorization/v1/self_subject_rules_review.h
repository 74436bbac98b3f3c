// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::authorization::v1 {

// SelfSubjectRulesReviewSpec defines the specification for SelfSubjectRulesReview.
struct CAPSTAN_EXPORT SelfSubjectRulesReviewSpec {
  // namespace to evaluate rules for. Required.
  std::string namespace_ = {};
};
CAPSTAN_EXPORT bool operator==(const SelfSubjectRulesReviewSpec& a,
                               const SelfSubjectRulesReviewSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SelfSubjectRulesReviewSpec*);

// ResourceRule is the list of actions the subject is allowed to perform on resources. The list
// ordering isn't significant, may contain duplicates, and possibly be incomplete.
struct CAPSTAN_EXPORT ResourceRule {
  // verbs is a list of kubernetes resource API verbs, like: get, list, watch, create, update,
  // delete, proxy.  "*" means all.
  std::vector<std::string> verbs = {};
  // apiGroups is the name of the APIGroup that contains the resources.  If multiple API groups are
  // specified, any action requested against one of the enumerated resources in any API group will
  // be allowed.  "*" means all.
  std::vector<std::string> api_groups = {};
  // resources is a list of resources this rule applies to.  "*" means all in the specified
  // apiGroups. "*/foo" represents the subresource 'foo' for all resources in the specified
  // apiGroups.
  std::vector<std::string> resources = {};
  // resourceNames is an optional white list of names that the rule applies to.  An empty set means
  // that everything is allowed.  "*" means all.
  std::vector<std::string> resource_names = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceRule& a, const ResourceRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceRule*);

// NonResourceRule holds information that describes a rule for the non-resource
struct CAPSTAN_EXPORT NonResourceRule {
  // verbs is a list of kubernetes non-resource API verbs, like: get, post, put, delete, patch,
  // head, options.  "*" means all.
  std::vector<std::string> verbs = {};
  // nonResourceURLs is a set of partial urls that a user should have access to.  *s are allowed,
  // but only as the full, final step in the path.  "*" means all.
  std::vector<std::string> non_resource_urls = {};
};
CAPSTAN_EXPORT bool operator==(const NonResourceRule& a, const NonResourceRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NonResourceRule*);

// SubjectRulesReviewStatus contains the result of a rules check. This check can be incomplete
// depending on the set of authorizers the server is configured with and any errors experienced
// during evaluation. Because authorization rules are additive, if a rule appears in a list it's
// safe to assume the subject has that permission, even if that list is incomplete.
struct CAPSTAN_EXPORT SubjectRulesReviewStatus {
  // resourceRules is the list of actions the subject is allowed to perform on resources. The list
  // ordering isn't significant, may contain duplicates, and possibly be incomplete.
  List<ResourceRule> resource_rules = {};
  // nonResourceRules is the list of actions the subject is allowed to perform on non-resources. The
  // list ordering isn't significant, may contain duplicates, and possibly be incomplete.
  List<NonResourceRule> non_resource_rules = {};
  // incomplete is true when the rules returned by this call are incomplete. This is most commonly
  // encountered when an authorizer, such as an external authorizer, doesn't support rules
  // evaluation.
  bool incomplete = {};
  // evaluationError can appear in combination with Rules. It indicates an error occurred during
  // rule evaluation, such as an authorizer that doesn't support rule evaluation, and that
  // ResourceRules and/or NonResourceRules may be incomplete.
  std::string evaluation_error = {};
};
CAPSTAN_EXPORT bool operator==(const SubjectRulesReviewStatus& a,
                               const SubjectRulesReviewStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SubjectRulesReviewStatus*);

// SelfSubjectRulesReview enumerates the set of actions the current user can perform within a
// namespace. The returned list of actions may be incomplete depending on the server's authorization
// mode, and any errors experienced during the evaluation. SelfSubjectRulesReview should be used by
// UIs to show/hide actions, or to quickly let an end user reason about their permissions. It should
// NOT Be used by external systems to drive authorization decisions as this raises confused deputy,
// cache lifetime/revocation, and correctness concerns. SubjectAccessReview, and LocalAccessReview
// are the correct way to defer authorization decisions to the API server.
struct CAPSTAN_EXPORT SelfSubjectRulesReview {
  // metadata is the standard list metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec holds information about the request being evaluated.
  SelfSubjectRulesReviewSpec spec = {};
  // status is filled in by the server and indicates the set of actions a user can perform.
  SubjectRulesReviewStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const SelfSubjectRulesReview& a, const SelfSubjectRulesReview& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SelfSubjectRulesReview*);

}  // namespace capstan::api::authorization::v1

extern template class capstan::List<capstan::api::authorization::v1::ResourceRule>;
extern template class capstan::List<capstan::api::authorization::v1::NonResourceRule>;

template <>
inline constexpr auto capstan::kKind<capstan::api::authorization::v1::SelfSubjectRulesReview> =
    capstan::Kind("authorization.k8s.io", "v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();

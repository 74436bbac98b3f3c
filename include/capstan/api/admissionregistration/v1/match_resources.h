// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::admissionregistration::v1 {

// OperationType specifies an operation for a request.
inline constexpr std::string_view kOperationAll = "*";
inline constexpr std::string_view kCreate = "CREATE";
inline constexpr std::string_view kUpdate = "UPDATE";
inline constexpr std::string_view kDelete = "DELETE";
inline constexpr std::string_view kConnect = "CONNECT";

// ScopeType specifies a scope for a Rule.
// ClusterScope means that scope is limited to cluster-scoped objects. Namespace objects are
// cluster-scoped.
inline constexpr std::string_view kClusterScope = "Cluster";
// NamespacedScope means that scope is limited to namespaced objects.
inline constexpr std::string_view kNamespacedScope = "Namespaced";
// AllScopes means that all scopes are included.
inline constexpr std::string_view kAllScopes = "*";

// NamedRuleWithOperations is a tuple of Operations and Resources with ResourceNames.
struct CAPSTAN_EXPORT NamedRuleWithOperations {
  // resourceNames is an optional white list of names that the rule applies to.  An empty set means
  // that everything is allowed.
  std::vector<std::string> resource_names = {};
  // operations is the operations the admission hook cares about - CREATE, UPDATE, DELETE, CONNECT
  // or * for all of those operations and any future admission operations that are added. If '*' is
  // present, the length of the slice must be one. Required.
  std::vector<std::string> operations = {};
  // apiGroups is the API groups the resources belong to. '*' is all groups. If '*' is present, the
  // length of the slice must be one. Required.
  std::vector<std::string> api_groups = {};
  // apiVersions is the API versions the resources belong to. '*' is all versions. If '*' is
  // present, the length of the slice must be one. Required.
  std::vector<std::string> api_versions = {};
  // resources is a list of resources this rule applies to.
  // For example: 'pods' means pods. 'pods/log' means the log subresource of pods. '*' means all
  // resources, but not subresources. 'pods/*' means all subresources of pods. '*/scale' means all
  // scale subresources. '*/*' means all resources and their subresources.
  // If wildcard is present, the validation rule will ensure resources do not overlap with each
  // other.
  // Depending on the enclosing object, subresources might not be allowed. Required.
  std::vector<std::string> resources = {};
  // scope specifies the scope of this rule. Valid values are "Cluster", "Namespaced", and "*"
  // "Cluster" means that only cluster-scoped resources will match this rule. Namespace API objects
  // are cluster-scoped. "Namespaced" means that only namespaced resources will match this rule. "*"
  // means that there are no scope restrictions. Subresources match the scope of their parent
  // resource. Default is "*".
  std::optional<std::string> scope = {};
};
CAPSTAN_EXPORT bool operator==(const NamedRuleWithOperations& a, const NamedRuleWithOperations& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NamedRuleWithOperations*);

// MatchPolicyType specifies the type of match policy.
// Exact means requests should only be sent to the webhook if they exactly match a given rule.
inline constexpr std::string_view kExact = "Exact";
// Equivalent means requests should be sent to the webhook if they modify a resource listed in rules
// via another API group or version.
inline constexpr std::string_view kEquivalent = "Equivalent";

// MatchResources decides whether to run the admission control policy on an object based on whether
// it meets the match criteria. The exclude rules take precedence over include rules (if a resource
// matches both, it is excluded)
struct CAPSTAN_EXPORT MatchResources {
  // namespaceSelector decides whether to run the admission control policy on an object based on
  // whether the namespace for that object matches the selector. If the object itself is a
  // namespace, the matching is performed on object.metadata.labels. If the object is another
  // cluster scoped resource, it never skips the policy.
  // For example, to run the webhook on any objects whose namespace is not associated with
  // "runlevel" of "0" or "1";  you will set the selector as follows: "namespaceSelector": {
  // "matchExpressions": [
  // {
  // "key": "runlevel",
  // "operator": "NotIn",
  // "values": [
  // "0",
  // "1"
  // ]
  // }
  // ] }
  // If instead you want to only run the policy on any objects whose namespace is associated with
  // the "environment" of "prod" or "staging"; you will set the selector as follows:
  // "namespaceSelector": {
  // "matchExpressions": [
  // {
  // "key": "environment",
  // "operator": "In",
  // "values": [
  // "prod",
  // "staging"
  // ]
  // }
  // ] }
  // See https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/ for more examples
  // of label selectors.
  // Default to the empty LabelSelector, which matches everything.
  Boxed<meta::v1::LabelSelector> namespace_selector = {};
  // objectSelector decides whether to run the validation based on if the object has matching
  // labels. objectSelector is evaluated against both the oldObject and newObject that would be sent
  // to the cel validation, and is considered to match if either object matches the selector. A null
  // object (oldObject in the case of create, or newObject in the case of delete) or an object that
  // cannot have labels (like a DeploymentRollback or a PodProxyOptions object) is not considered to
  // match. Use the object selector only if the webhook is opt-in, because end users may skip the
  // admission webhook by setting the labels. Default to the empty LabelSelector, which matches
  // everything.
  Boxed<meta::v1::LabelSelector> object_selector = {};
  // resourceRules describes what operations on what resources/subresources the
  // ValidatingAdmissionPolicy matches. The policy cares about an operation if it matches _any_
  // Rule.
  List<NamedRuleWithOperations> resource_rules = {};
  // excludeResourceRules describes what operations on what resources/subresources the
  // ValidatingAdmissionPolicy should not care about. The exclude rules take precedence over include
  // rules (if a resource matches both, it is excluded)
  List<NamedRuleWithOperations> exclude_resource_rules = {};
  // matchPolicy defines how the "MatchResources" list is used to match incoming requests. Allowed
  // values are "Exact" or "Equivalent".
  // - Exact: match a request only if it exactly matches a specified rule. For example, if
  // deployments can be modified via apps/v1, apps/v1beta1, and extensions/v1beta1, but "rules" only
  // included `apiGroups:["apps"], apiVersions:["v1"], resources: ["deployments"]`, a request to
  // apps/v1beta1 or extensions/v1beta1 would not be sent to the ValidatingAdmissionPolicy.
  // - Equivalent: match a request if modifies a resource listed in rules, even via another API
  // group or version. For example, if deployments can be modified via apps/v1, apps/v1beta1, and
  // extensions/v1beta1, and "rules" only included `apiGroups:["apps"], apiVersions:["v1"],
  // resources: ["deployments"]`, a request to apps/v1beta1 or extensions/v1beta1 would be converted
  // to apps/v1 and sent to the ValidatingAdmissionPolicy.
  // Defaults to "Equivalent"
  std::optional<std::string> match_policy = {};
};
CAPSTAN_EXPORT bool operator==(const MatchResources& a, const MatchResources& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const MatchResources*);

}  // namespace capstan::api::admissionregistration::v1

extern template class capstan::List<
    capstan::api::admissionregistration::v1::NamedRuleWithOperations>;
extern template class capstan::Boxed<capstan::api::admissionregistration::v1::MatchResources>;

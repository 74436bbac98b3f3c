// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::flowcontrol::v1beta3 {

// PriorityLevelConfigurationReference contains information that points to the "request-priority"
// being used.
struct CAPSTAN_EXPORT PriorityLevelConfigurationReference {
  // `name` is the name of the priority level configuration being referenced Required.
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const PriorityLevelConfigurationReference& a,
                               const PriorityLevelConfigurationReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PriorityLevelConfigurationReference*);

// FlowDistinguisherMethodType is the type of flow distinguisher method
// FlowDistinguisherMethodByUserType specifies that the flow distinguisher is the username in the
// request. This type is used to provide some insulation between users.
inline constexpr std::string_view kFlowDistinguisherMethodByUserType = "ByUser";
// FlowDistinguisherMethodByNamespaceType specifies that the flow distinguisher is the namespace of
// the object that the request acts upon. If the object is not namespaced, or if the request is a
// non-resource request, then the distinguisher will be the empty string. An example usage of this
// type is to provide some insulation between tenants in a situation where there are multiple
// tenants and each namespace is dedicated to a tenant.
inline constexpr std::string_view kFlowDistinguisherMethodByNamespaceType = "ByNamespace";

// FlowDistinguisherMethod specifies the method of a flow distinguisher.
struct CAPSTAN_EXPORT FlowDistinguisherMethod {
  // `type` is the type of flow distinguisher method The supported types are "ByUser" and
  // "ByNamespace". Required.
  std::string type = {};
};
CAPSTAN_EXPORT bool operator==(const FlowDistinguisherMethod& a, const FlowDistinguisherMethod& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlowDistinguisherMethod*);

// UserSubject holds detailed information for user-kind subject.
struct CAPSTAN_EXPORT UserSubject {
  // `name` is the username that matches, or "*" to match all usernames. Required.
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const UserSubject& a, const UserSubject& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const UserSubject*);

// GroupSubject holds detailed information for group-kind subject.
struct CAPSTAN_EXPORT GroupSubject {
  // name is the user group that matches, or "*" to match all user groups. See
  // https://github.com/kubernetes/apiserver/blob/master/pkg/authentication/user/user.go for some
  // well-known group names. Required.
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const GroupSubject& a, const GroupSubject& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const GroupSubject*);

// ServiceAccountSubject holds detailed information for service-account-kind subject.
struct CAPSTAN_EXPORT ServiceAccountSubject {
  // `namespace` is the namespace of matching ServiceAccount objects. Required.
  std::string namespace_ = {};
  // `name` is the name of matching ServiceAccount objects, or "*" to match regardless of name.
  // Required.
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceAccountSubject& a, const ServiceAccountSubject& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceAccountSubject*);

// SubjectKind is the kind of subject.
inline constexpr std::string_view kSubjectKindUser = "User";
inline constexpr std::string_view kSubjectKindGroup = "Group";
inline constexpr std::string_view kSubjectKindServiceAccount = "ServiceAccount";

// Subject matches the originator of a request, as identified by the request authentication system.
// There are three ways of matching an originator; by user, group, or service account.
struct CAPSTAN_EXPORT Subject {
  // `kind` indicates which one of the other fields is non-empty. Required
  std::string kind = {};
  // `user` matches based on username.
  Boxed<UserSubject> user = {};
  // `group` matches based on user group name.
  Boxed<GroupSubject> group = {};
  // `serviceAccount` matches ServiceAccounts.
  Boxed<ServiceAccountSubject> service_account = {};
};
CAPSTAN_EXPORT bool operator==(const Subject& a, const Subject& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Subject*);

// ResourcePolicyRule is a predicate that matches some resource requests, testing the request's verb
// and the target resource. A ResourcePolicyRule matches a resource request if and only if: (a) at
// least one member of verbs matches the request, (b) at least one member of apiGroups matches the
// request, (c) at least one member of resources matches the request, and (d) either (d1) the
// request does not specify a namespace (i.e., `Namespace==""`) and clusterScope is true or (d2) the
// request specifies a namespace and least one member of namespaces matches the request's namespace.
struct CAPSTAN_EXPORT ResourcePolicyRule {
  // `verbs` is a list of matching verbs and may not be empty. "*" matches all verbs and, if
  // present, must be the only entry. Required.
  std::vector<std::string> verbs = {};
  // `apiGroups` is a list of matching API groups and may not be empty. "*" matches all API groups
  // and, if present, must be the only entry. Required.
  std::vector<std::string> api_groups = {};
  // `resources` is a list of matching resources (i.e., lowercase and plural) with, if desired,
  // subresource.  For example, [ "services", "nodes/status" ].  This list may not be empty. "*"
  // matches all resources and, if present, must be the only entry. Required.
  std::vector<std::string> resources = {};
  // `clusterScope` indicates whether to match requests that do not specify a namespace (which
  // happens either because the resource is not namespaced or the request targets all namespaces).
  // If this field is omitted or false then the `namespaces` field must contain a non-empty list.
  bool cluster_scope = {};
  // `namespaces` is a list of target namespaces that restricts matches.  A request that specifies a
  // target namespace matches only if either (a) this list contains that target namespace or (b)
  // this list contains "*".  Note that "*" matches any specified namespace but does not match a
  // request that _does not specify_ a namespace (see the `clusterScope` field for that). This list
  // may be empty, but only if `clusterScope` is true.
  std::vector<std::string> namespaces = {};
};
CAPSTAN_EXPORT bool operator==(const ResourcePolicyRule& a, const ResourcePolicyRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourcePolicyRule*);

// NonResourcePolicyRule is a predicate that matches non-resource requests according to their verb
// and the target non-resource URL. A NonResourcePolicyRule matches a request if and only if both
// (a) at least one member of verbs matches the request and (b) at least one member of
// nonResourceURLs matches the request.
struct CAPSTAN_EXPORT NonResourcePolicyRule {
  // `verbs` is a list of matching verbs and may not be empty. "*" matches all verbs. If it is
  // present, it must be the only entry. Required.
  std::vector<std::string> verbs = {};
  // `nonResourceURLs` is a set of url prefixes that a user should have access to and may not be
  // empty. For example:
  // - "/healthz" is legal
  // - "/hea*" is illegal
  // - "/hea" is legal but matches nothing
  // - "/hea/*" also matches nothing
  // - "/healthz/*" matches all per-component health checks. "*" matches all non-resource urls. if
  // it is present, it must be the only entry. Required.
  std::vector<std::string> non_resource_urls = {};
};
CAPSTAN_EXPORT bool operator==(const NonResourcePolicyRule& a, const NonResourcePolicyRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NonResourcePolicyRule*);

// PolicyRulesWithSubjects prescribes a test that applies to a request to an apiserver. The test
// considers the subject making the request, the verb being requested, and the resource to be acted
// upon. This PolicyRulesWithSubjects matches a request if and only if both (a) at least one member
// of subjects matches the request and (b) at least one member of resourceRules or nonResourceRules
// matches the request.
struct CAPSTAN_EXPORT PolicyRulesWithSubjects {
  // subjects is the list of normal user, serviceaccount, or group that this rule cares about. There
  // must be at least one member in this slice. A slice that includes both the system:authenticated
  // and system:unauthenticated user groups matches every request. Required.
  List<Subject> subjects = {};
  // `resourceRules` is a slice of ResourcePolicyRules that identify matching requests according to
  // their verb and the target resource. At least one of `resourceRules` and `nonResourceRules` has
  // to be non-empty.
  List<ResourcePolicyRule> resource_rules = {};
  // `nonResourceRules` is a list of NonResourcePolicyRules that identify matching requests
  // according to their verb and the target non-resource URL.
  List<NonResourcePolicyRule> non_resource_rules = {};
};
CAPSTAN_EXPORT bool operator==(const PolicyRulesWithSubjects& a, const PolicyRulesWithSubjects& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PolicyRulesWithSubjects*);

// FlowSchemaSpec describes how the FlowSchema's specification looks like.
struct CAPSTAN_EXPORT FlowSchemaSpec {
  // `priorityLevelConfiguration` should reference a PriorityLevelConfiguration in the cluster. If
  // the reference cannot be resolved, the FlowSchema will be ignored and marked as invalid in its
  // status. Required.
  PriorityLevelConfigurationReference priority_level_configuration = {};
  // `matchingPrecedence` is used to choose among the FlowSchemas that match a given request. The
  // chosen FlowSchema is among those with the numerically lowest (which we take to be logically
  // highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in [1,10000]. Note
  // that if the precedence is not specified, it will be set to 1000 as default.
  std::int32_t matching_precedence = {};
  // `distinguisherMethod` defines how to compute the flow distinguisher for requests that match
  // this schema. `nil` specifies that the distinguisher is disabled and thus will always be the
  // empty string.
  Boxed<FlowDistinguisherMethod> distinguisher_method = {};
  // `rules` describes which requests will match this flow schema. This FlowSchema matches a request
  // if and only if at least one member of rules matches the request. if it is an empty slice, there
  // will be no requests matching the FlowSchema.
  List<PolicyRulesWithSubjects> rules = {};
};
CAPSTAN_EXPORT bool operator==(const FlowSchemaSpec& a, const FlowSchemaSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlowSchemaSpec*);

// ConditionStatus is the status of the condition.
inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

// FlowSchemaCondition describes conditions for a FlowSchema.
struct CAPSTAN_EXPORT FlowSchemaCondition {
  // `type` is the type of the condition. Required.
  std::string type = {};
  // `status` is the status of the condition. Should be specified and set to one of True, False,
  // Unknown.
  std::string status = {};
  // `lastTransitionTime` is the last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // `reason` is a unique, one-word, CamelCase reason for the condition's last transition.
  std::string reason = {};
  // `message` is a human-readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const FlowSchemaCondition& a, const FlowSchemaCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlowSchemaCondition*);

// FlowSchemaStatus represents the current state of a FlowSchema.
struct CAPSTAN_EXPORT FlowSchemaStatus {
  // `conditions` is a list of the current states of FlowSchema.
  List<FlowSchemaCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const FlowSchemaStatus& a, const FlowSchemaStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlowSchemaStatus*);

// FlowSchema defines the schema of a group of flows. Note that a flow is made up of a set of
// inbound API requests with similar attributes and is identified by a pair of strings: the name of
// the FlowSchema and a "flow distinguisher".
struct CAPSTAN_EXPORT FlowSchema {
  // `metadata` is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // `spec` is the specification of the desired behavior of a FlowSchema. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  FlowSchemaSpec spec = {};
  // `status` is the current status of a FlowSchema. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  FlowSchemaStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const FlowSchema& a, const FlowSchema& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlowSchema*);

}  // namespace capstan::api::flowcontrol::v1beta3

extern template class capstan::Boxed<capstan::api::flowcontrol::v1beta3::FlowDistinguisherMethod>;
extern template class capstan::Boxed<capstan::api::flowcontrol::v1beta3::UserSubject>;
extern template class capstan::Boxed<capstan::api::flowcontrol::v1beta3::GroupSubject>;
extern template class capstan::Boxed<capstan::api::flowcontrol::v1beta3::ServiceAccountSubject>;
extern template class capstan::List<capstan::api::flowcontrol::v1beta3::Subject>;
extern template class capstan::List<capstan::api::flowcontrol::v1beta3::ResourcePolicyRule>;
extern template class capstan::List<capstan::api::flowcontrol::v1beta3::NonResourcePolicyRule>;
extern template class capstan::List<capstan::api::flowcontrol::v1beta3::PolicyRulesWithSubjects>;
extern template class capstan::List<capstan::api::flowcontrol::v1beta3::FlowSchemaCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::flowcontrol::v1beta3::FlowSchema> =
    capstan::Kind("flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema", "flowschemas")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();

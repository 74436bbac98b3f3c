// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"

namespace capstan::api::core::v1 {

// A ResourceQuotaScope defines a filter that must match each object tracked by a quota
// Match all pod objects where spec.activeDeadlineSeconds >=0
inline constexpr std::string_view kResourceQuotaScopeTerminating = "Terminating";
// Match all pod objects where spec.activeDeadlineSeconds is nil
inline constexpr std::string_view kResourceQuotaScopeNotTerminating = "NotTerminating";
// Match all pod objects that have best effort quality of service
inline constexpr std::string_view kResourceQuotaScopeBestEffort = "BestEffort";
// Match all pod objects that do not have best effort quality of service
inline constexpr std::string_view kResourceQuotaScopeNotBestEffort = "NotBestEffort";
// Match all pod objects that have priority class mentioned
inline constexpr std::string_view kResourceQuotaScopePriorityClass = "PriorityClass";
// Match all pod objects that have cross-namespace pod (anti)affinity mentioned.
inline constexpr std::string_view kResourceQuotaScopeCrossNamespacePodAffinity =
    "CrossNamespacePodAffinity";
// Match all pvc objects that have volume attributes class mentioned.
inline constexpr std::string_view kResourceQuotaScopeVolumeAttributesClass =
    "VolumeAttributesClass";

// A scope selector operator is the set of operators that can be used in a scope selector
// requirement.
inline constexpr std::string_view kScopeSelectorOpIn = "In";
inline constexpr std::string_view kScopeSelectorOpNotIn = "NotIn";
inline constexpr std::string_view kScopeSelectorOpExists = "Exists";
inline constexpr std::string_view kScopeSelectorOpDoesNotExist = "DoesNotExist";

// A scoped-resource selector requirement is a selector that contains values, a scope name, and an
// operator that relates the scope name and values.
struct CAPSTAN_EXPORT ScopedResourceSelectorRequirement {
  // The name of the scope that the selector applies to.
  std::string scope_name = {};
  // Represents a scope's relationship to a set of values. Valid operators are In, NotIn, Exists,
  // DoesNotExist.
  std::string operator_ = {};
  // An array of string values. If the operator is In or NotIn, the values array must be non-empty.
  // If the operator is Exists or DoesNotExist, the values array must be empty. This array is
  // replaced during a strategic merge patch.
  std::vector<std::string> values = {};
};
CAPSTAN_EXPORT bool operator==(const ScopedResourceSelectorRequirement& a,
                               const ScopedResourceSelectorRequirement& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ScopedResourceSelectorRequirement*);

// A scope selector represents the AND of the selectors represented by the scoped-resource selector
// requirements.
struct CAPSTAN_EXPORT ScopeSelector {
  // A list of scope selector requirements by scope of the resources.
  List<ScopedResourceSelectorRequirement> match_expressions = {};
};
CAPSTAN_EXPORT bool operator==(const ScopeSelector& a, const ScopeSelector& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ScopeSelector*);

// ResourceQuotaSpec defines the desired hard limits to enforce for Quota.
struct CAPSTAN_EXPORT ResourceQuotaSpec {
  // hard is the set of desired hard limits for each named resource. More info:
  // https://kubernetes.io/docs/concepts/policy/resource-quotas/
  std::map<std::string, Quantity> hard = {};
  // A collection of filters that must match each object tracked by a quota. If not specified, the
  // quota matches all objects.
  std::vector<std::string> scopes = {};
  // scopeSelector is also a collection of filters like scopes that must match each object tracked
  // by a quota but expressed using ScopeSelectorOperator in combination with possible values. For a
  // resource to match, both scopes AND scopeSelector (if specified in spec), must be matched.
  Boxed<ScopeSelector> scope_selector = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceQuotaSpec& a, const ResourceQuotaSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceQuotaSpec*);

// ResourceQuotaStatus defines the enforced hard limits and observed use.
struct CAPSTAN_EXPORT ResourceQuotaStatus {
  // Hard is the set of enforced hard limits for each named resource. More info:
  // https://kubernetes.io/docs/concepts/policy/resource-quotas/
  std::map<std::string, Quantity> hard = {};
  // Used is the current observed total usage of the resource in the namespace.
  std::map<std::string, Quantity> used = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceQuotaStatus& a, const ResourceQuotaStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceQuotaStatus*);

// ResourceQuota sets aggregate quota restrictions enforced per namespace
struct CAPSTAN_EXPORT ResourceQuota {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the desired quota.
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ResourceQuotaSpec spec = {};
  // Status defines the actual enforced quota and its current usage.
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ResourceQuotaStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceQuota& a, const ResourceQuota& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceQuota*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::ScopedResourceSelectorRequirement>;
extern template class capstan::Boxed<capstan::api::core::v1::ScopeSelector>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::ResourceQuota> =
    capstan::Kind("", "v1", "ResourceQuota", "resourcequotas").Namespaced().Whole().Spec().Status();

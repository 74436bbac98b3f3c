// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::core::v1 {

// FinalizerName is the name identifying a finalizer during namespace lifecycle.
inline constexpr std::string_view kFinalizerKubernetes = "kubernetes";

// NamespaceSpec describes the attributes on a Namespace.
struct CAPSTAN_EXPORT NamespaceSpec {
  // Finalizers is an opaque list of values that must be empty to permanently remove object from
  // storage. More info: https://kubernetes.io/docs/tasks/administer-cluster/namespaces/
  std::vector<std::string> finalizers = {};
};
CAPSTAN_EXPORT bool operator==(const NamespaceSpec& a, const NamespaceSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NamespaceSpec*);

// NamespaceDeletionDiscoveryFailure contains information about namespace deleter errors during
// resource discovery.
inline constexpr std::string_view kNamespaceDeletionDiscoveryFailure =
    "NamespaceDeletionDiscoveryFailure";
// NamespaceDeletionContentFailure contains information about namespace deleter errors during
// deletion of resources.
inline constexpr std::string_view kNamespaceDeletionContentFailure =
    "NamespaceDeletionContentFailure";
// NamespaceDeletionGVParsingFailure contains information about namespace deleter errors parsing GV
// for legacy types.
inline constexpr std::string_view kNamespaceDeletionGVParsingFailure =
    "NamespaceDeletionGroupVersionParsingFailure";
// NamespaceContentRemaining contains information about resources remaining in a namespace.
inline constexpr std::string_view kNamespaceContentRemaining = "NamespaceContentRemaining";
// NamespaceFinalizersRemaining contains information about which finalizers are on resources
// remaining in a namespace.
inline constexpr std::string_view kNamespaceFinalizersRemaining = "NamespaceFinalizersRemaining";

// NamespaceCondition contains details about state of namespace.
struct CAPSTAN_EXPORT NamespaceCondition {
  // Type of namespace controller condition.
  std::string type = {};
  // Status of the condition, one of True, False, Unknown.
  std::string status = {};
  // Last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // Unique, one-word, CamelCase reason for the condition's last transition.
  std::string reason = {};
  // Human-readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const NamespaceCondition& a, const NamespaceCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NamespaceCondition*);

// NamespaceActive means the namespace is available for use in the system
inline constexpr std::string_view kNamespaceActive = "Active";
// NamespaceTerminating means the namespace is undergoing graceful termination
inline constexpr std::string_view kNamespaceTerminating = "Terminating";

// NamespaceStatus is information about the current status of a Namespace.
struct CAPSTAN_EXPORT NamespaceStatus {
  // Phase is the current lifecycle phase of the namespace. More info:
  // https://kubernetes.io/docs/tasks/administer-cluster/namespaces/
  std::string phase = {};
  // Represents the latest available observations of a namespace's current state.
  List<NamespaceCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const NamespaceStatus& a, const NamespaceStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NamespaceStatus*);

// Namespace provides a scope for Names. Use of multiple namespaces is optional.
struct CAPSTAN_EXPORT Namespace {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the behavior of the Namespace. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  NamespaceSpec spec = {};
  // Status describes the current status of a Namespace. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  NamespaceStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Namespace& a, const Namespace& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Namespace*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::NamespaceCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Namespace> =
    capstan::Kind("", "v1", "Namespace", "namespaces").ClusterScoped().Whole().Spec().Status();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/bytes.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::apiregistration::v1 {

// ServiceReference holds a reference to Service.legacy.k8s.io
struct CAPSTAN_EXPORT ServiceReference {
  // Namespace is the namespace of the service
  std::string namespace_ = {};
  // Name is the name of the service
  std::string name = {};
  // If specified, the port on the service that hosting webhook. Default to 443 for backward
  // compatibility. `port` should be a valid port number (1-65535, inclusive).
  std::optional<std::int32_t> port = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceReference& a, const ServiceReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceReference*);

// APIServiceSpec contains information for locating and communicating with a server. Only https is
// supported, though you are able to disable certificate verification.
struct CAPSTAN_EXPORT APIServiceSpec {
  // Service is a reference to the service for this API server.  It must communicate on port 443. If
  // the Service is nil, that means the handling for the API groupversion is handled locally on this
  // server. The call will simply delegate to the normal handler chain to be fulfilled.
  Boxed<ServiceReference> service = {};
  // Group is the API group name this server hosts
  std::string group = {};
  // Version is the API version this server hosts.  For example, "v1"
  std::string version = {};
  // InsecureSkipTLSVerify disables TLS certificate verification when communicating with this
  // server. This is strongly discouraged.  You should use the CABundle instead.
  bool insecure_skip_tls_verify = {};
  // CABundle is a PEM encoded CA bundle which will be used to validate an API server's serving
  // certificate. If unspecified, system trust roots on the apiserver are used.
  Bytes ca_bundle = {};
  // GroupPriorityMinimum is the priority this group should have at least. Higher priority means
  // that the group is preferred by clients over lower priority ones. Note that other versions of
  // this group might specify even higher GroupPriorityMinimum values such that the whole group gets
  // a higher priority. The primary sort is based on GroupPriorityMinimum, ordered highest number to
  // lowest (20 before 10). The secondary sort is based on the alphabetical comparison of the name
  // of the object.  (v1.bar before v1.foo) We'd recommend something like: *.k8s.io (except
  // extensions) at 18000 and PaaSes (OpenShift, Deis) are recommended to be in the 2000s
  std::int32_t group_priority_minimum = {};
  // VersionPriority controls the ordering of this API version inside of its group.  Must be greater
  // than zero. The primary sort is based on VersionPriority, ordered highest to lowest (20 before
  // 10). Since it's inside of a group, the number can be small, probably in the 10s. In case of
  // equal version priorities, the version string will be used to compute the order inside a group.
  // If the version string is "kube-like", it will sort above non "kube-like" version strings, which
  // are ordered lexicographically. "Kube-like" versions start with a "v", then are followed by a
  // number (the major version), then optionally the string "alpha" or "beta" and another number
  // (the minor version). These are sorted first by GA > beta > alpha (where GA is a version with no
  // suffix such as beta or alpha), and then by comparing major version, then minor version. An
  // example sorted list of versions: v10, v2, v1, v11beta2, v10beta3, v3beta1, v12alpha1,
  // v11alpha2, foo1, foo10.
  std::int32_t version_priority = {};
};
CAPSTAN_EXPORT bool operator==(const APIServiceSpec& a, const APIServiceSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const APIServiceSpec*);

// APIServiceConditionType is a valid value for APIServiceCondition.Type
// Available indicates that the service exists and is reachable
inline constexpr std::string_view kAvailable = "Available";

// ConditionStatus indicates the status of a condition (true, false, or unknown).
inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

// APIServiceCondition describes the state of an APIService at a particular point
struct CAPSTAN_EXPORT APIServiceCondition {
  // Type is the type of the condition.
  std::string type = {};
  // Status is the status of the condition. Can be True, False, Unknown.
  std::string status = {};
  // Last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // Unique, one-word, CamelCase reason for the condition's last transition.
  std::string reason = {};
  // Human-readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const APIServiceCondition& a, const APIServiceCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const APIServiceCondition*);

// APIServiceStatus contains derived information about an API server
struct CAPSTAN_EXPORT APIServiceStatus {
  // Current service state of apiService.
  List<APIServiceCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const APIServiceStatus& a, const APIServiceStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const APIServiceStatus*);

// APIService represents a server for a particular GroupVersion. Name must be "version.group".
struct CAPSTAN_EXPORT APIService {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec contains information for locating and communicating with a server
  APIServiceSpec spec = {};
  // Status contains derived information about an API server
  APIServiceStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const APIService& a, const APIService& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const APIService*);

}  // namespace capstan::api::apiregistration::v1

extern template class capstan::Boxed<capstan::api::apiregistration::v1::ServiceReference>;
extern template class capstan::List<capstan::api::apiregistration::v1::APIServiceCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::apiregistration::v1::APIService> =
    capstan::Kind("apiregistration.k8s.io", "v1", "APIService", "apiservices")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();

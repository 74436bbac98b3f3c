// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// Type and constants for component health validation.
inline constexpr std::string_view kComponentHealthy = "Healthy";

// Information about the condition of a component.
struct CAPSTAN_EXPORT ComponentCondition {
  // Type of condition for a component. Valid value: "Healthy"
  std::string type = {};
  // Status of the condition for a component. Valid values for "Healthy": "True", "False", or
  // "Unknown".
  std::string status = {};
  // Message about the condition for a component. For example, information about a health check.
  std::string message = {};
  // Condition error code for a component. For example, a health check error code.
  std::string error = {};
};
CAPSTAN_EXPORT bool operator==(const ComponentCondition& a, const ComponentCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ComponentCondition*);

// ComponentStatus (and ComponentStatusList) holds the cluster validation info. Deprecated: This API
// is deprecated in v1.19+
struct CAPSTAN_EXPORT ComponentStatus {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // List of component conditions observed
  List<ComponentCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const ComponentStatus& a, const ComponentStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ComponentStatus*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::ComponentCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::ComponentStatus> =
    capstan::Kind("", "v1", "ComponentStatus", "componentstatuses").ClusterScoped().Whole();

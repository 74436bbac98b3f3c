// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"

namespace capstan::api::core::v1 {

// LimitType is a type of object that is limited. It can be Pod, Container, PersistentVolumeClaim or
// a fully qualified resource name.
// Limit that applies to all pods in a namespace
inline constexpr std::string_view kLimitTypePod = "Pod";
// Limit that applies to all containers in a namespace
inline constexpr std::string_view kLimitTypeContainer = "Container";
// Limit that applies to all persistent volume claims in a namespace
inline constexpr std::string_view kLimitTypePersistentVolumeClaim = "PersistentVolumeClaim";

// LimitRangeItem defines a min/max usage limit for any resource that matches on kind.
struct CAPSTAN_EXPORT LimitRangeItem {
  // Type of resource that this limit applies to.
  std::string type = {};
  // Max usage constraints on this kind by resource name.
  std::map<std::string, Quantity> max = {};
  // Min usage constraints on this kind by resource name.
  std::map<std::string, Quantity> min = {};
  // Default resource requirement limit value by resource name if resource limit is omitted.
  std::map<std::string, Quantity> default_ = {};
  // DefaultRequest is the default resource requirement request value by resource name if resource
  // request is omitted.
  std::map<std::string, Quantity> default_request = {};
  // MaxLimitRequestRatio if specified, the named resource must have a request and limit that are
  // both non-zero where limit divided by request is less than or equal to the enumerated value;
  // this represents the max burst for the named resource.
  std::map<std::string, Quantity> max_limit_request_ratio = {};
};
CAPSTAN_EXPORT bool operator==(const LimitRangeItem& a, const LimitRangeItem& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LimitRangeItem*);

// LimitRangeSpec defines a min/max usage limit for resources that match on kind.
struct CAPSTAN_EXPORT LimitRangeSpec {
  // Limits is the list of LimitRangeItem objects that are enforced.
  List<LimitRangeItem> limits = {};
};
CAPSTAN_EXPORT bool operator==(const LimitRangeSpec& a, const LimitRangeSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LimitRangeSpec*);

// LimitRange sets resource usage limits for each kind of resource in a Namespace.
struct CAPSTAN_EXPORT LimitRange {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the limits enforced. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  LimitRangeSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const LimitRange& a, const LimitRange& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LimitRange*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::LimitRangeItem>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::LimitRange> =
    capstan::Kind("", "v1", "LimitRange", "limitranges").Namespaced().Whole().Spec();

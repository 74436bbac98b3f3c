// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// A toleration operator is the set of operators that can be used in a toleration.
inline constexpr std::string_view kTolerationOpExists = "Exists";
inline constexpr std::string_view kTolerationOpEqual = "Equal";
inline constexpr std::string_view kTolerationOpLt = "Lt";
inline constexpr std::string_view kTolerationOpGt = "Gt";

// Do not allow new pods to schedule onto the node unless they tolerate the taint, but allow all
// pods submitted to Kubelet without going through the scheduler to start, and allow all
// already-running pods to continue running. Enforced by the scheduler.
inline constexpr std::string_view kTaintEffectNoSchedule = "NoSchedule";
// Like TaintEffectNoSchedule, but the scheduler tries not to schedule new pods onto the node,
// rather than prohibiting new pods from scheduling onto the node entirely. Enforced by the
// scheduler.
inline constexpr std::string_view kTaintEffectPreferNoSchedule = "PreferNoSchedule";
// Evict any already-running pods that do not tolerate the taint. Currently enforced by
// NodeController.
inline constexpr std::string_view kTaintEffectNoExecute = "NoExecute";

// The pod this Toleration is attached to tolerates any taint that matches the triple
// <key,value,effect> using the matching operator <operator>.
struct CAPSTAN_EXPORT Toleration {
  // Key is the taint key that the toleration applies to. Empty means match all taint keys. If the
  // key is empty, operator must be Exists; this combination means to match all values and all keys.
  std::string key = {};
  // Operator represents a key's relationship to the value. Valid operators are Exists, Equal, Lt,
  // and Gt. Defaults to Equal. Exists is equivalent to wildcard for value, so that a pod can
  // tolerate all taints of a particular category. Lt and Gt perform numeric comparisons (requires
  // feature gate TaintTolerationComparisonOperators).
  std::string operator_ = {};
  // Value is the taint value the toleration matches to. If the operator is Exists, the value should
  // be empty, otherwise just a regular string.
  std::string value = {};
  // Effect indicates the taint effect to match. Empty means match all taint effects. When
  // specified, allowed values are NoSchedule, PreferNoSchedule and NoExecute.
  std::string effect = {};
  // TolerationSeconds represents the period of time the toleration (which must be of effect
  // NoExecute, otherwise this field is ignored) tolerates the taint. By default, it is not set,
  // which means tolerate the taint forever (do not evict). Zero and negative values will be treated
  // as 0 (evict immediately) by the system.
  std::optional<std::int64_t> toleration_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const Toleration& a, const Toleration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Toleration*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::Toleration>;

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

namespace capstan::api::resource::v1beta1 {

// A toleration operator is the set of operators that can be used in a toleration.
inline constexpr std::string_view kDeviceTolerationOpExists = "Exists";
inline constexpr std::string_view kDeviceTolerationOpEqual = "Equal";

// No effect, the taint is purely informational.
inline constexpr std::string_view kDeviceTaintEffectNone = "None";
// Do not allow new pods to schedule which use a tainted device unless they tolerate the taint, but
// allow all pods submitted to Kubelet without going through the scheduler to start, and allow all
// already-running pods to continue running.
inline constexpr std::string_view kDeviceTaintEffectNoSchedule = "NoSchedule";
// Evict any already-running pods that do not tolerate the device taint.
inline constexpr std::string_view kDeviceTaintEffectNoExecute = "NoExecute";

// The ResourceClaim this DeviceToleration is attached to tolerates any taint that matches the
// triple <key,value,effect> using the matching operator <operator>.
struct CAPSTAN_EXPORT DeviceToleration {
  // Key is the taint key that the toleration applies to. Empty means match all taint keys. If the
  // key is empty, operator must be Exists; this combination means to match all values and all keys.
  // Must be a label name.
  std::string key = {};
  // Operator represents a key's relationship to the value. Valid operators are Exists and Equal.
  // Defaults to Equal. Exists is equivalent to wildcard for value, so that a ResourceClaim can
  // tolerate all taints of a particular category.
  std::string operator_ = {};
  // Value is the taint value the toleration matches to. If the operator is Exists, the value must
  // be empty, otherwise just a regular string. Must be a label value.
  std::string value = {};
  // Effect indicates the taint effect to match. Empty means match all taint effects. When
  // specified, allowed values are NoSchedule and NoExecute.
  std::string effect = {};
  // TolerationSeconds represents the period of time the toleration (which must be of effect
  // NoExecute, otherwise this field is ignored) tolerates the taint. By default, it is not set,
  // which means tolerate the taint forever (do not evict). Zero and negative values will be treated
  // as 0 (evict immediately) by the system. If larger than zero, the time when the pod needs to be
  // evicted is calculated as <time when taint was adedd> + <toleration seconds>.
  std::optional<std::int64_t> toleration_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceToleration& a, const DeviceToleration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceToleration*);

}  // namespace capstan::api::resource::v1beta1

extern template class capstan::List<capstan::api::resource::v1beta1::DeviceToleration>;

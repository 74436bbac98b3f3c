// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"
#include "capstan/time.h"

namespace capstan::api::resource::v1beta2 {

// No effect, the taint is purely informational.
inline constexpr std::string_view kDeviceTaintEffectNone = "None";
// Do not allow new pods to schedule which use a tainted device unless they tolerate the taint, but
// allow all pods submitted to Kubelet without going through the scheduler to start, and allow all
// already-running pods to continue running.
inline constexpr std::string_view kDeviceTaintEffectNoSchedule = "NoSchedule";
// Evict any already-running pods that do not tolerate the device taint.
inline constexpr std::string_view kDeviceTaintEffectNoExecute = "NoExecute";

// The device this taint is attached to has the "effect" on any claim which does not tolerate the
// taint and, through the claim, to pods using the claim.
struct CAPSTAN_EXPORT DeviceTaint {
  // The taint key to be applied to a device. Must be a label name.
  std::string key = {};
  // The taint value corresponding to the taint key. Must be a label value.
  std::string value = {};
  // The effect of the taint on claims that do not tolerate the taint and through such claims on the
  // pods using them.
  // Valid effects are None, NoSchedule and NoExecute. PreferNoSchedule as used for nodes is not
  // valid here. More effects may get added in the future. Consumers must treat unknown effects like
  // None.
  std::string effect = {};
  // TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) the
  // effect was modified. Added automatically during create or update if not set.
  // In addition, in a DeviceTaintRule a value provided during an update gets replaced with the
  // current time if the provided value is the same as the old one and the new effect is different.
  // Changing the key and/or value while keeping the effect unchanged is possible and does not
  // update the time stamp because the eviction which uses it is either already started (NoExecute)
  // or not started yet (NoEffect, NoSchedule).
  std::optional<Time> time_added = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceTaint& a, const DeviceTaint& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceTaint*);

}  // namespace capstan::api::resource::v1beta2

extern template class capstan::List<capstan::api::resource::v1beta2::DeviceTaint>;

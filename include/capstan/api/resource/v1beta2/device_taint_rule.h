// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/api/resource/v1beta2/device_taint.h"
#include "capstan/boxed.h"
#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::resource::v1beta2 {

// DeviceTaintSelector defines which device(s) a DeviceTaintRule applies to. The empty selector
// matches all devices. Without a selector, no devices are matched.
struct CAPSTAN_EXPORT DeviceTaintSelector {
  // If driver is set, only devices from that driver are selected. This fields corresponds to
  // slice.spec.driver.
  std::optional<std::string> driver = {};
  // If pool is set, only devices in that pool are selected.
  // Also setting the driver name may be useful to avoid ambiguity when different drivers use the
  // same pool name, but this is not required because selecting pools from different drivers may
  // also be useful, for example when drivers with node-local devices use the node name as their
  // pool name.
  std::optional<std::string> pool = {};
  // If device is set, only devices with that name are selected. This field corresponds to
  // slice.spec.devices[].name.
  // Setting also driver and pool may be required to avoid ambiguity, but is not required.
  std::optional<std::string> device = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceTaintSelector& a, const DeviceTaintSelector& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceTaintSelector*);

// DeviceTaintRuleSpec specifies the selector and one taint.
struct CAPSTAN_EXPORT DeviceTaintRuleSpec {
  // DeviceSelector defines which device(s) the taint is applied to. All selector criteria must be
  // satisfied for a device to match. The empty selector matches all devices. Without a selector, no
  // devices are matches.
  Boxed<DeviceTaintSelector> device_selector = {};
  // The taint that gets applied to matching devices.
  DeviceTaint taint = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceTaintRuleSpec& a, const DeviceTaintRuleSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceTaintRuleSpec*);

// DeviceTaintRuleStatus provides information about an on-going pod eviction.
struct CAPSTAN_EXPORT DeviceTaintRuleStatus {
  // Conditions provide information about the state of the DeviceTaintRule and the cluster at some
  // point in time, in a machine-readable and human-readable format.
  // The following condition is currently defined as part of this API, more may get added:
  // - Type: EvictionInProgress
  // - Status: True if there are currently pods which need to be evicted, False otherwise
  // (includes the effects which don't cause eviction).
  // - Reason: not specified, may change
  // - Message: includes information about number of pending pods and already evicted pods
  // in a human-readable format, updated periodically, may change
  // For `effect: None`, the condition above gets set once for each change to the spec, with the
  // message containing information about what would happen if the effect was `NoExecute`. This
  // feedback can be used to decide whether changing the effect to `NoExecute` will work as
  // intended. It only gets set once to avoid having to constantly update the status.
  // Must have 8 or fewer entries.
  std::vector<Condition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceTaintRuleStatus& a, const DeviceTaintRuleStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceTaintRuleStatus*);

// DeviceTaintRule adds one taint to all devices which match the selector. This has the same effect
// as if the taint was specified directly in the ResourceSlice by the DRA driver.
struct CAPSTAN_EXPORT DeviceTaintRule {
  // Standard object metadata
  ObjectMeta metadata = {};
  // Spec specifies the selector and one taint.
  // Changing the spec automatically increments the metadata.generation number.
  DeviceTaintRuleSpec spec = {};
  // Status provides information about what was requested in the spec.
  DeviceTaintRuleStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceTaintRule& a, const DeviceTaintRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceTaintRule*);

}  // namespace capstan::api::resource::v1beta2

extern template class capstan::Boxed<capstan::api::resource::v1beta2::DeviceTaintSelector>;

template <>
inline constexpr auto capstan::kKind<capstan::api::resource::v1beta2::DeviceTaintRule> =
    capstan::Kind("resource.k8s.io", "v1beta2", "DeviceTaintRule", "devicetaintrules")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();

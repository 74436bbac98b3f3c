// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>

#include "capstan/api/resource/v1beta1/device_selector.h"
#include "capstan/api/resource/v1beta1/opaque_device_configuration.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::resource::v1beta1 {

// DeviceClassConfiguration is used in DeviceClass.
struct CAPSTAN_EXPORT DeviceClassConfiguration {
  // Opaque provides driver-specific configuration parameters.
  Boxed<OpaqueDeviceConfiguration> opaque = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceClassConfiguration& a,
                               const DeviceClassConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceClassConfiguration*);

// DeviceClassSpec is used in a [DeviceClass] to define what can be allocated and how to configure
// it.
struct CAPSTAN_EXPORT DeviceClassSpec {
  // Each selector must be satisfied by a device which is claimed via this class.
  List<DeviceSelector> selectors = {};
  // Config defines configuration parameters that apply to each device that is claimed via this
  // class. Some classses may potentially be satisfied by multiple drivers, so each instance of a
  // vendor configuration applies to exactly one driver.
  // They are passed to the driver, but are not considered while allocating the claim.
  List<DeviceClassConfiguration> config = {};
  // ExtendedResourceName is the extended resource name for the devices of this class. The devices
  // of this class can be used to satisfy a pod's extended resource requests. It has the same format
  // as the name of a pod's extended resource. It should be unique among all the device classes in a
  // cluster. If two device classes have the same name, then the class created later is picked to
  // satisfy a pod's extended resource requests. If two classes are created at the same time, then
  // the name of the class lexicographically sorted first is picked.
  std::optional<std::string> extended_resource_name = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceClassSpec& a, const DeviceClassSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceClassSpec*);

// DeviceClass is a vendor- or admin-provided resource that contains device configuration and
// selectors. It can be referenced in the device requests of a claim to apply these presets. Cluster
// scoped.
// This is an alpha type and requires enabling the DynamicResourceAllocation feature gate.
struct CAPSTAN_EXPORT DeviceClass {
  // Standard object metadata
  ObjectMeta metadata = {};
  // Spec defines what can be allocated and how to configure it.
  // This is mutable. Consumers have to be prepared for classes changing at any time, either because
  // they get updated or replaced. Claim allocations are done once based on whatever was set in
  // classes at the time of allocation.
  // Changing the spec automatically increments the metadata.generation number.
  DeviceClassSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceClass& a, const DeviceClass& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceClass*);

}  // namespace capstan::api::resource::v1beta1

extern template class capstan::List<capstan::api::resource::v1beta1::DeviceClassConfiguration>;

template <>
inline constexpr auto capstan::kKind<capstan::api::resource::v1beta1::DeviceClass> =
    capstan::Kind("resource.k8s.io", "v1beta1", "DeviceClass", "deviceclasses")
        .ClusterScoped()
        .Whole()
        .Spec();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::resource::v1beta1 {

// Resource device class prefix is for generating implicit extended resource name for a device class
// when its ExtendedResourceName field is not specified. The generated name is this prefix + the
// device class name. The generated name may not be a valid extended resource name for use in
// pod.Spec.Resources.Requests, in that case, a valid name has to be specified explicitly in device
// class.
inline constexpr std::string_view kResourceDeviceClassPrefix =
    "deviceclass.resource.kubernetes.io/";

// CELDeviceSelector contains a CEL expression for selecting a device.
struct CAPSTAN_EXPORT CELDeviceSelector {
  // Expression is a CEL expression which evaluates a single device. It must evaluate to true when
  // the device under consideration satisfies the desired criteria, and false when it does not. Any
  // other result is an error and causes allocation of devices to abort.
  // The expression's input is an object named "device", which carries the following properties: -
  // driver (string): the name of the driver which defines this device. - attributes
  // (map[string]object): the device's attributes, grouped by prefix
  // (e.g. device.attributes["dra.example.com"] evaluates to an object with all
  // of the attributes which were prefixed by "dra.example.com"). - capacity (map[string]object):
  // the device's capacities, grouped by prefix. - allowMultipleAllocations (bool): the
  // allowMultipleAllocations property of the device
  // (v1.34+ with the DRAConsumableCapacity feature enabled).
  // Example: Consider a device with driver="dra.example.com", which exposes two attributes named
  // "model" and "ext.example.com/family" and which exposes one capacity named "modules". This input
  // to this expression would have the following fields:
  // device.driver
  // device.attributes["dra.example.com"].model
  // device.attributes["ext.example.com"].family
  // device.capacity["dra.example.com"].modules
  // The device.driver field can be used to check for a specific driver, either as a high-level
  // precondition (i.e. you only want to consider devices from this driver) or as part of a
  // multi-clause expression that is meant to consider devices from different drivers.
  // The value type of each attribute is defined by the device definition, and users who write these
  // expressions must consult the documentation for their specific drivers. The value type of each
  // capacity is Quantity.
  // If an unknown prefix is used as a lookup in either device.attributes or device.capacity, an
  // empty map will be returned. Any reference to an unknown field will cause an evaluation error
  // and allocation to abort.
  // A robust expression should check for the existence of attributes before referencing them.
  // Common errors:
  // - "no such key": Use optional chaining (.? followed by orValue())
  // or guarding the check with has() for optional fields.
  // See CEL Optional Types for details:
  // https://pkg.go.dev/github.com/google/cel-go@v0.17.4/cel#OptionalTypes
  // For more CEL expression syntax and examples, see:
  // https://kubernetes.io/docs/reference/using-api/cel/
  // For ease of use, the cel.bind() function is enabled, and can be used to simplify expressions
  // that access multiple attributes with the same domain. For example:
  // cel.bind(dra, device.attributes["dra.example.com"], dra.someBool && dra.anotherBool)
  // When the DRAListTypeAttributes feature gate is enabled, the includes() helper is available and
  // it can work for both scalar and list-type attributes. It was introduced to support smooth
  // migration from scalar attributes to list-type attributes while keeping CEL expressions simple.
  // For example:
  // device.attributes["dra.example.com"].models.includes("some-model")
  // The length of the expression must be smaller or equal to 10 Ki. The cost of evaluating it is
  // also limited based on the estimated number of logical steps.
  std::string expression = {};
};
CAPSTAN_EXPORT bool operator==(const CELDeviceSelector& a, const CELDeviceSelector& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CELDeviceSelector*);

// DeviceSelector must have exactly one field set.
struct CAPSTAN_EXPORT DeviceSelector {
  // CEL contains a CEL expression for selecting a device.
  Boxed<CELDeviceSelector> cel = {};
};
CAPSTAN_EXPORT bool operator==(const DeviceSelector& a, const DeviceSelector& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DeviceSelector*);

}  // namespace capstan::api::resource::v1beta1

extern template class capstan::Boxed<capstan::api::resource::v1beta1::CELDeviceSelector>;
extern template class capstan::List<capstan::api::resource::v1beta1::DeviceSelector>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/int_or_string.h"

namespace capstan::api::resource::v1beta1 {

// OpaqueDeviceConfiguration contains configuration parameters for a driver in a format defined by
// the driver vendor.
struct CAPSTAN_EXPORT OpaqueDeviceConfiguration {
  // Driver is used to determine which kubelet plugin needs to be passed these configuration
  // parameters.
  // An admission policy provided by the driver developer could use this to decide whether it needs
  // to validate them.
  // Must be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It
  // should use only lower case characters.
  std::string driver = {};
  // Parameters can contain arbitrary data. It is the responsibility of the driver developer to
  // handle validation and versioning. Typically this includes self-identification and a version
  // ("kind" + "apiVersion" for Kubernetes types), with conversion between different versions.
  // The length of the raw data must be smaller or equal to 10 Ki.
  RawJson parameters = {};
};
CAPSTAN_EXPORT bool operator==(const OpaqueDeviceConfiguration& a,
                               const OpaqueDeviceConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const OpaqueDeviceConfiguration*);

}  // namespace capstan::api::resource::v1beta1

extern template class capstan::Boxed<capstan::api::resource::v1beta1::OpaqueDeviceConfiguration>;

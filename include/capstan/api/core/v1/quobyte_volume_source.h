// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a Quobyte mount that lasts the lifetime of a pod. Quobyte volumes do not support
// ownership management or SELinux relabeling.
struct CAPSTAN_EXPORT QuobyteVolumeSource {
  // registry represents a single or multiple Quobyte Registry services specified as a string as
  // host:port pair (multiple entries are separated with commas) which acts as the central registry
  // for volumes
  std::string registry = {};
  // volume is a string that references an already created Quobyte volume by name.
  std::string volume = {};
  // readOnly here will force the Quobyte volume to be mounted with read-only permissions. Defaults
  // to false.
  bool read_only = {};
  // user to map volume access to Defaults to serivceaccount user
  std::string user = {};
  // group to map volume access to Default is no group
  std::string group = {};
  // tenant owning the given Quobyte volume in the Backend Used with dynamically provisioned Quobyte
  // volumes, value is set by the plugin
  std::string tenant = {};
};
CAPSTAN_EXPORT bool operator==(const QuobyteVolumeSource& a, const QuobyteVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const QuobyteVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::QuobyteVolumeSource>;

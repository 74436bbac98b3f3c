// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// PortworxVolumeSource represents a Portworx volume resource.
struct CAPSTAN_EXPORT PortworxVolumeSource {
  // volumeID uniquely identifies a Portworx volume
  std::string volume_id = {};
  // fSType represents the filesystem type to mount Must be a filesystem type supported by the host
  // operating system. Ex. "ext4", "xfs". Implicitly inferred to be "ext4" if unspecified.
  std::string fs_type = {};
  // readOnly defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
  // VolumeMounts.
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const PortworxVolumeSource& a, const PortworxVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PortworxVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::PortworxVolumeSource>;

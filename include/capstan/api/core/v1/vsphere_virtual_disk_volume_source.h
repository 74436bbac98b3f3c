// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a vSphere volume resource.
struct CAPSTAN_EXPORT VsphereVirtualDiskVolumeSource {
  // volumePath is the path that identifies vSphere volume vmdk
  std::string volume_path = {};
  // fsType is filesystem type to mount. Must be a filesystem type supported by the host operating
  // system. Ex. "ext4", "xfs", "ntfs". Implicitly inferred to be "ext4" if unspecified.
  std::string fs_type = {};
  // storagePolicyName is the storage Policy Based Management (SPBM) profile name.
  std::string storage_policy_name = {};
  // storagePolicyID is the storage Policy Based Management (SPBM) profile ID associated with the
  // StoragePolicyName.
  std::string storage_policy_id = {};
};
CAPSTAN_EXPORT bool operator==(const VsphereVirtualDiskVolumeSource& a,
                               const VsphereVirtualDiskVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VsphereVirtualDiskVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::VsphereVirtualDiskVolumeSource>;

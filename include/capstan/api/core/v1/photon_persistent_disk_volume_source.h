// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a Photon Controller persistent disk resource.
struct CAPSTAN_EXPORT PhotonPersistentDiskVolumeSource {
  // pdID is the ID that identifies Photon Controller persistent disk
  std::string pd_id = {};
  // fsType is the filesystem type to mount. Must be a filesystem type supported by the host
  // operating system. Ex. "ext4", "xfs", "ntfs". Implicitly inferred to be "ext4" if unspecified.
  std::string fs_type = {};
};
CAPSTAN_EXPORT bool operator==(const PhotonPersistentDiskVolumeSource& a,
                               const PhotonPersistentDiskVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PhotonPersistentDiskVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::PhotonPersistentDiskVolumeSource>;

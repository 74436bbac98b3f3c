// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a Persistent Disk resource in Google Compute Engine.
// A GCE PD must exist before mounting to a container. The disk must also be in the same GCE project
// and zone as the kubelet. A GCE PD can only be mounted as read/write once or read-only many times.
// GCE PDs support ownership management and SELinux relabeling.
struct CAPSTAN_EXPORT GCEPersistentDiskVolumeSource {
  // pdName is unique name of the PD resource in GCE. Used to identify the disk in GCE. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#gcepersistentdisk
  std::string pd_name = {};
  std::string fs_type = {};
  // partition is the partition in the volume that you want to mount. If omitted, the default is to
  // mount by volume name. Examples: For volume /dev/sda1, you specify the partition as "1".
  // Similarly, the volume partition for /dev/sda is "0" (or you can leave the property empty). More
  // info: https://kubernetes.io/docs/concepts/storage/volumes#gcepersistentdisk
  std::int32_t partition = {};
  // readOnly here will force the ReadOnly setting in VolumeMounts. Defaults to false. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#gcepersistentdisk
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const GCEPersistentDiskVolumeSource& a,
                               const GCEPersistentDiskVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const GCEPersistentDiskVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::GCEPersistentDiskVolumeSource>;

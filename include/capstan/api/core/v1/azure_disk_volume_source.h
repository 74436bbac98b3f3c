// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

inline constexpr std::string_view kAzureDataDiskCachingNone = "None";
inline constexpr std::string_view kAzureDataDiskCachingReadOnly = "ReadOnly";
inline constexpr std::string_view kAzureDataDiskCachingReadWrite = "ReadWrite";

inline constexpr std::string_view kAzureSharedBlobDisk = "Shared";
inline constexpr std::string_view kAzureDedicatedBlobDisk = "Dedicated";
inline constexpr std::string_view kAzureManagedDisk = "Managed";

// AzureDisk represents an Azure Data Disk mount on the host and bind mount to the pod.
struct CAPSTAN_EXPORT AzureDiskVolumeSource {
  // diskName is the Name of the data disk in the blob storage
  std::string disk_name = {};
  // diskURI is the URI of data disk in the blob storage
  std::string disk_uri = {};
  // cachingMode is the Host Caching mode: None, Read Only, Read Write.
  std::optional<std::string> caching_mode = {};
  // fsType is Filesystem type to mount. Must be a filesystem type supported by the host operating
  // system. Ex. "ext4", "xfs", "ntfs". Implicitly inferred to be "ext4" if unspecified.
  std::optional<std::string> fs_type = {};
  // readOnly Defaults to false (read/write). ReadOnly here will force the ReadOnly setting in
  // VolumeMounts.
  std::optional<bool> read_only = {};
  // kind expected values are Shared: multiple blob disks per storage account  Dedicated: single
  // blob disk per storage account  Managed: azure managed data disk (only in managed availability
  // set). defaults to shared
  std::optional<std::string> kind = {};
};
CAPSTAN_EXPORT bool operator==(const AzureDiskVolumeSource& a, const AzureDiskVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AzureDiskVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::AzureDiskVolumeSource>;

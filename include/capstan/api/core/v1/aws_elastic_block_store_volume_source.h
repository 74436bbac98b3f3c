// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a Persistent Disk resource in AWS.
// An AWS EBS disk must exist before mounting to a container. The disk must also be in the same AWS
// zone as the kubelet. An AWS EBS disk can only be mounted as read/write once. AWS EBS volumes
// support ownership management and SELinux relabeling.
struct CAPSTAN_EXPORT AWSElasticBlockStoreVolumeSource {
  // volumeID is unique ID of the persistent disk resource in AWS (Amazon EBS volume). More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#awselasticblockstore
  std::string volume_id = {};
  std::string fs_type = {};
  // partition is the partition in the volume that you want to mount. If omitted, the default is to
  // mount by volume name. Examples: For volume /dev/sda1, you specify the partition as "1".
  // Similarly, the volume partition for /dev/sda is "0" (or you can leave the property empty).
  std::int32_t partition = {};
  // readOnly value true will force the readOnly setting in VolumeMounts. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#awselasticblockstore
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const AWSElasticBlockStoreVolumeSource& a,
                               const AWSElasticBlockStoreVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AWSElasticBlockStoreVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::AWSElasticBlockStoreVolumeSource>;

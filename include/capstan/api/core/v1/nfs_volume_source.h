// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents an NFS mount that lasts the lifetime of a pod. NFS volumes do not support ownership
// management or SELinux relabeling.
struct CAPSTAN_EXPORT NFSVolumeSource {
  // server is the hostname or IP address of the NFS server. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#nfs
  std::string server = {};
  // path that is exported by the NFS server. More info:
  // https://kubernetes.io/docs/concepts/storage/volumes#nfs
  std::string path = {};
  // readOnly here will force the NFS export to be mounted with read-only permissions. Defaults to
  // false. More info: https://kubernetes.io/docs/concepts/storage/volumes#nfs
  bool read_only = {};
};
CAPSTAN_EXPORT bool operator==(const NFSVolumeSource& a, const NFSVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NFSVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::NFSVolumeSource>;

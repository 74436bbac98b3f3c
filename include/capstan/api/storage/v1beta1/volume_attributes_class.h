// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::storage::v1beta1 {

// VolumeAttributesClass represents a specification of mutable volume attributes defined by the CSI
// driver. The class can be specified during dynamic provisioning of PersistentVolumeClaims, and
// changed in the PersistentVolumeClaim spec after provisioning.
struct CAPSTAN_EXPORT VolumeAttributesClass {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // driverName is the name of the CSI driver This field is immutable.
  std::string driver_name = {};
  // parameters hold volume attributes defined by the CSI driver. These values are opaque to the
  // Kubernetes and are passed directly to the CSI driver. The underlying storage provider supports
  // changing these attributes on an existing volume, however the parameters field itself is
  // immutable. To invoke a volume update, a new VolumeAttributesClass should be created with new
  // parameters, and the PersistentVolumeClaim should be updated to reference the new
  // VolumeAttributesClass.
  // This field is required and must contain at least one key/value pair. The keys cannot be empty,
  // and the maximum number of parameters is 512, with a cumulative max size of 256K. If the CSI
  // driver rejects invalid parameters, the target PersistentVolumeClaim will be set to an
  // "Infeasible" state in the modifyVolumeStatus field.
  std::map<std::string, std::string> parameters = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeAttributesClass& a, const VolumeAttributesClass& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeAttributesClass*);

}  // namespace capstan::api::storage::v1beta1

template <>
inline constexpr auto capstan::kKind<capstan::api::storage::v1beta1::VolumeAttributesClass> =
    capstan::Kind("storage.k8s.io", "v1beta1", "VolumeAttributesClass", "volumeattributesclasses")
        .ClusterScoped()
        .Whole();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/storage/v1beta1/volume_attributes_class.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::storage::v1beta1 {

CAPSTAN_LAYOUT(VolumeAttributesClass,
    CAPSTAN_PART(VolumeAttributesClass, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(VolumeAttributesClass, "driverName", driver_name),
    CAPSTAN_FIELD(VolumeAttributesClass, "parameters", parameters))

}  // namespace capstan::api::storage::v1beta1


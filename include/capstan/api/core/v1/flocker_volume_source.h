// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a Flocker volume mounted by the Flocker agent. One and only one of datasetName and
// datasetUUID should be set. Flocker volumes do not support ownership management or SELinux
// relabeling.
struct CAPSTAN_EXPORT FlockerVolumeSource {
  // datasetName is Name of the dataset stored as metadata -> name on the dataset for Flocker should
  // be considered as deprecated
  std::string dataset_name = {};
  // datasetUUID is the UUID of the dataset. This is unique identifier of a Flocker dataset
  std::string dataset_uuid = {};
};
CAPSTAN_EXPORT bool operator==(const FlockerVolumeSource& a, const FlockerVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FlockerVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::FlockerVolumeSource>;

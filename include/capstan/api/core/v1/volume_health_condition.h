// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <string_view>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// VolumeHealthStatusType describes the health status category of a volume.
// VolumeHealthInaccessible indicates the volume cannot be accessed.
inline constexpr std::string_view kVolumeHealthInaccessible = "Inaccessible";
// VolumeHealthDataLoss indicates data loss has been detected on the volume.
inline constexpr std::string_view kVolumeHealthDataLoss = "DataLoss";
// VolumeHealthDegraded indicates the volume is functioning but with reduced capability.
inline constexpr std::string_view kVolumeHealthDegraded = "Degraded";

// VolumeHealthCondition represents an adverse health condition reported for a volume.
struct CAPSTAN_EXPORT VolumeHealthCondition {
  // status is the machine-parseable health category. Possible values:
  // - "Inaccessible": the volume cannot be accessed.
  // - "DataLoss": data loss has been detected on the volume.
  // - "Degraded": the volume is functioning with reduced capability.
  std::string status = {};
  // reason is a brief CamelCase machine-parseable reason. Together with status it forms the unique
  // identity of a condition entry. Maximum permitted length of a reason is 256 bytes.
  std::string reason = {};
  // message is a human-readable description. Maximum permitted length of a message is 1024 bytes.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const VolumeHealthCondition& a, const VolumeHealthCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const VolumeHealthCondition*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::VolumeHealthCondition>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// Represents a Fibre Channel volume. Fibre Channel volumes can only be mounted as read/write once.
// Fibre Channel volumes support ownership management and SELinux relabeling.
struct CAPSTAN_EXPORT FCVolumeSource {
  // targetWWNs is Optional: FC target worldwide names (WWNs)
  std::vector<std::string> target_wwns = {};
  // lun is Optional: FC target lun number
  std::optional<std::int32_t> lun = {};
  std::string fs_type = {};
  // readOnly is Optional: Defaults to false (read/write). ReadOnly here will force the ReadOnly
  // setting in VolumeMounts.
  bool read_only = {};
  // wwids Optional: FC volume world wide identifiers (wwids) Either wwids or combination of
  // targetWWNs and lun must be set, but not both simultaneously.
  std::vector<std::string> wwids = {};
};
CAPSTAN_EXPORT bool operator==(const FCVolumeSource& a, const FCVolumeSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FCVolumeSource*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::FCVolumeSource>;

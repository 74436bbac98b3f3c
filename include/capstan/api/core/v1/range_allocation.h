// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/bytes.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// RangeAllocation is not a public type.
struct CAPSTAN_EXPORT RangeAllocation {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Range is string that identifies the range represented by 'data'.
  std::string range = {};
  // Data is a bit array containing all allocated addresses in the previous segment.
  Bytes data = {};
};
CAPSTAN_EXPORT bool operator==(const RangeAllocation& a, const RangeAllocation& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RangeAllocation*);

}  // namespace capstan::api::core::v1

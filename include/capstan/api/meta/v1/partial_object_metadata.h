// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"

namespace capstan::api::meta::v1 {

// PartialObjectMetadata is a generic representation of any object with ObjectMeta. It allows
// clients to get access to a particular ObjectMeta schema without knowing the details of the
// version.
struct CAPSTAN_EXPORT PartialObjectMetadata {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
};
CAPSTAN_EXPORT bool operator==(const PartialObjectMetadata& a, const PartialObjectMetadata& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PartialObjectMetadata*);

}  // namespace capstan::api::meta::v1

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/core/v1/object_reference.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// Binding ties one object to another; for example, a pod is bound to a node by a scheduler.
struct CAPSTAN_EXPORT Binding {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // The target object that you want to bind to the standard object.
  ObjectReference target = {};
};
CAPSTAN_EXPORT bool operator==(const Binding& a, const Binding& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Binding*);

}  // namespace capstan::api::core::v1

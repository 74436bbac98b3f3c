// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/api/meta/v1/delete_options.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::policy::v1 {

// Eviction evicts a pod from its node subject to certain policies and safety constraints. This is a
// subresource of Pod.  A request to cause such an eviction is created by POSTing to .../pods/<pod
// name>/evictions.
struct CAPSTAN_EXPORT Eviction {
  // metadata describes the pod that is being evicted.
  ObjectMeta metadata = {};
  // deleteOptions may be provided
  Boxed<meta::v1::DeleteOptions> delete_options = {};
};
CAPSTAN_EXPORT bool operator==(const Eviction& a, const Eviction& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Eviction*);

}  // namespace capstan::api::policy::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::policy::v1::Eviction> =
    capstan::Kind("policy", "v1", "Eviction", "evictions").Namespaced().Whole();

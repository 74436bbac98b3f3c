// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::scheduling::v1beta1 {

// SingleDisruptionMode specifies that children can be disrupted independently.
struct CAPSTAN_EXPORT SingleDisruptionMode {};
CAPSTAN_EXPORT bool operator==(const SingleDisruptionMode& a, const SingleDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SingleDisruptionMode*);

// AllDisruptionMode specifies that children can only be disrupted together.
struct CAPSTAN_EXPORT AllDisruptionMode {};
CAPSTAN_EXPORT bool operator==(const AllDisruptionMode& a, const AllDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AllDisruptionMode*);

// DisruptionMode defines how individual entities within a group can be disrupted. Exactly one mode
// can be set.
struct CAPSTAN_EXPORT DisruptionMode {
  // single specifies that children can be disrupted independently from each other.
  Boxed<SingleDisruptionMode> single = {};
  // all specifies that all children can only be disrupted together.
  Boxed<AllDisruptionMode> all = {};
};
CAPSTAN_EXPORT bool operator==(const DisruptionMode& a, const DisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const DisruptionMode*);

}  // namespace capstan::api::scheduling::v1beta1

extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::SingleDisruptionMode>;
extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::AllDisruptionMode>;
extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::DisruptionMode>;

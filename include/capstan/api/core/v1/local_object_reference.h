// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::core::v1 {

// LocalObjectReference contains enough information to let you locate the referenced object inside
// the same namespace.
struct CAPSTAN_EXPORT LocalObjectReference {
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const LocalObjectReference& a, const LocalObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LocalObjectReference*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::LocalObjectReference>;
extern template class capstan::List<capstan::api::core::v1::LocalObjectReference>;

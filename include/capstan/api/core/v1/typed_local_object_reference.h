// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// TypedLocalObjectReference contains enough information to let you locate the typed referenced
// object inside the same namespace.
struct CAPSTAN_EXPORT TypedLocalObjectReference {
  // APIGroup is the group for the resource being referenced. If APIGroup is not specified, the
  // specified Kind must be in the core API group. For any other third-party types, APIGroup is
  // required.
  std::optional<std::string> api_group = {};
  // Kind is the type of resource being referenced
  std::string kind = {};
  // Name is the name of resource being referenced
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const TypedLocalObjectReference& a,
                               const TypedLocalObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TypedLocalObjectReference*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::TypedLocalObjectReference>;

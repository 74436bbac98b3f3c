// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::admissionregistration::v1 {

// ParamKind is a tuple of Group Kind and Version.
struct CAPSTAN_EXPORT ParamKind {
  // apiVersion is the API group version the resources belong to. In format of "group/version".
  // Required.
  std::string api_version = {};
  // kind is the API kind the resources belong to. Required.
  std::string kind = {};
};
CAPSTAN_EXPORT bool operator==(const ParamKind& a, const ParamKind& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ParamKind*);

}  // namespace capstan::api::admissionregistration::v1

extern template class capstan::Boxed<capstan::api::admissionregistration::v1::ParamKind>;

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::authorization::v1 {

// NonResourceAttributes includes the authorization attributes available for non-resource requests
// to the Authorizer interface
struct CAPSTAN_EXPORT NonResourceAttributes {
  // path is the URL path of the request
  std::string path = {};
  // verb is the standard HTTP verb
  std::string verb = {};
};
CAPSTAN_EXPORT bool operator==(const NonResourceAttributes& a, const NonResourceAttributes& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const NonResourceAttributes*);

}  // namespace capstan::api::authorization::v1

extern template class capstan::Boxed<capstan::api::authorization::v1::NonResourceAttributes>;

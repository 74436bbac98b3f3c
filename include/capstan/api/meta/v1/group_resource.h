// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::meta::v1 {

// GroupResource specifies a Group and a Resource, but does not force a version.  This is useful for
// identifying concepts during lookup stages without having partially valid types
struct CAPSTAN_EXPORT GroupResource {
  std::string group = {};
  std::string resource = {};
};
CAPSTAN_EXPORT bool operator==(const GroupResource& a, const GroupResource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const GroupResource*);

}  // namespace capstan::api::meta::v1

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::core::v1 {

// EventSource contains information for an event.
struct CAPSTAN_EXPORT EventSource {
  // Component from which the event is generated.
  std::string component = {};
  // Node name on which the event is generated.
  std::string host = {};
};
CAPSTAN_EXPORT bool operator==(const EventSource& a, const EventSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const EventSource*);

}  // namespace capstan::api::core::v1

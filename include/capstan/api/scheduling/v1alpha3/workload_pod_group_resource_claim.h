// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::scheduling::v1alpha3 {

// WorkloadPodGroupResourceClaim references a dynamic resource claim that is shared across pods in
// the group.
struct CAPSTAN_EXPORT WorkloadPodGroupResourceClaim {
  // name uniquely identifies this resource claim inside the group. This field is required. It must
  // be a DNS_LABEL.
  std::string name = {};
  // resourceClaimName is the name of a ResourceClaim object in the same namespace. This field is
  // optional. If it is not specified, no resource claim is used. If set, it must be a DNS
  // subdomain.
  std::optional<std::string> resource_claim_name = {};
  // resourceClaimTemplateName is the name of a ResourceClaimTemplate object in the same namespace.
  // This field is optional. If it is not specified, no resource claim template is used. If set, it
  // must be a DNS subdomain.
  std::optional<std::string> resource_claim_template_name = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadPodGroupResourceClaim& a,
                               const WorkloadPodGroupResourceClaim& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadPodGroupResourceClaim*);

}  // namespace capstan::api::scheduling::v1alpha3

extern template class capstan::List<
    capstan::api::scheduling::v1alpha3::WorkloadPodGroupResourceClaim>;

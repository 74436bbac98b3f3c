// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/networking/v1beta1/ip_address.h"
#include "capstan/api/networking/v1beta1/service_cidr.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::networking::v1beta1 {

CAPSTAN_LAYOUT(ParentReference,
    CAPSTAN_FIELD(ParentReference, "group", group),
    CAPSTAN_FIELD(ParentReference, "resource", resource),
    CAPSTAN_FIELD(ParentReference, "namespace", namespace_),
    CAPSTAN_FIELD(ParentReference, "name", name))

CAPSTAN_LAYOUT(IPAddressSpec,
    CAPSTAN_FIELD(IPAddressSpec, "parentRef", parent_ref))

CAPSTAN_LAYOUT(IPAddress,
    CAPSTAN_PART(IPAddress, "metadata", metadata, kMetadata),
    CAPSTAN_PART(IPAddress, "spec", spec, kSpec))

CAPSTAN_LAYOUT(ServiceCIDRSpec,
    CAPSTAN_FIELD(ServiceCIDRSpec, "cidrs", cidrs))

CAPSTAN_LAYOUT(ServiceCIDRStatus,
    CAPSTAN_FIELD(ServiceCIDRStatus, "conditions", conditions))

CAPSTAN_LAYOUT(ServiceCIDR,
    CAPSTAN_PART(ServiceCIDR, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ServiceCIDR, "spec", spec, kSpec),
    CAPSTAN_PART(ServiceCIDR, "status", status, kStatus))

}  // namespace capstan::api::networking::v1beta1

template class capstan::Boxed<capstan::api::networking::v1beta1::ParentReference>;

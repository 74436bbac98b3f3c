// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>
#include <vector>

#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::networking::v1 {

// ServiceCIDRSpec define the CIDRs the user wants to use for allocating ClusterIPs for Services.
struct CAPSTAN_EXPORT ServiceCIDRSpec {
  // cidrs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from
  // which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This
  // field is immutable.
  std::vector<std::string> cidrs = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceCIDRSpec& a, const ServiceCIDRSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceCIDRSpec*);

// ServiceCIDRStatus describes the current state of the ServiceCIDR.
struct CAPSTAN_EXPORT ServiceCIDRStatus {
  // conditions holds an array of metav1.Condition that describe the state of the ServiceCIDR.
  // Current service state
  std::vector<Condition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceCIDRStatus& a, const ServiceCIDRStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceCIDRStatus*);

// ServiceCIDR defines a range of IP addresses using CIDR format (e.g. 192.168.0.0/24 or
// 2001:db2::/64). This range is used to allocate ClusterIPs to Service objects.
struct CAPSTAN_EXPORT ServiceCIDR {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec is the desired state of the ServiceCIDR. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ServiceCIDRSpec spec = {};
  // status represents the current state of the ServiceCIDR. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ServiceCIDRStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceCIDR& a, const ServiceCIDR& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceCIDR*);

}  // namespace capstan::api::networking::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::networking::v1::ServiceCIDR> =
    capstan::Kind("networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();

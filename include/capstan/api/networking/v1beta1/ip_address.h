// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::networking::v1beta1 {

// ParentReference describes a reference to a parent object.
struct CAPSTAN_EXPORT ParentReference {
  // group is the group of the object being referenced.
  std::string group = {};
  // resource is the resource of the object being referenced.
  std::string resource = {};
  // namespace is the namespace of the object being referenced.
  std::string namespace_ = {};
  // name is the name of the object being referenced.
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const ParentReference& a, const ParentReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ParentReference*);

// IPAddressSpec describe the attributes in an IP Address.
struct CAPSTAN_EXPORT IPAddressSpec {
  // parentRef references the resource that an IPAddress is attached to. An IPAddress must reference
  // a parent object.
  Boxed<ParentReference> parent_ref = {};
};
CAPSTAN_EXPORT bool operator==(const IPAddressSpec& a, const IPAddressSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IPAddressSpec*);

// IPAddress represents a single IP of a single IP Family. The object is designed to be used by APIs
// that operate on IP addresses. The object is used by the Service core API for allocation of IP
// addresses. An IP address can be represented in different formats, to guarantee the uniqueness of
// the IP, the name of the object is the IP address in canonical format, four decimal digits
// separated by dots suppressing leading zeros for IPv4 and the representation defined by RFC 5952
// for IPv6. Valid: 192.168.1.5 or 2001:db8::1 or 2001:db8:aaaa:bbbb:cccc:dddd:eeee:1 Invalid:
// 10.01.2.3 or 2001:db8:0:0:0::1
struct CAPSTAN_EXPORT IPAddress {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec is the desired state of the IPAddress. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  IPAddressSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const IPAddress& a, const IPAddress& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IPAddress*);

}  // namespace capstan::api::networking::v1beta1

extern template class capstan::Boxed<capstan::api::networking::v1beta1::ParentReference>;

template <>
inline constexpr auto capstan::kKind<capstan::api::networking::v1beta1::IPAddress> =
    capstan::Kind("networking.k8s.io", "v1beta1", "IPAddress", "ipaddresses")
        .ClusterScoped()
        .Whole()
        .Spec();

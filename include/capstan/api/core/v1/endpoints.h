// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capstan/api/core/v1/object_reference.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// EndpointAddress is a tuple that describes single IP address. Deprecated: This API is deprecated
// in v1.33+.
struct CAPSTAN_EXPORT EndpointAddress {
  // The IP of this endpoint. May not be loopback (127.0.0.0/8 or ::1), link-local (169.254.0.0/16
  // or fe80::/10), or link-local multicast (224.0.0.0/24 or ff02::/16).
  std::string ip = {};
  // The Hostname of this endpoint
  std::string hostname = {};
  // Optional: Node hosting this endpoint. This can be used to determine endpoints local to a node.
  std::optional<std::string> node_name = {};
  // Reference to object providing the endpoint.
  Boxed<ObjectReference> target_ref = {};
};
CAPSTAN_EXPORT bool operator==(const EndpointAddress& a, const EndpointAddress& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const EndpointAddress*);

// EndpointPort is a tuple that describes a single port. Deprecated: This API is deprecated in
// v1.33+.
struct CAPSTAN_EXPORT EndpointPort {
  // The name of this port.  This must match the 'name' field in the corresponding ServicePort. Must
  // be a DNS_LABEL. Optional only if one port is defined.
  std::string name = {};
  // The port number of the endpoint.
  std::int32_t port = {};
  // The IP protocol for this port. Must be UDP, TCP, or SCTP. Default is TCP.
  std::string protocol = {};
  // The application protocol for this port. This is used as a hint for implementations to offer
  // richer behavior for protocols that they understand. This field follows standard Kubernetes
  // label syntax. Valid values are either:
  // * Un-prefixed protocol names - reserved for IANA standard service names (as per RFC-6335 and
  // https://www.iana.org/assignments/service-names).
  // * Kubernetes-defined prefixed names:
  // * 'kubernetes.io/h2c' - HTTP/2 prior knowledge over cleartext as described in
  // https://www.rfc-editor.org/rfc/rfc9113.html#name-starting-http-2-with-prior-
  // * 'kubernetes.io/ws'  - WebSocket over cleartext as described in
  // https://www.rfc-editor.org/rfc/rfc6455
  // * 'kubernetes.io/wss' - WebSocket over TLS as described in
  // https://www.rfc-editor.org/rfc/rfc6455
  // * Other protocols should use implementation-defined prefixed names such as
  // mycompany.com/my-custom-protocol.
  std::optional<std::string> app_protocol = {};
};
CAPSTAN_EXPORT bool operator==(const EndpointPort& a, const EndpointPort& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const EndpointPort*);

// EndpointSubset is a group of addresses with a common set of ports. The expanded set of endpoints
// is the Cartesian product of Addresses x Ports. For example, given:
// {
// Addresses: [{"ip": "10.10.1.1"}, {"ip": "10.10.2.2"}],
// Ports:     [{"name": "a", "port": 8675}, {"name": "b", "port": 309}] }
// The resulting set of endpoints can be viewed as:
// a: [ 10.10.1.1:8675, 10.10.2.2:8675 ], b: [ 10.10.1.1:309, 10.10.2.2:309 ]
// Deprecated: This API is deprecated in v1.33+.
struct CAPSTAN_EXPORT EndpointSubset {
  // IP addresses which offer the related ports that are marked as ready. These endpoints should be
  // considered safe for load balancers and clients to utilize.
  List<EndpointAddress> addresses = {};
  // IP addresses which offer the related ports but are not currently marked as ready because they
  // have not yet finished starting, have recently failed a readiness check, or have recently failed
  // a liveness check.
  List<EndpointAddress> not_ready_addresses = {};
  // Port numbers available on the related IP addresses.
  List<EndpointPort> ports = {};
};
CAPSTAN_EXPORT bool operator==(const EndpointSubset& a, const EndpointSubset& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const EndpointSubset*);

// Endpoints is a collection of endpoints that implement the actual service. Example:
// Name: "mysvc", Subsets: [
// {
// Addresses: [{"ip": "10.10.1.1"}, {"ip": "10.10.2.2"}],
// Ports: [{"name": "a", "port": 8675}, {"name": "b", "port": 309}]
// },
// {
// Addresses: [{"ip": "10.10.3.3"}],
// Ports: [{"name": "a", "port": 93}, {"name": "b", "port": 76}]
// }, ]
// Endpoints is a legacy API and does not contain information about all Service features. Use
// discoveryv1.EndpointSlice for complete information about Service endpoints.
// Deprecated: This API is deprecated in v1.33+. Use discoveryv1.EndpointSlice.
struct CAPSTAN_EXPORT Endpoints {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // The set of all endpoints is the union of all subsets. Addresses are placed into subsets
  // according to the IPs they share. A single address with multiple ports, some of which are ready
  // and some of which are not (because they come from different containers) will result in the
  // address being displayed in different subsets for the different ports. No address will appear in
  // both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that
  // comprise a service.
  List<EndpointSubset> subsets = {};
};
CAPSTAN_EXPORT bool operator==(const Endpoints& a, const Endpoints& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Endpoints*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::EndpointAddress>;
extern template class capstan::List<capstan::api::core::v1::EndpointPort>;
extern template class capstan::List<capstan::api::core::v1::EndpointSubset>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Endpoints> =
    capstan::Kind("", "v1", "Endpoints", "endpoints").Namespaced().Whole();

// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/discovery/v1/endpoint_slice.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::discovery::v1 {

CAPSTAN_LAYOUT(EndpointConditions,
    CAPSTAN_FIELD(EndpointConditions, "ready", ready),
    CAPSTAN_FIELD(EndpointConditions, "serving", serving),
    CAPSTAN_FIELD(EndpointConditions, "terminating", terminating))

CAPSTAN_LAYOUT(ForZone,
    CAPSTAN_REQUIRED(ForZone, "name", name))

CAPSTAN_LAYOUT(ForNode,
    CAPSTAN_REQUIRED(ForNode, "name", name))

CAPSTAN_LAYOUT(EndpointHints,
    CAPSTAN_FIELD(EndpointHints, "forZones", for_zones),
    CAPSTAN_FIELD(EndpointHints, "forNodes", for_nodes))

CAPSTAN_LAYOUT(Endpoint,
    CAPSTAN_REQUIRED(Endpoint, "addresses", addresses),
    CAPSTAN_FIELD(Endpoint, "conditions", conditions),
    CAPSTAN_FIELD(Endpoint, "hostname", hostname),
    CAPSTAN_FIELD(Endpoint, "targetRef", target_ref),
    CAPSTAN_FIELD(Endpoint, "deprecatedTopology", deprecated_topology),
    CAPSTAN_FIELD(Endpoint, "nodeName", node_name),
    CAPSTAN_FIELD(Endpoint, "zone", zone),
    CAPSTAN_FIELD(Endpoint, "hints", hints))

CAPSTAN_LAYOUT(EndpointPort,
    CAPSTAN_FIELD(EndpointPort, "name", name),
    CAPSTAN_FIELD(EndpointPort, "protocol", protocol),
    CAPSTAN_FIELD(EndpointPort, "port", port),
    CAPSTAN_FIELD(EndpointPort, "appProtocol", app_protocol))

CAPSTAN_LAYOUT(EndpointSlice,
    CAPSTAN_PART(EndpointSlice, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(EndpointSlice, "addressType", address_type),
    CAPSTAN_REQUIRED(EndpointSlice, "endpoints", endpoints),
    CAPSTAN_REQUIRED(EndpointSlice, "ports", ports))

}  // namespace capstan::api::discovery::v1

template class capstan::List<capstan::api::discovery::v1::ForZone>;
template class capstan::List<capstan::api::discovery::v1::ForNode>;
template class capstan::Boxed<capstan::api::discovery::v1::EndpointHints>;
template class capstan::List<capstan::api::discovery::v1::Endpoint>;
template class capstan::List<capstan::api::discovery::v1::EndpointPort>;

// SPDX-License-Identifier: Apache-2.0
// Decodes the documents of discovery, aggregated and unaggregated. Pure functions. An element that
// has no name or kind is left out. Mirrors client-go's discovery/aggregated_discovery.go.
#pragma once

#include <string_view>
#include <vector>

#include "capstan/discovery/discovery_client.h"
#include "capstan/runtime/json_value.h"

namespace capstan::discovery {

// The Accept header of aggregated discovery. Servers need this order of the parameters.
inline constexpr std::string_view kAcceptAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

// Reports whether a response with this Content-Type is an aggregated document. The order of the
// parameters does not matter.
bool IsAggregated(std::string_view content_type);

// Decodes an APIGroupDiscoveryList. A version that is marked as stale is in `failed` and nowhere
// else.
Discovered DecodeAggregated(const runtime::JsonValue& document);
// Decodes an APIVersions, the document of /api: at most the core group.
std::vector<ApiGroup> DecodeVersions(const runtime::JsonValue& document);
// Decodes an APIGroupList, the document of /apis.
std::vector<ApiGroup> DecodeGroups(const runtime::JsonValue& document);
// Decodes the `resources` of an APIResourceList of `group_version`.
ApiResourceList DecodeResources(const runtime::JsonValue& document,
                                const runtime::GroupVersion& group_version);
ServerVersionInfo DecodeVersionInfo(const runtime::JsonValue& document);

}  // namespace capstan::discovery

// SPDX-License-Identifier: Apache-2.0
// The discovery documents of all resources, aggregated and unaggregated. Mirrors
// k8s.io/apiserver/pkg/endpoints/discovery. Differs: no version of a group is ever stale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct DiscoveryRequest {
  std::string_view path;
  std::string_view accept;          // the header
  std::string_view server_address;  // the Host header
};

struct DiscoveryDocument {
  std::string content_type;
  std::string body;
};

// Returns the document of /, /index.html, /version, /api, /apis, /api/v1, /apis/<group> or
// /apis/<group>/<version>; nullopt for other paths. Only /api and /apis have the aggregated form.
std::optional<DiscoveryDocument> Discover(const DiscoveryRequest& request,
                                          const std::vector<const Resource*>& resources);

}  // namespace capstan::testing::apiserver

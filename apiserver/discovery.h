// SPDX-License-Identifier: Apache-2.0
// What the server says about itself: versions, groups and resources, as kubectl asks for them.
// Pure functions. Mirrors k8s.io/apiserver/pkg/endpoints/discovery (the unaggregated form).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace apiserver {

// The JSON of /version, /api, /apis, /api/v1, /apis/<group>, /apis/<group>/<version>; nullopt for
// any other path.
std::optional<std::string> Discover(std::string_view path, std::string_view server_address);

}  // namespace apiserver

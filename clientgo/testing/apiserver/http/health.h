// SPDX-License-Identifier: Apache-2.0
// The health of the server: /healthz, /livez, /readyz, and their single checks. A server that
// answers is healthy, so no check fails. Mirrors k8s.io/apiserver/pkg/server/healthz. Unlike there,
// the checks are those of the parts that this server has.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "capstan/httpserver/server.h"

namespace capstan::testing::apiserver {

// Returns the answer to a request for a path of health; nullopt: the path is another one.
std::optional<std::string> FindHealth(const httpserver::Request& request);

// Adds the paths of health to those that the document of "/" lists.
void AddHealthPaths(std::set<std::string>& paths);

}  // namespace capstan::testing::apiserver

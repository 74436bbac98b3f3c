// SPDX-License-Identifier: Apache-2.0
// The objects that kube-apiserver makes when it starts, besides its namespaces: the Service of the
// API server with its endpoints, and the PriorityClasses of the system. Differs: the endpoint is a
// constant, and not the address of this server.
#pragma once

#include <string>
#include <vector>

namespace capstan::testing::apiserver {

// Returns them as JSON with their kinds. An object whose kind is not served is left out.
std::vector<std::string> FirstObjects();

}  // namespace capstan::testing::apiserver

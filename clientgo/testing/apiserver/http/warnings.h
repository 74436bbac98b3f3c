// SPDX-License-Identifier: Apache-2.0
// The headers that warn a client. Mirrors k8s.io/apiserver/pkg/endpoints/filters/warning.go.
#pragma once

#include <string>
#include <vector>

#include "capstan/httpserver/server.h"

namespace capstan::testing::apiserver {

// Adds a header for each text, once. If they have more than 4,096 bytes together, a text has at
// most 256 bytes, and no text begins after the first 4,096.
void AddWarnings(const std::vector<std::string>& warnings, httpserver::Headers& headers);

}  // namespace capstan::testing::apiserver

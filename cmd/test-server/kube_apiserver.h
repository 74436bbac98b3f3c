// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"

namespace capstan::cmd::test_server {

// Runs the embedded API server with kube-apiserver's flags, until SIGINT or SIGTERM. Its objects
// are in memory and end with it.
Expected<void> RunKubeApiServer(const std::vector<std::string>& arguments);

}  // namespace capstan::cmd::test_server

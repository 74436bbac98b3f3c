// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"

namespace capstan::cmd::test_server {

// Runs the embedded API server, and writes a kubeconfig for it. This is what the program does under
// its own name.
Expected<void> RunStandalone(const std::vector<std::string>& arguments);

}  // namespace capstan::cmd::test_server

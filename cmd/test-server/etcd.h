// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"

namespace capstan::cmd::test_server {

// Does what a test harness needs of etcd: listens on the client URLs, answers /health and /version,
// and runs until SIGINT or SIGTERM. It stores nothing, because kube-apiserver here needs no etcd.
Expected<void> RunEtcd(const std::vector<std::string>& arguments);

}  // namespace capstan::cmd::test_server

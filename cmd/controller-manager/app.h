// SPDX-License-Identifier: Apache-2.0
// The App of capstan-controller-manager: clients, caches, the CA injector, leader election and the
// endpoints, run by one Manager. Mirrors Run in cert-manager's cmd/cainjector/app.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/program.h"
#include "cmd/controller-manager/options.h"

namespace capstan::cmd::controller_manager {

// Finds the API server and makes the clients, without a request, except for the version of
// ClusterTrustBundles when they are targets. Run returns an error when the API
// server's certificate is not trusted, or the Lease is lost. A server that cannot be reached is
// retried and reported on /readyz.
Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags);

}  // namespace capstan::cmd::controller_manager

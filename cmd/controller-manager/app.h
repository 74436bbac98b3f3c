// SPDX-License-Identifier: Apache-2.0
// App: capstan-controller-manager put together from its Options: clients, caches, the CA injector,
// leader election and the endpoints, run by one Manager.
//
// Run once, from one thread. When it returns an error some thread may still be on its way out: the
// program should then exit without destroying the App. Mirrors Run in cert-manager's
// cmd/cainjector/app.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/rest/config.h"
#include "clientgo/util/error.h"
#include "cmd/controller-manager/options.h"
#include "featuregate/feature_gate.h"

namespace cmd::controller_manager {

// The Lease is upstream's, so that the two programs never act at the same time.
inline constexpr char kLeaseName[] = "cert-manager-cainjector-leader-election";
inline constexpr char kLeaseManagedBy[] = "cert-manager-cainjector";

class App {
 public:
  // Finds the API server and makes the clients; no request is sent. `gates` is only read;
  // `flags` is what /flagz says.
  static clientgo::util::Expected<std::unique_ptr<App>> New(Options options,
                                                            const featuregate::FeatureGate& gates,
                                                            std::vector<std::string> flags = {});
  ~App();

  // Serves the endpoints from now on; an error when the port is in use.
  clientgo::util::Expected<void> Listen();
  // Blocks until `stop`, then success; or an error: an API server whose certificate is not trusted,
  // a lost Lease. An API server that cannot be reached is no error: it is retried, and /readyz says
  // so.
  clientgo::util::Expected<void> Run(std::stop_token stop);

 private:
  struct Rep;
  explicit App(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace cmd::controller_manager

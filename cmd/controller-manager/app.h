// SPDX-License-Identifier: Apache-2.0
// App assembles capstan-controller-manager from its Options: clients, caches, the CA injector,
// leader election and the endpoints, run by one Manager.
//
// Run it once, from one thread. When Run returns an error, a thread may still be running: the
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

// The Lease of cert-manager's cainjector, so that the two programs never act at the same time.
inline constexpr char kLeaseName[] = "cert-manager-cainjector-leader-election";
inline constexpr char kLeaseManagedBy[] = "cert-manager-cainjector";

class App {
 public:
  // Finds the API server and makes the clients, without a request. `flags` is shown on /flagz.
  static clientgo::util::Expected<std::unique_ptr<App>> New(Options options,
                                                            const featuregate::FeatureGate& gates,
                                                            std::vector<std::string> flags = {});
  ~App();

  // Serves the endpoints from now on. Returns an error when the port is in use.
  clientgo::util::Expected<void> Listen();
  // Blocks until `stop`, then returns success. Returns an error when the API server's certificate
  // is not trusted, or the Lease is lost. A server that cannot be reached is retried and reported
  // on /readyz.
  clientgo::util::Expected<void> Run(std::stop_token stop);

 private:
  struct Rep;
  explicit App(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace cmd::controller_manager

// SPDX-License-Identifier: Apache-2.0
// App: capstan-node-agent put together from its Options: the client, the agent and the endpoints,
// run by one Manager. Nobody is elected: each node has its own.
//
// Run once, from one thread. When it returns an error some thread may still be on its way out: the
// program should then exit without destroying the App.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/util/error.h"
#include "cmd/node-agent/options.h"
#include "featuregate/feature_gate.h"

namespace cmd::node_agent {

class App {
 public:
  // Finds the API server and makes the client; no request is sent. `gates` is only read;
  // `flags` is what /flagz says.
  static clientgo::util::Expected<std::unique_ptr<App>> New(Options options,
                                                            const featuregate::FeatureGate& gates,
                                                            std::vector<std::string> flags = {});
  ~App();

  // Serves the endpoints from now on; an error when the port is in use.
  clientgo::util::Expected<void> Listen();
  // Blocks until `stop`, then success; or an error: the socket for runtime events cannot be opened.
  // An API server that cannot be used is none: it is retried, and /readyz says why. Without gates
  // no request is sent.
  clientgo::util::Expected<void> Run(std::stop_token stop);

 private:
  struct Rep;
  explicit App(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace cmd::node_agent

// SPDX-License-Identifier: Apache-2.0
// App builds capstan-node-agent from its Options: the client, the agent and the endpoints, which
// one Manager runs. There is no leader election, because each node has its own agent.
//
// Call Run once, from one thread. When it returns an error, some threads may still be running: exit
// the program without destroying the App.
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
  // Reads the kubeconfig and makes the client; sends no request. `flags` is the text of /flagz.
  static clientgo::util::Expected<std::unique_ptr<App>> New(Options options,
                                                            const featuregate::FeatureGate& gates,
                                                            std::vector<std::string> flags = {});
  ~App();

  // Starts serving the endpoints. Fails when the port is in use.
  clientgo::util::Expected<void> Listen();
  // Blocks until `stop`. Fails when the socket for runtime events cannot be opened. An API server
  // that cannot be used is not an error: requests are retried, and /readyz reports the reason.
  clientgo::util::Expected<void> Run(std::stop_token stop);

 private:
  struct Rep;
  explicit App(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace cmd::node_agent

// SPDX-License-Identifier: Apache-2.0
// Session is what a command needs to read a cluster.
#pragma once

#include <memory>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "capstan/signals.h"
#include "cmd/capstan/options.h"

namespace capstan::cmd::cli {

struct Session {
  Session(const InspectOptions& the_options, std::unique_ptr<rest::Client> the_client);

  // Prints the message, with the fix when the message does not name one.
  int Fail(const Error& error) const;

  const InspectOptions& options;
  std::unique_ptr<rest::Client> client;
  SignalWaiter signals;
};

// Sends no request, unless ClusterTrustBundles are targets: their version depends on the server.
Expected<std::unique_ptr<Session>> NewSession(InspectOptions& options);

}  // namespace capstan::cmd::cli

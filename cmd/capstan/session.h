// SPDX-License-Identifier: Apache-2.0
// Session: what a command that looks at a cluster starts with: its options, a client, the signals
// that end it, and what its arguments name. For one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "clientgo/rest/client.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/status.h"
#include "cmd/capstan/inspect_options.h"
#include "cmd/flags/flag_set.h"
#include "controllers/runtime/signals.h"

namespace cmd::capstan {

struct Session {
  Session(InspectOptions the_options, std::unique_ptr<clientgo::rest::Client> the_client)
      : options(std::move(the_options)), client(std::move(the_client)) {}

  InspectOptions options;
  std::unique_ptr<clientgo::rest::Client> client;
  controllers::runtime::SignalWaiter signals;

  // With the remedy, when the error does not say it itself.
  std::string Explained(const clientgo::util::Error& error) const;
};
// After Parse. Asks nothing of the cluster.
clientgo::util::Expected<std::unique_ptr<Session>> NewSession();

struct Named {
  const controllers::cainjector::Target* target = nullptr;  // null: none is named
  std::string name = {};
};
// KIND NAME, or KIND/NAME. kInvalidArgument when it is neither, or nothing and `required`.
clientgo::util::Expected<Named> ReadNamed(const flags::FlagSet& flags, bool required);

// At what is named, or at all. kInvalidArgument for one that asks for no injection.
clientgo::util::Expected<inspect::Findings> LookAt(const std::stop_token& stop,
                                                   inspect::Inspector& inspector,
                                                   const Named& named);

}  // namespace cmd::capstan

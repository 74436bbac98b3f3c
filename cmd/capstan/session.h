// SPDX-License-Identifier: Apache-2.0
// Session holds what a command that reads a cluster needs: options, client, signals and the target
// that its arguments name. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "clientgo/rest/client.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/status.h"
#include "cmd/capstan/inspect_options.h"
#include "cmd/internal/flags/flag_set.h"
#include "controllers/runtime/signals.h"

namespace cmd::capstan {

struct Session {
  Session(InspectOptions the_options, std::unique_ptr<clientgo::rest::Client> the_client)
      : options(std::move(the_options)), client(std::move(the_client)) {}

  InspectOptions options;
  std::unique_ptr<clientgo::rest::Client> client;
  controllers::runtime::SignalWaiter signals;

  // Returns the message, with the fix when the message does not name one.
  std::string Explained(const clientgo::util::Error& error) const;
};
// Call this after FlagSet::Parse. Sends no request.
clientgo::util::Expected<std::unique_ptr<Session>> NewSession();

struct Named {
  const controllers::cainjector::Target* target = nullptr;  // null: no target is named
  std::string name = {};
};
// Parses KIND NAME or KIND/NAME. kInvalidArgument: neither, or nothing although `required`.
clientgo::util::Expected<Named> ReadNamed(const flags::FlagSet& flags, bool required);

// Checks the named target, or all. kInvalidArgument: the named target does not request injection.
clientgo::util::Expected<inspect::Findings> LookAt(const std::stop_token& stop,
                                                   inspect::Inspector& inspector,
                                                   const Named& named);

}  // namespace cmd::capstan

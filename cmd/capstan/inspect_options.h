// SPDX-License-Identifier: Apache-2.0
// The command lines of the commands that look at a cluster. Their flags are defined in options.cc.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "clientgo/util/error.h"
#include "cmd/flags/flag_set.h"
#include "controllers/cainjector/options.h"

namespace cmd::capstan {

struct InspectOptions {
  std::string kubeconfig;
  std::string context;
  std::string as;  // the user to act as; empty: oneself
  bool json = false;
  std::chrono::nanoseconds wait{0};
  bool dry_run = false;
  std::vector<std::string> files;
  controllers::cainjector::CaInjectorOptions injector;  // of the manager, as its flags are given
};

flags::FlagSet NewStatusFlagSet();
flags::FlagSet NewExplainFlagSet();
flags::FlagSet NewCheckFlagSet();
flags::FlagSet NewAuditFlagSet();
flags::FlagSet NewInjectFlagSet();
flags::FlagSet NewGatesFlagSet();
flags::FlagSet NewCompletionFlagSet();
// After Parse. kInvalidArgument: one line that names the flag and the remedy.
clientgo::util::Expected<InspectOptions> ReadInspectOptions();

}  // namespace cmd::capstan

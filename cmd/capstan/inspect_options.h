// SPDX-License-Identifier: Apache-2.0
// InspectOptions holds the flags of the commands that read a cluster. options.cc defines the flags.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "clientgo/transport/config.h"
#include "clientgo/util/error.h"
#include "cmd/internal/flags/flag_set.h"
#include "controllers/cainjector/options.h"

namespace cmd::capstan {

struct InspectOptions {
  std::string kubeconfig;
  std::string context;
  std::string as;  // user to act as; empty: the caller
  clientgo::transport::Http2 http2 = clientgo::transport::Http2::kAuto;
  bool json = false;
  std::chrono::nanoseconds wait{0};
  bool dry_run = false;
  std::vector<std::string> files;
  controllers::cainjector::CaInjectorOptions injector;  // options of the manager
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

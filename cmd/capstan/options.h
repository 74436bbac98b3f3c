// SPDX-License-Identifier: Apache-2.0
// Options: what the command line of each `capstan` command says, as plain validated values. The
// only place that reads this program's flags.
#pragma once

#include <cstdint>
#include <string>

#include "clientgo/util/error.h"
#include "cmd/capstan/demo/story.h"
#include "cmd/flags/flag_set.h"

namespace cmd::capstan {

struct ApiServerOptions {
  std::uint16_t port = 0;
  std::string kubeconfig;  // the file to write; empty: none
  bool watch_list = true;
};

flags::FlagSet NewDemoFlagSet();
flags::FlagSet NewApiServerFlagSet();
// After Parse. kInvalidArgument: one line that names the flag and the remedy.
clientgo::util::Expected<demo::DemoOptions> ReadDemoOptions();
clientgo::util::Expected<ApiServerOptions> ReadApiServerOptions();

}  // namespace cmd::capstan

// SPDX-License-Identifier: Apache-2.0
// Options holds the validated flags of each `capstan` command. Only this file reads the flags.
#pragma once

#include <cstdint>
#include <string>

#include "clientgo/util/error.h"
#include "cmd/capstan/demo/story.h"
#include "cmd/flags/flag_set.h"

namespace cmd::capstan {

struct ApiServerOptions {
  std::uint16_t port = 0;
  std::string kubeconfig;  // path to write; empty: none
  bool watch_list = true;
};

flags::FlagSet NewDemoFlagSet();
flags::FlagSet NewApiServerFlagSet();
// After Parse. kInvalidArgument: one line that names the flag and the remedy.
clientgo::util::Expected<demo::DemoOptions> ReadDemoOptions();
clientgo::util::Expected<ApiServerOptions> ReadApiServerOptions();

}  // namespace cmd::capstan

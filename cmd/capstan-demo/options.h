// SPDX-License-Identifier: Apache-2.0
// The flags of capstan-demo and of capstan-demo apiserver, as validated values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/flags/flag_set.h"
#include "cmd/capstan-demo/story.h"

namespace capstan::cmd::capstan_demo {

struct ApiServerOptions {
  std::uint16_t port = 0;
  std::string kubeconfig;         // the file to write; empty: none
  std::vector<std::string> load;  // files with objects; "-": stdin
  bool watch_list = true;
};

flags::FlagSet NewDemoFlagSet();
// `program` is how the user called it: "capstan" or "capstan-demo".
flags::FlagSet NewApiServerFlagSet(const std::string& program);
// Call these after Parse. An error (kInvalidArgument) is one line with the flag and the fix.
Expected<DemoOptions> ReadDemoOptions();
Expected<ApiServerOptions> ReadApiServerOptions();

}  // namespace capstan::cmd::capstan_demo

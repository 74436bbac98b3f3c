// SPDX-License-Identifier: Apache-2.0
// The layout of one flag's help: "      --name type", then its text, wrapped and indented below, as
// kube-apiserver --help prints it. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace cmd::flags {

struct FlagHelp {
  std::string_view name;
  std::string_view shorthand = {};
  std::string_view type_name = {};
  std::string_view usage = {};  // may have several lines
  std::string_view default_value = {};
  bool quote_default = false;
};

// A default that says nothing ("", 0, false, 0s) is not shown, as in pflag.
void AppendFlagHelp(std::string& out, const FlagHelp& flag);

}  // namespace cmd::flags

// SPDX-License-Identifier: Apache-2.0
// Completion scripts for shells complete the commands, and each command's flags and words. They
// send no request to a cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"

namespace capstan::cmd::cli {

struct CompletedCommand {
  std::string name;
  std::string summary;
  std::vector<std::string> words;  // "--output", "-o", "crd"
};

// Returns the script of `shell` (bash, zsh or fish) for the programs capstan and kubectl-capstan.
// kInvalidArgument: any other shell.
Expected<std::string> CompletionScript(std::string_view shell,
                                       const std::vector<CompletedCommand>& commands);

}  // namespace capstan::cmd::cli

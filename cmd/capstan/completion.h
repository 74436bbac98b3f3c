// SPDX-License-Identifier: Apache-2.0
// Completion scripts for shells: the commands, then each command's flags and words. The script asks
// nothing of a cluster. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace cmd::capstan {

struct CompletedCommand {
  std::string name;
  std::string summary;
  std::vector<std::string> words;  // "--output", "-o", "crd"
};

// `shell`: bash, zsh or fish; kInvalidArgument for any other one. For the programs capstan and
// kubectl-capstan.
clientgo::util::Expected<std::string> CompletionScript(
    std::string_view shell, const std::vector<CompletedCommand>& commands);

}  // namespace cmd::capstan

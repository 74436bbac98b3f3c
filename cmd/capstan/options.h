// SPDX-License-Identifier: Apache-2.0
// InspectOptions holds the flags of the commands that read a cluster.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/flags/flag_set.h"
#include "capstan/program_options.h"
#include "cmd/capstan/new/new_project.h"
#include "controllers/cainjector/options.h"

namespace capstan::cmd::cli {

struct InspectOptions : CommonOptions {
  std::string context;
  std::string as;  // user to act as; empty: the caller
  bool json = false;
  std::chrono::nanoseconds wait{0};
  bool endpoints = false;
  bool dry_run = false;
  std::vector<std::string> files;
  std::string out = ".";  // a folder
  project::NewProject project = {.group = "example.com"};
  std::string feature_gates;
  cainjector::CaInjectorOptions injector;  // options of the manager
};

// Adds the flags of a command with these names. They set `options`.
void AddOwnFlags(flags::FlagSet& set, const std::vector<std::string>& own, InspectOptions& options);
// Adds the flags of all commands that read a cluster.
void AddClusterFlags(flags::FlagSet& set, InspectOptions& options);
// Adds the manager's flags that change what it injects.
void AddManagerFlags(flags::FlagSet& set, InspectOptions& options);
// Checks the values after FlagSet::Parse. kInvalidArgument: one line that names the flag and the
// remedy.
Expected<void> Finish(const flags::FlagSet& set, InspectOptions& options);

}  // namespace capstan::cmd::cli

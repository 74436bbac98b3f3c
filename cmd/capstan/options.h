// SPDX-License-Identifier: Apache-2.0
// InspectOptions holds the flags of the commands that read a cluster.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/flags/flag_set.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http_transport.h"
#include "controllers/cainjector/options.h"

namespace capstan::cmd::cli {

struct InspectOptions {
  std::string kubeconfig;
  std::string context;
  std::string as;  // user to act as; empty: the caller
  transport::Implementation http_transport = transport::Implementation::kCapstan;
  transport::Http2 http2 = transport::Http2::kAuto;
  transport::Compression list_compression = transport::Compression::kAuto;
  bool json = false;
  std::chrono::nanoseconds wait{0};
  bool endpoints = false;
  bool dry_run = false;
  std::vector<std::string> files;
  cainjector::CaInjectorOptions injector;  // options of the manager
};

// Adds the flags of a command that reads a cluster, and its own flags.
void AddClusterFlags(flags::FlagSet& set, std::vector<flags::Flag> own);
// Adds the manager's flags that change what it injects.
void AddManagerFlags(flags::FlagSet& set);
// After Parse. kInvalidArgument: one line that names the flag and the remedy.
Expected<InspectOptions> ReadInspectOptions();

}  // namespace capstan::cmd::cli

// SPDX-License-Identifier: Apache-2.0
// Options is the configuration of capstan-controller-manager: plain validated values from its
// command line and its configuration file. Only this file reads the flags and the feature gates.
//
// Names and defaults are those of cert-manager's cainjector (internal/apis/config/cainjector), so
// its arguments and its configuration file start this program, also with flags that have no effect
// here. Set up once, before threads start.
#pragma once

#include <chrono>
#include <string>

#include "capstan/error.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/config_file.h"
#include "capstan/flags/flag_set.h"
#include "capstan/program_options.h"
#include "controllers/cainjector/options.h"

namespace capstan::cmd::controller_manager {

inline constexpr char kProgramName[] = "capstan-controller-manager";

struct LeaderElectionOptions {
  bool enabled = true;
  std::string namespace_;
  std::chrono::nanoseconds lease_duration{};
  std::chrono::nanoseconds renew_deadline{};
  std::chrono::nanoseconds retry_period{};
};

struct Options : CommonOptions {
  cainjector::CaInjectorOptions injector;
  LeaderElectionOptions leader_election;
  bool watch_list = true;          // gate WatchListClient
  bool both_secret_gates = false;  // SecretsFilteredCaching then has no effect
};

// Returns the program's flags, with the gates in the help text.
flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates);
// Returns the fields of the file of --config. Every field stands for a flag.
flags::ConfigSchema NewConfigSchema();

// Returns the values after FlagSet::Parse. Reads the file of --config, and sets `gates` from
// --feature-gates. The error, kInvalidArgument, is one line that names the flag, or the file and
// the field, and the fix.
Expected<Options> ReadOptions(flags::FlagSet& set, featuregate::FeatureGate& gates);

}  // namespace capstan::cmd::controller_manager

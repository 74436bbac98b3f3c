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
#include "capstan/leaderelection/leader_election.h"
#include "capstan/program_options.h"
#include "controllers/cainjector/options.h"

namespace capstan::cmd::controller_manager {

inline constexpr char kProgramName[] = "capstan-controller-manager";

// The Lease of cert-manager's cainjector, so that the two programs never act at the same time.
inline constexpr char kLeaseName[] = "cert-manager-cainjector-leader-election";
inline constexpr char kLeaseManagedBy[] = "cert-manager-cainjector";

struct Options : CommonOptions {
  std::string config;  // the file of --config; empty: none
  cainjector::CaInjectorOptions injector;
  bool verify_endpoints = false;
  bool leader_elect = true;
  leaderelection::LeaderElectionConfig leader_election = {
      .lease_namespace = "kube-system",
      .lease_name = kLeaseName,
      .lease_duration = std::chrono::seconds(60),
      .renew_deadline = std::chrono::seconds(40),
      .retry_period = std::chrono::seconds(15),
      .managed_by = kLeaseManagedBy,
  };
  bool dynamic_serving = false;    // --metrics-dynamic-serving-* is set
  bool watch_list = true;          // gate WatchListClient
  bool both_secret_gates = false;  // SecretsFilteredCaching then has no effect
};

// Returns the program's flags, which set `options` and `gates`. The gates are in the help text.
flags::FlagSet NewFlagSet(Options& options, featuregate::FeatureGate& gates);
// Returns the fields of the file of --config. Every field stands for a flag.
flags::ConfigSchema NewConfigSchema();

// Reads the file of --config, and returns the checked values after FlagSet::Parse. The arguments
// are those of NewFlagSet. The error, kInvalidArgument, is one line that names the flag, or the
// file and the field, and the fix.
Expected<Options> ReadOptions(flags::FlagSet& set, Options& options,
                              const featuregate::FeatureGate& gates);

}  // namespace capstan::cmd::controller_manager

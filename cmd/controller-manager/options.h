// SPDX-License-Identifier: Apache-2.0
// Options: what the command line of capstan-controller-manager says, as plain validated values.
// This is the only place that reads its flags and feature gates; everything below gets options.
//
// Names and defaults are cert-manager cainjector's (internal/apis/config/cainjector), so that its
// arguments keep working. Set up once, before threads start.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "clientgo/util/error.h"
#include "cmd/flags/flag_set.h"
#include "controllers/runtime/serving.h"
#include "featuregate/feature_gate.h"

namespace cmd::controller_manager {

inline constexpr char kProgramName[] = "capstan-controller-manager";

struct LeaderElectionOptions {
  bool enabled = true;
  std::string namespace_;
  std::chrono::nanoseconds lease_duration{};
  std::chrono::nanoseconds renew_deadline{};
  std::chrono::nanoseconds retry_period{};
};

struct Options {
  std::string kubeconfig;
  std::string namespace_;  // of the Secrets that are watched; empty: all
  std::chrono::nanoseconds cache_sync_timeout{};
  bool exit_on_cache_sync_timeout = false;
  LeaderElectionOptions leader_election;
  std::optional<controllers::runtime::BindAddress> metrics;  // nullopt: off
  bool watch_list = true;                                    // gate WatchListClient
  bool merge_bundles = true;                                 // gate CAInjectorMerging
};

// The gates this program knows. Every one that is accepted does what it says.
void AddFeatures(featuregate::FeatureGate& gates);
// The program's flags, with the gates in the help text.
flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates);
// The values after FlagSet::Parse; sets `gates` from --feature-gates. kInvalidArgument: one line
// that names the flag and the remedy.
clientgo::util::Expected<Options> ReadOptions(featuregate::FeatureGate& gates);

}  // namespace cmd::controller_manager

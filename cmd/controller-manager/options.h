// SPDX-License-Identifier: Apache-2.0
// Options: what the command line and the configuration file of capstan-controller-manager say, as
// plain validated values. This is the only place that reads its flags and feature gates; everything
// below gets options.
//
// Names and defaults are cert-manager cainjector's (internal/apis/config/cainjector), so that its
// arguments and its configuration file keep working. Set up once, before threads start.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "clientgo/util/error.h"
#include "cmd/internal/flags/flag_set.h"
#include "cmd/internal/program/options.h"
#include "cmd/internal/program/program.h"
#include "controllers/cainjector/ca_injector.h"
#include "controllers/runtime/serving.h"
#include "featuregate/feature_gate.h"

namespace cmd::controller_manager {

struct LeaderElectionOptions {
  bool enabled = true;
  std::string namespace_;
  std::chrono::nanoseconds lease_duration{};
  std::chrono::nanoseconds renew_deadline{};
  std::chrono::nanoseconds retry_period{};
};

using program::LogFormat;

struct Options : program::CommonOptions {
  controllers::cainjector::CaInjectorOptions injector;
  LeaderElectionOptions leader_election;
  bool watch_list = true;          // gate WatchListClient
  bool both_secret_gates = false;  // SecretsFilteredCaching has no effect beside the other
};

// The values after FlagSet::Parse: reads the file of --config, if given, and sets `gates` from
// --feature-gates. kInvalidArgument: one line that names the flag, or the file and the field, and
// the remedy.
clientgo::util::Expected<Options> ReadOptions(flags::FlagSet& set, featuregate::FeatureGate& gates);

}  // namespace cmd::controller_manager

// SPDX-License-Identifier: Apache-2.0
// The command line of capstan-node-agent: its flags, its feature gates, and their values as
// Options. No other code reads the flags and gates. Flags that csi-driver also has (--node-id,
// --pod-readiness-gate with its grammar and errors) have the same meaning. Call these functions
// before threads start.
#pragma once

#include <chrono>

#include "capstan/error.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/flag_set.h"
#include "capstan/program_options.h"
#include "controllers/readinessgate/options.h"

namespace capstan::cmd::node_agent {

inline constexpr char kProgramName[] = "capstan-node-agent";

struct Options : CommonOptions {
  readinessgate::AgentOptions agent;
  // After an outage of the API server the agents of all nodes return within this time.
  std::chrono::nanoseconds recovery_spread = std::chrono::seconds(5);
};

// Adds the gates of this program.
void AddFeatures(featuregate::FeatureGate& gates);
// Returns the flags of this program, which set `options` and `gates`. The gates are in the help.
flags::FlagSet NewFlagSet(Options& options, featuregate::FeatureGate& gates);

// Returns the checked values after FlagSet::Parse. The arguments are those of NewFlagSet. Errors
// are kInvalidArgument: one line that names the flag and the fix.
Expected<Options> ReadOptions(const flags::FlagSet& set, Options& options,
                              const featuregate::FeatureGate& gates);

}  // namespace capstan::cmd::node_agent

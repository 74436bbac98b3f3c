// SPDX-License-Identifier: Apache-2.0
// The command line of capstan-node-agent: its gates and its flags with their help. Their values are
// read in options.h alone. Names that csi-driver has mean the same here. Pure functions.
#pragma once

#include "cmd/internal/flags/flag_set.h"
#include "featuregate/feature_gate.h"

namespace cmd::node_agent {

inline constexpr char kProgramName[] = "capstan-node-agent";

// The gates this program knows. Every one that is accepted does what it says.
void AddFeatures(featuregate::FeatureGate& gates);
// The program's flags, with the gates in the help text.
flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates);

}  // namespace cmd::node_agent

// SPDX-License-Identifier: Apache-2.0
// The command line of capstan-controller-manager: its flags with their help, and the fields of its
// configuration file. Their values are read in options.h alone; its gates are cmd/injector's.
//
// Names are those of cert-manager's cainjector, also of flags that can have no effect here, so that
// its arguments and its file start this program. Pure functions.
#pragma once

#include "cmd/internal/flags/config_file.h"
#include "cmd/internal/flags/flag_set.h"
#include "featuregate/feature_gate.h"

namespace cmd::controller_manager {

inline constexpr char kProgramName[] = "capstan-controller-manager";

// The program's flags, with the gates in the help text.
flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates);
// What the file of --config may say. Every field stands for a flag.
flags::ConfigSchema NewConfigSchema();

}  // namespace cmd::controller_manager

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capstan/flags/flag_set.h"
#include "cmd/capstan/options.h"

namespace capstan::cmd::cli {

// Runs `capstan envtest`, and returns its exit code.
int RunEnvtest(const flags::FlagSet& flags, InspectOptions& options);

}  // namespace capstan::cmd::cli

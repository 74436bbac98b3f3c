// SPDX-License-Identifier: Apache-2.0
// What every program of this repository does between main() and its own work: its process set up,
// its flags parsed, its errors told in one line. One thread, before others start.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clientgo/util/error.h"
#include "cmd/flags/flag_set.h"
#include "featuregate/feature_gate.h"

namespace cmd::program {

enum class LogFormat { kText, kJson };

// First thing in main: a small heap, no core dumps (they would hold tokens and keys), signals for
// SignalWaiter alone, klog's lines on stderr.
void SetUpProcess(const char* program);

// The last words of a start that failed: one line, whatever a server or a parser wrote into the
// message; JSON once logs are. Returns the exit code.
int Fail(const std::string& program, const clientgo::util::Error& error,
         LogFormat log_format = LogFormat::kText);

// Parses; prints --help or --version. `run` does the rest, when there is something to run. Returns
// the exit code.
int Main(const std::string& program, flags::FlagSet& flags,
         const std::vector<std::string>& arguments, const std::function<int()>& run);

// Flags without effect that were given, and which gates are on.
void LogFlags(const flags::FlagSet& flags, const featuregate::FeatureGate& gates);

}  // namespace cmd::program

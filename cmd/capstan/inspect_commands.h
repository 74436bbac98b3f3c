// SPDX-License-Identifier: Apache-2.0
// Commands that read a cluster. Output goes to stdout, an error is one line on stderr, and the
// result is the exit code.
#pragma once

#include <string>
#include <string_view>

#include "capstan/flags/flag_set.h"
#include "cmd/capstan/options.h"

namespace capstan::cmd::cli {

inline constexpr int kFine = 0;
inline constexpr int kFailed = 1;  // bad input, no answer, or a missing right
inline constexpr int kFound = 2;   // something is broken or missing

// Prints to stdout.
void Print(const std::string& text);
// Prints "Error: ..." to stderr and returns kFailed.
int Fail(std::string_view message);

// `flags` has the arguments of the command.
int RunStatus(const flags::FlagSet& flags, InspectOptions& options);
int RunExplain(const flags::FlagSet& flags, InspectOptions& options);
int RunCheck(const flags::FlagSet& flags, InspectOptions& options);
int RunAudit(const flags::FlagSet& flags, InspectOptions& options);
int RunInject(const flags::FlagSet& flags, InspectOptions& options);
int RunGates(const flags::FlagSet& flags, InspectOptions& options);

}  // namespace capstan::cmd::cli

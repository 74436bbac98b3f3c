// SPDX-License-Identifier: Apache-2.0
// The commands that look at a cluster, as processes: their output goes to stdout, what went wrong
// is one line on stderr, and the result is the exit code.
#pragma once

#include <string_view>

#include "cmd/flags/flag_set.h"

namespace cmd::capstan {

inline constexpr int kFine = 0;
inline constexpr int kFailed = 1;  // bad input, no answer, no right: nothing was found out
inline constexpr int kFound = 2;   // it was found out that something is not as it should be

// "Error: ..." on stderr; kFailed.
int Fail(std::string_view message);

// After Parse.
int RunStatus(const flags::FlagSet& flags);
int RunExplain(const flags::FlagSet& flags);
int RunCheck(const flags::FlagSet& flags);
int RunAudit(const flags::FlagSet& flags);
int RunInject(const flags::FlagSet& flags);
int RunGates(const flags::FlagSet& flags);

}  // namespace cmd::capstan

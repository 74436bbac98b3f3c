// SPDX-License-Identifier: Apache-2.0
// SplitKnown makes a FlagSet accept flags that it does not have, for a program that stands in for
// one with more flags.
#pragma once

#include <string>
#include <vector>

#include "capstan/flags/flag_set.h"

namespace capstan::cmd::test_server {

struct KnownArguments {
  std::vector<std::string> known = {};    // for FlagSet::Parse
  std::vector<std::string> unknown = {};  // "--audit-log-path": the flags, without their values
};

// An unknown flag without "=" has the next argument as its value, unless that begins with a dash.
// Flags with one dash are always known, so that Parse rejects them as pflag does.
KnownArguments SplitKnown(const flags::FlagSet& set, const std::vector<std::string>& arguments);

}  // namespace capstan::cmd::test_server

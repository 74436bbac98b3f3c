// SPDX-License-Identifier: Apache-2.0
// The flags of capstan-cri-event-broker, and their values as Options.
#pragma once

#include <string>

#include "capstan/flags/flag_set.h"

namespace capstan::cmd::cri_event_broker {

inline constexpr char kProgramName[] = "capstan-cri-event-broker";

struct Options {
  std::string runtime_socket;  // the path in --runtime-endpoint
  std::string socket;
};

// Returns the flags, which set `options`. Errors of FlagSet::Check are kInvalidArgument and name
// the flag, the value and the fix.
flags::FlagSet NewFlagSet(Options& options);

}  // namespace capstan::cmd::cri_event_broker

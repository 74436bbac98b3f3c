// SPDX-License-Identifier: Apache-2.0
// The flags of capstan-cri-event-broker, checked.
#pragma once

#include <string>

#include "clientgo/util/error.h"
#include "cmd/internal/flags/flag_set.h"

namespace cmd::cri_event_broker {

inline constexpr char kProgramName[] = "capstan-cri-event-broker";

struct Options {
  std::string runtime_socket;  // the path in --runtime-endpoint
  std::string socket;
};

flags::FlagSet NewFlagSet();
// After NewFlagSet().Parse. kInvalidArgument: the flag, its value and the remedy.
clientgo::util::Expected<Options> ReadOptions();

}  // namespace cmd::cri_event_broker

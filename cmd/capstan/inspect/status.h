// SPDX-License-Identifier: Apache-2.0
// Prints findings as a table or as JSON, and waits until all targets are fine.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::cli::inspect {

using Findings = std::vector<Finding>;

std::string StatusTable(const Findings& findings, const Terminal& terminal);
// Returns {"items":[{"kind","name","source","state","reason","expires","message"}]}. Unknown
// members are omitted.
std::string StatusJson(const Findings& findings);

// Returns whether all targets are in sync or skipped.
bool AllWell(const Findings& findings);
// Returns whether a target is broken or pending, even if others could not be checked.
bool AnyWrong(const Findings& findings);
std::size_t CountUnknown(const Findings& findings);

struct WaitOptions {
  std::chrono::nanoseconds timeout{0};  // 0: check once
  std::chrono::nanoseconds period = std::chrono::seconds(1);
  Clock& clock = Clock::Real();
};
// Checks until all targets are fine or the time is over, and returns the last result. Errors are
// retried too, because the API server may be starting.
Expected<Findings> WaitUntilWell(const std::stop_token& stop,
                                 const std::function<Expected<Findings>()>& look,
                                 const WaitOptions& options);

}  // namespace capstan::cmd::cli::inspect

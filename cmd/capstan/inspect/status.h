// SPDX-License-Identifier: Apache-2.0
// Status: the findings as a table or as JSON, and the wait until all is well. Pure but for the
// wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/terminal.h"

namespace cmd::capstan::inspect {

using Findings = std::vector<Finding>;

std::string StatusTable(const Findings& findings, const Terminal& terminal);
// {"items":[{"kind","name","source","state","reason","expires","message"}]}; what is not known is
// left out.
std::string StatusJson(const Findings& findings);

// All in sync, or skipped.
bool AllWell(const Findings& findings);
// Something is broken or pending; whatever else could not be found out.
bool AnyWrong(const Findings& findings);
std::size_t CountUnknown(const Findings& findings);

struct WaitOptions {
  std::chrono::nanoseconds timeout{0};  // 0: looks once
  std::chrono::nanoseconds period = std::chrono::seconds(1);
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
};
// Looks until all is well or the time is over; the last look. An error of a look is tried again
// until then, too: an API server may be on its way.
clientgo::util::Expected<Findings> WaitUntilWell(
    const std::stop_token& stop, const std::function<clientgo::util::Expected<Findings>()>& look,
    const WaitOptions& options);

}  // namespace cmd::capstan::inspect

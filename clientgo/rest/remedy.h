// SPDX-License-Identifier: Apache-2.0
// Remedy: what an operator can do about a request that failed. For the line that a program writes
// when its first request fails; docs/startup-errors.md lists them. Pure function.
#pragma once

#include <string>

#include "clientgo/rest/config.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

// One sentence without a full stop, naming the place to look at; empty: the error says it all.
std::string Remedy(const util::Error& error, const Config& config);

}  // namespace clientgo::rest

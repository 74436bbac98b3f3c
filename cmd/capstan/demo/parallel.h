// SPDX-License-Identifier: Apache-2.0
// ForEach: many calls of one kind, a few at a time. Blocks.
#pragma once

#include <functional>
#include <stop_token>

#include "clientgo/util/error.h"

namespace cmd::capstan::demo {

// Calls `write` with 0 to `count` - 1, on four threads. The first error ends it, and is returned;
// so does `stop`, which is no error here.
clientgo::util::Expected<void> ForEach(
    const std::stop_token& stop, int count,
    const std::function<clientgo::util::Expected<void>(const std::stop_token& stop, int number)>&
        write);

}  // namespace cmd::capstan::demo

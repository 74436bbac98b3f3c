// SPDX-License-Identifier: Apache-2.0
// Compression for tests.
#pragma once

#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::testing {

// Returns `text` as one gzip member.
CAPSTAN_EXPORT std::string Gzip(std::string_view text);

}  // namespace capstan::testing

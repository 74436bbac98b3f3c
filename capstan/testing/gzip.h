// SPDX-License-Identifier: Apache-2.0
// Compression for tests.
#pragma once

#include <string>
#include <string_view>

namespace capstan::testing {

// Returns `text` as one gzip member.
std::string Gzip(std::string_view text);

}  // namespace capstan::testing

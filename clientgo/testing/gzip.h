// SPDX-License-Identifier: Apache-2.0
// Compression for tests.
#pragma once

#include <string>
#include <string_view>

namespace clientgo::testing {

// Returns `text` as one gzip member.
std::string Gzip(std::string_view text);

}  // namespace clientgo::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace capstan::runtime {

// Appends `text` as a JSON string with its quotes. What is not UTF-8 becomes U+FFFD, as in Go.
void AppendQuoted(std::string_view text, std::vector<char>& out);

}  // namespace capstan::runtime

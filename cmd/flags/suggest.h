// SPDX-License-Identifier: Apache-2.0
// The known name that a misspelt one was probably meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cmd::flags {

// The nearest by edit distance, when no more than a third of `name` differs.
std::optional<std::string> Nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace cmd::flags

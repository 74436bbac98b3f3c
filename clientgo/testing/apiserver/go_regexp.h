// SPDX-License-Identifier: Apache-2.0
// Finds the usual mistakes in a regular expression in RE2's syntax, with the texts of Go's package
// regexp. It does not know names of classes ("\p{Odd}"), so a few wrong expressions pass.
#pragma once

#include <string>
#include <string_view>

namespace capstan::testing::apiserver {

// Returns why Go cannot compile the expression, as its error says it; empty: nothing was found.
std::string GoRegexpError(std::string_view pattern);

}  // namespace capstan::testing::apiserver

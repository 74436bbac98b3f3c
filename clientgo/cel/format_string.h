// SPDX-License-Identifier: Apache-2.0
// The function format of strings: "%s is %d".format([a, b]). Mirrors version 2 of cel-go's
// ext/formatting.go, with the locale en_US.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

// Checks the clauses of a literal format and the types of its literal list of arguments.
void CheckFormatCall(const Expr& call, std::vector<Issue>& issues);

// Returns a text in quotes, as Go's strconv.Quote does.
std::string GoQuoted(std::string_view text);

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
// Checks of literals in an expression whose types are correct. Mirrors the validators that
// Kubernetes adds to cel-go's checker: of durations, timestamps, regular expressions, the elements
// of lists and maps, and the arguments of format.
#pragma once

#include <vector>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

void CheckLiterals(const Expr& root, std::vector<Issue>& issues);

}  // namespace capstan::cel

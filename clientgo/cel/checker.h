// SPDX-License-Identifier: Apache-2.0
// Check finds the type of each part of an expression and the overloads that its calls may use.
// Mirrors cel-go's checker, and the validators of literals that Kubernetes adds to it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

// The types of the variables by name.
using Variables = std::map<std::string, Type, std::less<>>;

// Returns whether the expression is correct. Otherwise there are new issues.
bool Check(Expr& root, const Variables& variables, std::vector<Issue>& issues);

}  // namespace capstan::cel

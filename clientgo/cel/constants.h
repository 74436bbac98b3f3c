// SPDX-License-Identifier: Apache-2.0
// FoldConstants computes the parts of an expression that have no variables: lists and maps of
// constants, conversions of constants, and `x in []`. An expression that fails there fails for
// every object, and Kubernetes rejects it. Mirrors decOptimize and decRegexOptimizer of cel-go's
// interpreter/decorators.go.
#pragma once

#include <string>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

// Sets Expr::constant. Returns the first error, or "".
// REQUIRES: `root` passed Check.
std::string FoldConstants(Expr& root);

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
// Macros are calls that the parser replaces by other expressions: has(a.b), list.all(x, p), and the
// others that Kubernetes 1.34 enables. Mirrors cel-go's parser/macro.go, ext/comprehensions.go and
// the macros of optional values in cel/library.go.
#pragma once

#include <string>
#include <vector>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

// A call as the parser read it. `target` is null for a global function.
struct MacroCall {
  std::string function;
  ExprPtr target;
  std::vector<ExprPtr> args;
  Location location;
};

// Returns the expression for a call: that of the macro, or else the call itself. A wrong argument
// of a macro is an issue.
ExprPtr ExpandCall(MacroCall call, std::vector<Issue>& issues);

}  // namespace capstan::cel

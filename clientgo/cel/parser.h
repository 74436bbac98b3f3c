// SPDX-License-Identifier: Apache-2.0
// Parse makes the syntax tree of an expression, with macros expanded. Mirrors cel-go's parser. It
// is a Pratt parser: each operator has a precedence, and a loop reads the operators of at least the
// precedence that the caller asks for. Differs: after a syntax error nothing more is parsed, and
// the texts of rare syntax errors are not those of ANTLR.
#pragma once

#include <string_view>
#include <vector>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

// The deepest nesting of an expression, and its longest text in characters, as in cel-go.
inline constexpr int kExpressionDepthMax = 250;
inline constexpr std::size_t kExpressionCharactersMax = 100'000;

// Returns null and adds issues if the text is no expression.
ExprPtr Parse(std::string_view expression, std::vector<Issue>& issues);

}  // namespace capstan::cel

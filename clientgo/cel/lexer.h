// SPDX-License-Identifier: Apache-2.0
// Lexer splits an expression into tokens. Mirrors the lexer rules of cel-go's parser/gen/CEL.g4.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

enum class TokenKind : std::uint8_t {
  kEnd,
  kIdentifier,
  kEscapedIdentifier,  // `a-b`
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kSymbol,  // an operator, a bracket, or one of the words in, true, false, null
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text = {};  // as it is written
  Location location = {};
};

// Returns the tokens; the last one is kEnd. Text that is no token is an issue, and skipped.
std::vector<Token> Tokenize(std::string_view expression, std::vector<Issue>& issues);

// Returns the text of a string or bytes literal without its quotes and escape sequences. Bytes hold
// the bytes of \x and \ooo, strings the characters. Returns an error value for an invalid literal.
Value Unquote(std::string_view literal, bool bytes);

}  // namespace capstan::cel

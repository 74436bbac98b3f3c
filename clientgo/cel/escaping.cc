// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/escaping.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

constexpr std::array<std::string_view, 21> kKeywords = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

struct EscapeSequence {
  std::string_view text;
  std::string_view word;
};
constexpr std::array kEscapeSequences = std::to_array<EscapeSequence>(
    {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}});

}  // namespace

bool IsKeyword(std::string_view name) {
  return std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
}

std::optional<std::string> Escape(std::string_view name) {
  if (name.empty() || IsAsciiDigit(name[0])) return std::nullopt;
  if (IsKeyword(name)) return "__" + std::string(name) + "__";
  std::string identifier;
  while (!name.empty()) {
    const auto* const sequence =
        std::find_if(kEscapeSequences.begin(), kEscapeSequences.end(),
                     [&](const EscapeSequence& each) { return name.starts_with(each.text); });
    if (sequence != kEscapeSequences.end()) {
      identifier.append("__").append(sequence->word).append("__");
      name.remove_prefix(sequence->text.size());
    } else if (IsAsciiAlphanumeric(name[0]) || name[0] == '_') {
      identifier += name[0];
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return identifier;
}

std::optional<std::string> Unescape(std::string_view identifier) {
  std::string name;
  const std::size_t whole = identifier.size();
  while (!identifier.empty()) {
    // A sequence is __word__, and its word has no underscore.
    const std::size_t end = identifier.starts_with("__") ? identifier.find('_', 2) : 0;
    const bool sequence =
        end > 2 && end != std::string_view::npos && identifier.substr(end, 2) == "__";
    if (!sequence) {
      name += identifier[0];
      identifier.remove_prefix(1);
      continue;
    }
    const std::string_view word = identifier.substr(2, end - 2);
    const auto* const known =
        std::find_if(kEscapeSequences.begin(), kEscapeSequences.end(),
                     [&](const EscapeSequence& each) { return each.word == word; });
    if (known != kEscapeSequences.end()) {
      name += known->text;
    } else if (IsKeyword(word) && end + 2 == whole) {
      name += word;
    } else {
      return std::nullopt;
    }
    identifier.remove_prefix(end + 2);
  }
  return name;
}

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/rule_field_path.h"

#include <cstddef>

namespace capstan::testing::apiserver {
namespace {

// Removes and returns the next token: a delimiter, a quoted text or a name.
std::string_view TakeToken(std::string_view& path) {
  std::size_t end = 1;
  if (path.starts_with('\'')) {
    while (end < path.size() && (path[end] != '\'' || path[end - 1] == '\\')) ++end;
    ++end;
  } else if (path.find_first_of(".[]") != 0) {
    end = path.find_first_of(".[]");
  }
  const std::string_view token = path.substr(0, end);
  path.remove_prefix(token.size());
  return token;
}

// Returns the text of a quoted key.
std::optional<std::string> UnquoteKey(std::string_view token) {
  if (token.size() < 2 || token.front() != '\'' || token.back() != '\'') return std::nullopt;
  constexpr std::string_view kNames = "abfnrtv'\\";
  constexpr std::string_view kBytes = "\a\b\f\n\r\t\v'\\";
  std::string key;
  token = token.substr(1, token.size() - 2);
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 == token.size()) {
      key += token[i];
      continue;
    }
    const std::size_t at = kNames.find(token[++i]);
    if (at == std::string_view::npos) return std::nullopt;
    key += kBytes[at];
  }
  return key;
}

}  // namespace

std::optional<std::string> NormalizeFieldPath(std::string_view path, const cel::Schema& schema) {
  const cel::Schema* at = &schema;
  std::string normal;
  while (!path.empty()) {
    const std::string_view delimiter = TakeToken(path);
    if ((delimiter != "." && delimiter != "[") || path.empty()) return std::nullopt;
    const std::string_view token = TakeToken(path);
    const auto name = delimiter == "[" ? UnquoteKey(token) : std::optional(std::string(token));
    if (!name || (delimiter == "[" && TakeToken(path) != "]")) return std::nullopt;
    const bool property = !at->properties.empty();
    at = at->Member(*name);
    if (at == nullptr) return std::nullopt;
    normal += property ? (normal.empty() ? "" : ".") + *name : "[" + *name + "]";
  }
  return normal;
}

}  // namespace capstan::testing::apiserver

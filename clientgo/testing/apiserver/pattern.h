// SPDX-License-Identifier: Apache-2.0
// Patterns are the regular expressions of a schema, each compiled once. Matching takes time
// proportional to the text. Differs from Go's regexp: the syntax is ECMAScript's, which lacks (?i),
// (?P<name>), \A, \z and \pL. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <regex>
#include <string>

namespace capstan::testing::apiserver {

class Patterns {
 public:
  // Reports whether a part of `text` matches. A pattern that cannot be compiled matches everything.
  bool Matches(const std::string& pattern, const std::string& text);
  // Reports whether this server can evaluate the pattern.
  static bool CanCompile(const std::string& pattern);

 private:
  std::map<std::string, std::optional<std::regex>> compiled_;
};

}  // namespace capstan::testing::apiserver

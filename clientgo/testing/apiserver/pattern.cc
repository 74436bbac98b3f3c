// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/pattern.h"

namespace capstan::testing::apiserver {
namespace {

std::optional<std::regex> Compile(const std::string& pattern) {
  auto flags = std::regex::ECMAScript;
#ifdef __GLIBCXX__
  // Without it the time may be exponential in the length of the text.
  flags |= std::regex_constants::__polynomial;
#endif
  try {
    return std::regex(pattern, flags);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

}  // namespace

bool Patterns::Matches(const std::string& pattern, const std::string& text) {
  auto found = compiled_.find(pattern);
  if (found == compiled_.end()) found = compiled_.emplace(pattern, Compile(pattern)).first;
  return !found->second || std::regex_search(text, *found->second);
}

bool Patterns::CanCompile(const std::string& pattern) { return Compile(pattern).has_value(); }

}  // namespace capstan::testing::apiserver

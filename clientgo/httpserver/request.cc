// SPDX-License-Identifier: Apache-2.0
#include "capstan/httpserver/request.h"

#include <algorithm>
#include <utility>

#include "capstan/text.h"

namespace capstan::httpserver {

namespace {

// Decodes %XX, and '+' when `plus_is_space`. Returns nullopt for a '%' without two hexadecimal
// digits.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace

std::string_view Request::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

std::string_view Request::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return {};
}

bool ParseTarget(std::string_view target, Request& request) {
  if (target.empty() || target.front() != '/') return false;
  request.target = target;
  const std::size_t mark = target.find('?');
  auto path = PercentDecode(target.substr(0, mark), false);
  if (!path) return false;
  request.path = std::move(*path);
  if (mark == std::string_view::npos) return true;
  for (const std::string_view pair : Split(target.substr(mark + 1), '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto key = PercentDecode(pair.substr(0, equals), true);
    auto value = PercentDecode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!key || !value) return false;
    request.query.emplace_back(std::move(*key), std::move(*value));
  }
  return true;
}

}  // namespace capstan::httpserver

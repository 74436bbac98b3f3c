// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/warning_header.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "capstan/runtime/decoder.h"
#include "capstan/text.h"

namespace capstan::rest {
namespace {

constexpr std::size_t kWarningsMax = 64;
constexpr std::size_t kCodeDigits = 3;
constexpr std::string_view kSpaces = " \t";

void SkipSpaces(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpaces), rest.size()));
}

// Takes the text up to the next space.
std::string_view TakeWord(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(kSpaces));
  rest.remove_prefix(word.size());
  return word;
}

std::optional<int> ParseCode(std::string_view word) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (word.size() != kCodeDigits || !std::all_of(word.begin(), word.end(), is_digit)) {
    return std::nullopt;
  }
  int code = 0;
  for (const char digit : word) code = code * 10 + (digit - '0');
  return code;
}

// Takes a quoted string with its quotes, and returns its text without escapes.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      return text;
    }
    if (rest[at] == '\\' && ++at == rest.size()) break;
    text += rest[at];
  }
  return std::nullopt;
}

// Returns `text` without control characters and invalid UTF-8, and cut to the length of a message.
std::string Clean(std::string_view text) {
  constexpr unsigned char kFirstPrintable = 0x20;
  constexpr unsigned char kDelete = 0x7f;
  std::string clean;
  for (const char* p = text.data(); p != text.data() + text.size();) {
    const std::size_t length = Utf8SequenceLength(p, text.data() + text.size());
    const auto first = static_cast<unsigned char>(*p);
    if (length != 0 && first >= kFirstPrintable && first != kDelete) clean.append(p, length);
    p += std::max<std::size_t>(length, 1);
  }
  return std::string(runtime::Excerpt(clean));
}

// Takes one warning: code SP agent SP quoted-text [SP quoted-date].
std::optional<Warning> TakeWarning(std::string_view& rest) {
  Warning warning;
  const auto code = ParseCode(TakeWord(rest));
  if (!code) return std::nullopt;
  warning.code = *code;
  SkipSpaces(rest);
  warning.agent = Clean(TakeWord(rest));
  SkipSpaces(rest);
  const auto text = TakeQuoted(rest);
  if (warning.agent.empty() || !text) return std::nullopt;
  warning.text = Clean(*text);
  SkipSpaces(rest);
  if (rest.starts_with('"') && !TakeQuoted(rest)) return std::nullopt;
  SkipSpaces(rest);
  return warning;
}

}  // namespace

std::vector<Warning> ParseWarningHeader(std::string_view value) {
  std::vector<Warning> warnings;
  SkipSpaces(value);
  while (!value.empty() && warnings.size() < kWarningsMax) {
    auto warning = TakeWarning(value);
    if (!warning || (!value.empty() && value.front() != ',')) break;
    if (!warning->text.empty()) warnings.push_back(*std::move(warning));
    if (!value.empty()) value.remove_prefix(1);
    SkipSpaces(value);
  }
  return warnings;
}

}  // namespace capstan::rest

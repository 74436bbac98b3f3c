// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/go_regexp.h"

#include <algorithm>
#include <cstdint>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

constexpr std::int64_t kMemoryMax = std::int64_t{64} << 20U;

RE2::Options Options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryMax);
  return options;
}

// RE2 before 2023 reads "(?P<name>", and not "(?<name>". A "(?<" inside a quotation (\Q..\E), an
// escape sequence or a class is text, and stays.
std::string WithP(std::string_view expression) {
  // A class may begin with "]" or "^]", which does not end it.
  const std::string member = R"((?:\[:\^?\w+:\]|\\.|[^\\\]^]))";
  const std::string first = R"((?:\^(?:\]|\^|)" + member + R"()|\]|)" + member + ")";
  const std::string in_class = R"(\[)" + first + R"((?:\^|)" + member + R"()*\])";
  static const RE2 group(R"((?s)((?:\\Q.*?(?:\\E|$)|\\[^Q]|[^\\\[]|)" + in_class +
                         R"()*?)\(\?<(.))");
  re2::StringPiece rest(expression.data(), expression.size());
  std::string out;
  std::string before;
  std::string next;
  while (RE2::Consume(&rest, group, &before, &next)) {
    out.append(before).append("(?P<").append(next);
  }
  return out.append(rest.data(), rest.size());
}

std::string_view Text(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case RE2::ErrorPatternTooLarge:
      return "expression too large";
    case RE2::NoError:
      return "";
    case RE2::ErrorInternal:
      break;
  }
  return "regexp/syntax: internal error";
}

}  // namespace

GoRegexp::GoRegexp(std::string_view expression)
    : compiled_(std::make_unique<const RE2>(WithP(expression), Options())) {
  if (compiled_->ok()) return;
  std::string where = compiled_->error_arg();
  if (expression.find(where) == std::string_view::npos) {
    RE2::GlobalReplace(&where, R"(\(\?P<)", "(?<");
  }
  error_ =
      "error parsing regexp: " + std::string(Text(compiled_->error_code())) + ": `" + where + "`";
}

std::optional<std::string> GoRegexp::Find(std::string_view text) const {
  const auto found = FindAll(text, 1);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

// As Go's FindAll: an empty match right behind another match does not count.
std::vector<std::string> GoRegexp::FindAll(std::string_view text, std::size_t count_max) const {
  std::vector<std::string> parts;
  const re2::StringPiece whole(text.data(), text.size());
  std::size_t at = 0;
  std::size_t last_end = std::string_view::npos;
  re2::StringPiece match;
  while (parts.size() < count_max && at <= text.size() &&
         compiled_->Match(whole, at, text.size(), RE2::UNANCHORED, &match, 1)) {
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    if (!match.empty() || begin != last_end) parts.emplace_back(match.data(), match.size());
    last_end = end;
    at = end;
    if (!match.empty()) continue;
    if (end == text.size()) break;
    at +=
        std::max<std::size_t>(Utf8SequenceLength(text.data() + end, text.data() + text.size()), 1);
  }
  return parts;
}

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/mail_address.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "capstan/text.h"
#include "clientgo/cel/utf8.h"
#include "clientgo/testing/apiserver/types/string_formats.h"

namespace capstan::testing::apiserver {
namespace {

// All bytes of a character outside of ASCII are visible. The text is valid UTF-8.
bool IsVisible(char c) { return (c >= '!' && c <= '~') || static_cast<unsigned char>(c) >= 0x80; }
bool IsSpace(char c) { return c == ' ' || c == '\t'; }
bool IsAtomText(char c) {
  return IsVisible(c) && std::string_view("()<>[]:;@\\,\"").find(c) == std::string_view::npos;
}

// Reports whether the word is encoded (RFC 2047) in a charset that Go does not know.
bool HasUnknownCharset(std::string_view word) {
  constexpr std::size_t kShortest = 8;
  if (word.size() < kShortest || !word.starts_with("=?") || !word.ends_with("?=") ||
      std::count(word.begin(), word.end(), '?') != 4) {
    return false;
  }
  word.remove_prefix(2);
  const std::string charset = LowerAscii(word.substr(0, word.find('?')));
  const std::string encoding = LowerAscii(word.substr(charset.size() + 1, 2));
  if (charset.empty() || (encoding != "q?" && encoding != "b?")) return false;
  return charset != "utf-8" && charset != "iso-8859-1" && charset != "us-ascii";
}

// AddressParser takes the parts of an address from the start of a text. Its functions return false
// for an error.
class AddressParser {
 public:
  explicit AddressParser(std::string_view text) : rest_(text) {}

  bool ParseSingle() {
    std::size_t count = 0;
    return ParseAddress(true, count) && SkipComments() && rest_.empty() && count == 1;
  }

 private:
  bool ParseAddress(bool groups, std::size_t& count);
  bool ParseGroup(std::size_t& count);
  bool TakeSpec();
  bool TakePhrase();
  bool TakeQuoted(std::string_view& content);
  bool TakeAtom(bool permissive, std::string_view& atom);
  bool TakeDomainLiteral();
  bool TakeComment();
  bool SkipComments();
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipSpace() {
    while (!rest_.empty() && IsSpace(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

bool AddressParser::ParseAddress(bool groups, std::size_t& count) {
  SkipSpace();
  if (rest_.empty()) return false;
  if (TakeSpec()) {
    SkipSpace();
    ++count;
    if (!Take('(')) return true;
    const std::string_view before = rest_;
    if (!TakeComment()) return false;
    const std::string_view comment = before.substr(0, before.size() - rest_.size() - 1);
    const auto words = Split(comment, ' ');
    return std::none_of(words.begin(), words.end(), HasUnknownCharset);
  }
  if (!rest_.starts_with('<') && !TakePhrase()) return false;
  SkipSpace();
  if (groups && Take(':')) return ParseGroup(count);
  ++count;
  return Take('<') && TakeSpec() && Take('>');
}

bool AddressParser::ParseGroup(std::size_t& count) {
  SkipSpace();
  if (Take(';')) return SkipComments();
  do {
    SkipSpace();
    if (!ParseAddress(false, count) || !SkipComments()) return false;
    if (Take(';')) return SkipComments();
  } while (Take(','));
  return false;
}

// On an error, nothing is taken.
bool AddressParser::TakeSpec() {
  const std::string_view before = rest_;
  std::string_view local;
  SkipSpace();
  bool valid =
      rest_.starts_with('"') ? TakeQuoted(local) && !local.empty() : TakeAtom(false, local);
  valid = valid && Take('@');
  if (valid) {
    SkipSpace();
    valid = rest_.starts_with('[') ? TakeDomainLiteral() : TakeAtom(false, local);
  }
  if (!valid) rest_ = before;
  return valid;
}

bool AddressParser::TakePhrase() {
  for (bool first = true;; first = false) {
    if (!first && !SkipComments()) return false;
    SkipSpace();
    if (rest_.empty()) return true;
    std::string_view word;
    const bool quoted = rest_.starts_with('"');
    const bool taken = quoted ? TakeQuoted(word) : TakeAtom(true, word) && !HasUnknownCharset(word);
    if (!taken) return !first;
  }
}

bool AddressParser::TakeQuoted(std::string_view& content) {
  bool escaped = false;
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    const char c = rest_[i];
    if (!IsVisible(c) && !IsSpace(c)) return false;
    if (escaped) {
      escaped = false;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      content = rest_.substr(1, i - 1);
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool AddressParser::TakeAtom(bool permissive, std::string_view& atom) {
  const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), IsAtomText);
  atom = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  if (atom.empty()) return false;
  rest_.remove_prefix(atom.size());
  return permissive || (!atom.starts_with('.') && !atom.ends_with('.') &&
                        atom.find("..") == std::string_view::npos);
}

bool AddressParser::TakeDomainLiteral() {
  const std::size_t end = rest_.find(']');
  if (end == std::string_view::npos) return false;
  const bool valid = IsIpAddress(rest_.substr(1, end - 1));
  rest_.remove_prefix(end + 1);
  return valid;
}

// The parenthesis is taken already.
bool AddressParser::TakeComment() {
  for (int depth = 1; !rest_.empty(); rest_.remove_prefix(1)) {
    if (rest_.front() == '\\' && rest_.size() > 1) {
      rest_.remove_prefix(1);
    } else if (rest_.front() == '(') {
      ++depth;
    } else if (rest_.front() == ')' && --depth == 0) {
      rest_.remove_prefix(1);
      return true;
    }
  }
  return false;
}

bool AddressParser::SkipComments() {
  SkipSpace();
  while (Take('(')) {
    if (!TakeComment()) return false;
    SkipSpace();
  }
  return true;
}

}  // namespace

bool IsMailAddress(std::string_view text) {
  return cel::IsUtf8(text) && AddressParser(text).ParseSingle();
}

}  // namespace capstan::testing::apiserver

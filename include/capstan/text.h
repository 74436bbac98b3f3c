// SPDX-License-Identifier: Apache-2.0
// Functions on short texts: case, escapes, white space, lists. They treat only ASCII characters,
// copy other bytes unchanged, and do not depend on the locale. Pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/export.h"

namespace capstan {

constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAsciiAlphanumeric(char c) { return IsAsciiLetter(c) || IsAsciiDigit(c); }

CAPSTAN_EXPORT char LowerAscii(char c);
CAPSTAN_EXPORT std::string LowerAscii(std::string_view text);

CAPSTAN_EXPORT bool EqualIgnoringCase(std::string_view a, std::string_view b);

// Returns the value of a hexadecimal digit of either case, or -1 for any other character.
CAPSTAN_EXPORT int HexDigit(char c);

// Replaces every byte except letters, digits and the characters of `also_plain` by %XX, with
// upper-case digits.
CAPSTAN_EXPORT std::string PercentEncode(std::string_view text, std::string_view also_plain);

// Replaces every valid escape. Invalid escapes stay unchanged.
CAPSTAN_EXPORT std::string PercentDecode(std::string_view text);

// Returns `text` without the bytes of `spaces` at both ends. A view into `text`.
CAPSTAN_EXPORT std::string_view Trim(std::string_view text, std::string_view spaces);

// Returns the length of the UTF-8 sequence at the start of [p, end), or 0 if there is none. Rejects
// overlong forms, surrogates and code points above U+10FFFF. REQUIRES: p != end.
CAPSTAN_EXPORT std::size_t Utf8SequenceLength(const char* p, const char* end);

// Returns at most `bytes_max` bytes of `text`, and does not cut a UTF-8 character. A view into
// `text`.
CAPSTAN_EXPORT std::string_view TruncateUtf8(std::string_view text, std::size_t bytes_max);

// Replaces each byte that belongs to no UTF-8 sequence by U+FFFD, as Go's encoding/json does.
CAPSTAN_EXPORT std::string ToValidUtf8(std::string text);

// Returns the parts between the separators, without empty parts. Views into `text`.
CAPSTAN_EXPORT std::vector<std::string_view> Split(std::string_view text, char separator);

// Returns the items of a range with `separator` between them. `text` is a function or a member of
// the items, and not needed for strings. Mirrors strings.Join.
template <class Range, class Text = std::identity>
std::string Join(const Range& items, std::string_view separator, Text text = {}) {
  std::string joined;
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) joined += separator;
    joined += std::invoke(text, item);
  }
  return joined;
}

// Parses a boolean as Go's strconv.ParseBool: 1, t, T, true, True, TRUE and their opposites.
CAPSTAN_EXPORT std::optional<bool> ParseBool(std::string_view text);

// Reports whether `text` consists of RFC 1123 labels with dots between them. A label has the
// characters [a-z0-9-] and begins and ends with a letter or digit. There is no limit on the length.
CAPSTAN_EXPORT bool IsDnsSubdomain(std::string_view text);

}  // namespace capstan

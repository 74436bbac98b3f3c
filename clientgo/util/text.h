// SPDX-License-Identifier: Apache-2.0
// What is done to short texts in more than one place: case, escapes, white space, lists. ASCII
// only: other bytes are left as they are, whatever the locale. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clientgo::util {

char LowerAscii(char c);
std::string LowerAscii(std::string_view text);

bool EqualIgnoringCase(std::string_view a, std::string_view b);

// The value of a hexadecimal digit of either case; -1: it is none.
int HexDigit(char c);

// All but letters, digits and what `also_plain` holds becomes %XX, with upper-case digits.
std::string PercentEncode(std::string_view text, std::string_view also_plain);

// Lenient: what is no escape stays as it is.
std::string PercentDecode(std::string_view text);

// Without the bytes in `spaces` at both ends. A view into `text`.
std::string_view Trim(std::string_view text, std::string_view spaces);

// Returns the length of the UTF-8 sequence at the start of [p, end), or 0 if there is none. Rejects
// overlong forms, surrogates and code points above U+10FFFF. REQUIRES: p != end.
std::size_t Utf8SequenceLength(const char* p, const char* end);

// Returns at most `bytes_max` bytes of `text`, and does not cut a UTF-8 character. A view into
// `text`.
std::string_view TruncateUtf8(std::string_view text, std::size_t bytes_max);

// What is between the separators, without the empty parts. Views into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

// 1, t, T, true, True, TRUE and their opposites, as Go's strconv.ParseBool.
std::optional<bool> ParseBool(std::string_view text);

// Of any length: RFC 1123 labels, [a-z0-9-] that begin and end with a letter or digit, with dots
// between. Without a dot it is a label itself.
bool IsDnsSubdomain(std::string_view text);

}  // namespace clientgo::util

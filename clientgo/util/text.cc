// SPDX-License-Identifier: Apache-2.0
#include "capstan/text.h"

#include <algorithm>
#include <array>

namespace capstan {
namespace {

bool IsLowerAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || IsAsciiDigit(c); }

}  // namespace

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = LowerAscii(c);
  return out;
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return LowerAscii(x) == LowerAscii(y); });
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string PercentEncode(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsAsciiAlphanumeric(c) || also_plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', kHex[byte >> 4U], kHex[byte & 0xfU]});
    }
  }
  return out;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool room = text[i] == '%' && i + 2 < text.size();
    const int high = room ? HexDigit(text[i + 1]) : -1;
    const int low = room ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[i];
    } else {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string_view Trim(std::string_view text, std::string_view spaces) {
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::size_t Utf8SequenceLength(const char* p, const char* end) {
  const auto byte = [p](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (static_cast<std::size_t>(end - p) < length) return 0;
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

std::string_view TruncateUtf8(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string ToValidUtf8(std::string text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  const char* const end = text.data() + text.size();
  std::string valid;
  const char* copied = text.data();
  for (const char* p = text.data(); p != end;) {
    const std::size_t length = Utf8SequenceLength(p, end);
    if (length == 0) {
      valid.append(copied, p).append(kReplacement);
      copied = p + 1;
    }
    p += std::max<std::size_t>(length, 1);
  }
  if (copied == text.data()) return text;
  return valid.append(copied, end);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<bool> ParseBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end()) return false;
  return std::nullopt;
}

bool IsDnsSubdomain(std::string_view text) {
  char previous = '.';
  for (const char c : text) {
    if (!IsLowerAlphanumeric(c) && c != '-' && c != '.') return false;
    // A label neither begins nor ends with a dash, and is not empty.
    if (previous == '.' && !IsLowerAlphanumeric(c)) return false;
    if (c == '.' && previous == '-') return false;
    previous = c;
  }
  return IsLowerAlphanumeric(previous);
}

}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/text.h"

#include <cstddef>
#include <cstdint>

namespace controllers::readinessgate {
namespace {

constexpr std::size_t kNameBytesMax = 63;
constexpr std::size_t kDnsBytesMax = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }

// Bytes of the UTF-8 character that `text` starts with; 0: it starts with none.
std::size_t CharacterBytes(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = at(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xc0U) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  if (first == 0xe0 && at(1) < 0xa0) return 0;
  if (first == 0xed && at(1) > 0x9f) return 0;
  if (first == 0xf0 && at(1) < 0x90) return 0;
  if (first == 0xf4 && at(1) > 0x8f) return 0;
  return bytes;
}

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\"\\";
  constexpr std::string_view kNames = "abfnrtv\"\\";
  constexpr const char* kHex = "0123456789abcdef";
  if (const std::size_t at = kSpecial.find(c); at != std::string_view::npos) {
    out += '\\';
    out += kNames[at];
    return;
  }
  const auto byte = static_cast<std::uint8_t>(c);
  out += "\\x";
  out += kHex[byte >> 4U];
  out += kHex[byte & 0xfU];
}

// [A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?, at most 63 bytes.
std::string WhyNotName(std::string_view name) {
  if (name.empty()) return "its name is empty";
  if (name.size() > kNameBytesMax) return "its name is longer than 63 bytes";
  for (const char c : name) {
    if (!IsAlphanumeric(c) && c != '-' && c != '_' && c != '.') {
      return Quote({&c, 1}) + " is not allowed";
    }
  }
  if (!IsAlphanumeric(name.front()) || !IsAlphanumeric(name.back())) {
    return "it has to start and end with a letter or digit";
  }
  return {};
}

std::string WhyNotQualifiedName(std::string_view key, bool capitals) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return WhyNotName(key);
  if (key.find('/', slash + 1) != std::string_view::npos) return "it has more than one '/'";
  std::string prefix(key.substr(0, slash));
  for (char& c : prefix) {
    if (capitals && IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  if (std::string why = WhyNotDnsName(prefix); !why.empty()) {
    return "before the '/' has to be a DNS name: " + why;
  }
  return WhyNotName(key.substr(slash + 1));
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const char c = text.front();
    if (bytes == 1 && (c < ' ' || c == '"' || c == '\\' || c == '\x7f')) {
      AppendEscaped(out, c);
    } else if (bytes == 0) {
      AppendEscaped(out, c);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out += '"';
}

std::string Clip(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const std::string_view character = bytes == 0 ? kReplacement : text.substr(0, bytes);
    if (out.size() + character.size() > bytes_max) break;
    out += character;
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::string WhyNotLabelKey(std::string_view key) { return WhyNotQualifiedName(key, false); }
std::string WhyNotAnnotationKey(std::string_view key) { return WhyNotQualifiedName(key, true); }
std::string WhyNotLabelValue(std::string_view value) {
  if (value.empty()) return {};
  if (value.size() > kNameBytesMax) return "it is longer than 63 bytes";
  return WhyNotName(value);
}

std::string WhyNotDnsName(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.size() > kDnsBytesMax) return "it is longer than 253 bytes";
  char before = '.';
  for (const char c : name) {
    if (!IsLower(c) && !IsDigit(c) && c != '-' && c != '.') {
      return Quote({&c, 1}) + " is not allowed";
    }
    const bool starts = before == '.';
    if ((starts && (c == '-' || c == '.')) || (c == '.' && before == '-')) {
      return "each part has to start and end with a letter or digit";
    }
    before = c;
  }
  if (before == '-' || before == '.')
    return "each part has to start and end with a letter or digit";
  return {};
}

}  // namespace controllers::readinessgate

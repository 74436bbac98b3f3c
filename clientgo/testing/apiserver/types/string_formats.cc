// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/string_formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/cel/timestamps.h"
#include "clientgo/cel/url.h"
#include "clientgo/testing/apiserver/types/mail_address.h"

namespace capstan::testing::apiserver {
namespace {

bool IsHex(char c) { return IsAsciiDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool AllHex(std::string_view text) { return std::all_of(text.begin(), text.end(), IsHex); }

bool ParsesAs(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return text.find('\0') == std::string_view::npos &&
         inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

// Returns the text without leading zeros in decimal numbers, which ParseIPSloppy of
// k8s.io/utils/net ignores.
std::string WithoutZeros(std::string_view text) {
  const std::size_t tail = text.rfind(':') == std::string_view::npos ? 0 : text.rfind(':') + 1;
  std::string kept(text.substr(0, tail));
  for (std::size_t i = tail; i < text.size(); ++i) {
    const bool starts = i == tail || text[i - 1] == '.';
    while (starts && text[i] == '0' && i + 1 < text.size() && IsAsciiDigit(text[i + 1])) ++i;
    kept += text[i];
  }
  return kept;
}

bool IsIpv4(std::string_view text) {
  return text.find('.') != std::string_view::npos && IsIpAddress(WithoutZeros(text));
}
bool IsIpv6(std::string_view text) {
  return text.find(':') != std::string_view::npos && IsIpAddress(text);
}

bool IsCidrNotation(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string address = WithoutZeros(text.substr(0, slash));
  std::string_view mask = text.substr(slash + 1);
  if (mask.empty() || !std::all_of(mask.begin(), mask.end(), IsAsciiDigit)) return false;
  while (mask.size() > 1 && mask.front() == '0') mask.remove_prefix(1);
  const bool v4 = ParsesAs(AF_INET, address);
  if (mask.size() > 3 || (!v4 && !ParsesAs(AF_INET6, address))) return false;
  return std::stoi(std::string(mask)) <= (v4 ? 32 : 128);
}

// Reports whether there are 6, 8 or 20 bytes: 00:00:5e:00:53:01, 00-00-5e-00-53-01,
// 0000.5e00.5301 or 00005e005301.
bool IsMac(std::string_view text) {
  constexpr std::size_t kShortest = 12;
  if (text.size() < kShortest) return false;
  const auto has_size = [](std::size_t bytes) { return bytes == 6 || bytes == 8 || bytes == 20; };
  const auto has_groups = [&](std::size_t size, char separator) {
    if ((text.size() + 1) % (size + 1) != 0) return false;
    if (!has_size((text.size() + 1) / (size + 1) * size / 2)) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool valid = i % (size + 1) == size ? text[i] == separator : IsHex(text[i]);
      if (!valid) return false;
    }
    return true;
  };
  if (text[2] == ':' || text[2] == '-') return has_groups(2, text[2]);
  if (text[4] == '.') return has_groups(4, '.');
  return text.size() % 2 == 0 && has_size(text.size() / 2) && AllHex(text);
}

// The pattern of Go without its limits on the number of characters, which are wider than those on
// the number of bytes.
bool IsHostname(std::string_view text) {
  static const cel::GoRegexp pattern(
      R"(^([a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]*)?|)"
      R"(([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\-\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?\.)+)"
      R"([a-zA-Z\p{L}]{2,})$)");
  constexpr std::size_t kHostnameMax = 255;
  constexpr std::size_t kLabelMax = 63;
  if (text.size() > kHostnameMax || !pattern.Matches(text)) return false;
  const auto labels = Split(text, '.');
  return std::all_of(labels.begin(), labels.end(),
                     [](std::string_view label) { return label.size() <= kLabelMax; });
}

bool IsCreditCard(std::string_view text) {
  static const cel::GoRegexp pattern(
      "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      R"(3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), IsAsciiDigit);
  if (!pattern.Matches(digits)) return false;
  int sum = 0;
  bool doubles = false;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, doubles = !doubles) {
    const int number = (*digit - '0') * (doubles ? 2 : 1);
    sum += number >= 10 ? number % 10 + 1 : number;
  }
  return sum % 10 == 0;
}

// Returns the text without white space and dashes.
std::string IsbnDigits(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) {
    return std::string_view(" \t\n\f\r-").find(c) == std::string_view::npos;
  });
  return digits;
}

bool IsIsbn10(std::string_view text) {
  constexpr std::size_t kLast = 9;
  const std::string digits = IsbnDigits(text);
  if (digits.size() != kLast + 1 || !std::all_of(digits.begin(), digits.end() - 1, IsAsciiDigit)) {
    return false;
  }
  if (!IsAsciiDigit(digits[kLast]) && digits[kLast] != 'X') return false;
  int sum = 0;
  for (std::size_t i = 0; i <= kLast; ++i) {
    sum += static_cast<int>(i + 1) * (digits[i] == 'X' ? 10 : digits[i] - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  constexpr std::size_t kSize = 13;
  const std::string digits = IsbnDigits(text);
  if (digits.size() != kSize || !std::all_of(digits.begin(), digits.end(), IsAsciiDigit))
    return false;
  int sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return sum % 10 == 0;
}

bool IsIsbn(std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }

bool IsObjectId(std::string_view text) {
  constexpr std::size_t kSize = 24;
  return text.size() == kSize && AllHex(text);
}

bool IsSocialSecurityNumber(std::string_view text) {
  static const cel::GoRegexp pattern(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
  constexpr std::size_t kSize = 11;
  return text.size() == kSize && pattern.Matches(text);
}

bool IsDate(std::string_view text) { return cel::ParseDate(text).has_value(); }
bool IsDuration(std::string_view text) {
  return cel::ParseFormatDuration(std::string(text)).has_value();
}
bool IsUri(std::string_view text) { return cel::ParseUrl(text).url.has_value(); }
bool IsPassword(std::string_view /*text*/) { return true; }

// Formats that are patterns.
constexpr std::string_view kByte =
    "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$";
constexpr std::string_view kHexColor = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
constexpr std::string_view kRgbColor =
    R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
    R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)";
constexpr std::string_view kUuid =
    "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
constexpr std::string_view kUuid3 =
    "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
constexpr std::string_view kUuid4 =
    "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
constexpr std::string_view kUuid5 =
    "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";

template <const std::string_view& Pattern>
bool MatchesPattern(std::string_view text) {
  static const cel::GoRegexp pattern(Pattern);
  return pattern.Matches(text);
}

struct StringFormat {
  std::string_view name;
  bool (*matches)(std::string_view text);
};
constexpr std::array kFormats = std::to_array<StringFormat>({
    {"bsonobjectid", IsObjectId},
    {"byte", MatchesPattern<kByte>},
    {"cidr", IsCidrNotation},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"datetime", cel::IsDateTime},
    {"duration", IsDuration},
    {"email", IsMailAddress},
    {"hexcolor", MatchesPattern<kHexColor>},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4},
    {"ipv6", IsIpv6},
    {"isbn", IsIsbn},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"mac", IsMac},
    {"password", IsPassword},
    {"rgbcolor", MatchesPattern<kRgbColor>},
    {"ssn", IsSocialSecurityNumber},
    {"uri", IsUri},
    {"uuid", MatchesPattern<kUuid>},
    {"uuid3", MatchesPattern<kUuid3>},
    {"uuid4", MatchesPattern<kUuid4>},
    {"uuid5", MatchesPattern<kUuid5>},
});

const StringFormat* FindFormat(std::string_view name) {
  std::string normal(name);
  normal.erase(std::remove(normal.begin(), normal.end(), '-'), normal.end());
  const auto* const found =
      std::find_if(kFormats.begin(), kFormats.end(),
                   [&](const StringFormat& format) { return format.name == normal; });
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace

bool IsIpAddress(std::string_view text) {
  return ParsesAs(AF_INET, text) || ParsesAs(AF_INET6, text);
}

bool IsKnownFormat(std::string_view format) { return FindFormat(format) != nullptr; }

bool HasFormat(std::string_view format, std::string_view text) {
  const StringFormat* const known = FindFormat(format);
  return known == nullptr || known->matches(text);
}

}  // namespace capstan::testing::apiserver

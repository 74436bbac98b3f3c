// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "capstan/text.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

std::optional<double> ParseSpecialFloat(std::string_view text) {
  const std::string lower = LowerAscii(text);
  const std::string_view word =
      lower.starts_with('+') || lower.starts_with('-') ? std::string_view(lower).substr(1) : lower;
  if (lower == "nan") return std::nan("");
  if (word != "inf" && word != "infinity") return std::nullopt;
  return lower.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
}

}  // namespace

std::string FixedText(double number) {
  std::array<char, 400> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return {text.data(), end};
}

std::optional<double> ParseGoFloat(std::string_view text) {
  if (const auto special = ParseSpecialFloat(text)) return special;
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  // strtod also accepts names such as "nan(x)" and white space.
  if (digits.empty() || !(IsAsciiDigit(digits[0]) || digits[0] == '.')) return std::nullopt;
  if (hex && digits.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isinf(number)) return std::nullopt;
  return number;
}

std::string GoFloatText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  std::array<char, 64> text{};
  const auto [scientific, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific);
  const std::string_view shortest(text.data(), static_cast<std::size_t>(scientific - text.data()));
  const std::size_t e = shortest.find('e');
  const int exponent = std::atoi(std::string(shortest.substr(e + 1)).c_str());
  constexpr int kExponentMin = -4;
  constexpr int kExponentMax = 6;
  const bool fixed = number == 0 || (exponent >= kExponentMin && exponent < kExponentMax);
  if (fixed) return FixedText(number);
  return std::string(shortest);
}

std::optional<std::string> ScalarText(const Value& value) {
  if (const auto* const flag = value.Get<bool>()) return *flag ? "true" : "false";
  if (const auto* const number = value.Get<std::int64_t>()) return std::to_string(*number);
  if (const auto* const number = value.Get<std::uint64_t>()) return std::to_string(*number);
  if (const auto* const number = value.Get<double>()) return GoFloatText(*number);
  if (const auto* const time = value.Get<Timestamp>()) return TimestampText(*time);
  if (const auto* const duration = value.Get<Duration>()) return DurationText(*duration);
  return std::nullopt;
}

}  // namespace capstan::cel

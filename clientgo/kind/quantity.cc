// SPDX-License-Identifier: Apache-2.0
#include "capstan/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "capstan/text.h"

namespace capstan {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kNanosPerUnit = 1000000000;
constexpr std::int64_t kUnitsMax = std::numeric_limits<std::int64_t>::max();
constexpr Wide kQuantityNanosMax = Wide{kUnitsMax} * kNanosPerUnit;
// The digits behind which nothing changes the amount but its rounding.
constexpr int kDigitsMax = 28;
// Larger exponents change nothing: no text has so many digits.
constexpr int kExponentMax = 1 << 29;

struct Suffix {
  std::string_view text;
  int exponent;  // of 10, or of 2 for kBinarySi
};
constexpr std::array<Suffix, 10> kDecimalSuffixes = {{{"n", -9},
                                                      {"u", -6},
                                                      {"m", -3},
                                                      {"", 0},
                                                      {"k", 3},
                                                      {"M", 6},
                                                      {"G", 9},
                                                      {"T", 12},
                                                      {"P", 15},
                                                      {"E", 18}}};
constexpr std::array<Suffix, 6> kBinarySuffixes = {
    {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}}};

struct Scale {
  int exponent;
  Quantity::Format format;
};

// `text` is what follows the number.
std::optional<Scale> ParseSuffix(std::string_view text) {
  for (const Suffix& suffix : kDecimalSuffixes) {
    if (suffix.text == text) return Scale{suffix.exponent, Quantity::Format::kDecimalSi};
  }
  for (const Suffix& suffix : kBinarySuffixes) {
    if (suffix.text == text) return Scale{suffix.exponent, Quantity::Format::kBinarySi};
  }
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if (text.empty() || (plus && text.front() == '-')) return std::nullopt;
  int exponent = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, exponent);
  if (parsed != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    exponent = text.front() == '-' ? -kExponentMax : kExponentMax;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return Scale{std::clamp(exponent, -kExponentMax, kExponentMax),
               Quantity::Format::kDecimalExponent};
}

// An amount of billionths: a number, and whether a smaller rest was dropped.
struct Amount {
  Wide nanos = 0;
  bool rest = false;
};

// Returns number * 10^exponent10 * 2^exponent2 billionths, at most kQuantityNanosMax.
Amount Multiply(Wide number, int exponent10, int exponent2) {
  Amount amount{.nanos = number};
  for (; exponent2 > 0; --exponent2) {
    // Dividing first by ten keeps 128 bits from overflowing; it is exact as long as it can be.
    if (amount.nanos > std::numeric_limits<Wide>::max() / 4) {
      amount.rest = amount.rest || amount.nanos % 10 != 0;
      amount.nanos /= 10;
      ++exponent10;
    }
    amount.nanos *= 2;
  }
  for (; exponent10 > 0 && amount.nanos != 0; --exponent10) {
    if (amount.nanos > kQuantityNanosMax) break;
    amount.nanos *= 10;
  }
  for (; exponent10 < 0 && amount.nanos != 0; ++exponent10) {
    amount.rest = amount.rest || amount.nanos % 10 != 0;
    amount.nanos /= 10;
  }
  if (amount.rest) ++amount.nanos;
  amount.nanos = std::min(amount.nanos, kQuantityNanosMax);
  return amount;
}

// Upstream reads a number without digits as zero, unless it needs more than 64 bits for the scale.
bool MayLackDigits(const Scale& scale) {
  return scale.format == Quantity::Format::kBinarySi ? scale.exponent <= 40 : scale.exponent >= -9;
}

void AppendExponent(std::string& text, int exponent, Quantity::Format format) {
  if (format == Quantity::Format::kDecimalExponent) {
    if (exponent != 0) text.append("e").append(std::to_string(exponent));
    return;
  }
  const auto* const found =
      std::find_if(kDecimalSuffixes.begin(), kDecimalSuffixes.end(),
                   [&](const Suffix& suffix) { return suffix.exponent == exponent; });
  text += found->text;
}

std::string Digits(Wide number) {
  if (number == 0) return "0";
  std::string digits;
  const bool negative = number < 0;
  for (; number != 0; number /= 10) {
    const int digit = static_cast<int>(number % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

std::int64_t Clamp(Wide number) {
  constexpr Wide kMin = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::clamp(number, kMin, Wide{kUnitsMax}));
}

}  // namespace

Quantity Quantity::FromMilli(std::int64_t thousandths) {
  Quantity quantity(thousandths / 1000);
  auto rest = static_cast<std::int32_t>(thousandths % 1000);
  if (rest < 0) {
    --quantity.units_;
    rest += 1000;
  }
  quantity.nanos_ = rest * 1000000;
  return quantity;
}

std::optional<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Wide number = 0;
  int digits = 0;  // significant ones
  int exponent = 9;
  bool any = false;
  bool point = false;
  bool rest = false;
  std::size_t at = 0;
  for (; at < text.size() && (IsAsciiDigit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    any = true;
    if (digits < kDigitsMax) {
      number = number * 10 + (text[at] - '0');
      digits += number != 0 ? 1 : 0;
      exponent -= point ? 1 : 0;
    } else {
      rest = rest || text[at] != '0';
      exponent += point ? 0 : 1;
    }
  }
  const auto scale = ParseSuffix(text.substr(at));
  if (!scale) return std::nullopt;
  const bool binary = scale->format == Format::kBinarySi;
  if (!any && !MayLackDigits(*scale)) return std::nullopt;
  Amount amount =
      Multiply(number, exponent + (binary ? 0 : scale->exponent), binary ? scale->exponent : 0);
  if (rest && !amount.rest && amount.nanos < kQuantityNanosMax) ++amount.nanos;

  Quantity quantity;
  quantity.format_ = scale->format;
  // As upstream: a fraction of one is shown without a binary suffix.
  if (binary && amount.nanos > 0 && amount.nanos < kNanosPerUnit) {
    quantity.format_ = Format::kDecimalSi;
  }
  const Wide nanos = negative ? -amount.nanos : amount.nanos;
  Wide units = nanos / kNanosPerUnit;
  if (nanos % kNanosPerUnit < 0) --units;
  quantity.units_ = static_cast<std::int64_t>(units);
  quantity.nanos_ = static_cast<std::int32_t>(nanos - units * kNanosPerUnit);
  return quantity;
}

std::string Quantity::ToString() const {
  Format format = format_;
  if (format == Format::kBinarySi) {
    if (nanos_ == 0 && (units_ <= -1024 || units_ >= 1024)) {
      std::int64_t number = units_;
      std::string_view suffix;
      for (const Suffix& next : kBinarySuffixes) {
        if (number % 1024 != 0) break;
        number /= 1024;
        suffix = next.text;
      }
      return std::to_string(number).append(suffix);
    }
    format = Format::kDecimalSi;
  }
  Wide number = Wide{units_} * kNanosPerUnit + nanos_;
  int exponent = -9;
  while (number != 0 && number % 1000 == 0 && exponent < 18) {
    number /= 1000;
    exponent += 3;
  }
  if (number == 0) exponent = 0;
  std::string text = Digits(number);
  AppendExponent(text, exponent, format);
  return text;
}

std::int64_t Quantity::value() const {
  // units_ is rounded down, which for a negative amount is away from zero.
  return nanos_ == 0 || units_ < 0 || units_ == kUnitsMax ? units_ : units_ + 1;
}

std::int64_t Quantity::milli() const {
  constexpr std::int32_t kNanosPerMilli = 1000000;
  const std::int32_t up = units_ < 0 ? 0 : kNanosPerMilli - 1;
  return Clamp(Wide{units_} * 1000 + (nanos_ + up) / kNanosPerMilli);
}

}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <system_error>
#include <utility>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::yaml {
namespace {

constexpr std::string_view kTags = "tag:yaml.org,2002:";
constexpr std::string_view kDigits = "0123456789";
constexpr double kExact = 9007199254740992;  // a double has all whole numbers up to 2^53

Value String(std::string text) {
  return {.type = Value::Type::kString, .text = ToValidUtf8(std::move(text))};
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Returns "" if the sign and the digits are no integer. The base follows from the prefix, as in
// Go's strconv: 0x, 0o, 0b, or a zero before other digits. Only a number without a sign may need
// the 64th bit.
std::string Integer(std::string_view text) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const bool negative = text.starts_with('-');
  if (has_sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  const std::uint64_t positive_max = std::numeric_limits<std::int64_t>::max();
  if (has_sign && number > positive_max + (negative ? 1 : 0)) return {};
  return (negative && number != 0 ? "-" : "") + std::to_string(number);
}

std::size_t DigitsAt(std::string_view text) {
  return std::min(text.find_first_not_of(kDigits), text.size());
}

// Reports whether `text` is a decimal fraction, a whole number, or one of them with an exponent.
bool LooksLikeFloat(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = DigitsAt(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    fraction = DigitsAt(text.substr(1));
    text.remove_prefix(1 + fraction);
  }
  if (whole == 0 && fraction == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && DigitsAt(text) == text.size();
}

// Writes a number as Go's encoding/json does: without an exponent unless it is very small or large.
std::string FloatText(double number) {
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  std::array<char, 32> buffer{};
  const auto write = [&](std::chars_format format) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
    return std::string(buffer.data(), end.ptr);
  };
  std::string text = write(plain ? std::chars_format::fixed : std::chars_format::scientific);
  if (!plain || size < kExact) return text;
  // Go writes the digits that distinguish the number from its neighbours, and then zeros.
  std::string digits = write(std::chars_format::scientific);
  digits.resize(digits.find('e'));
  std::erase(digits, '.');
  digits.resize(text.size(), '0');
  return digits;
}

// Returns "" for a text that is no float, or one beyond the range of a double.
std::string Float(const std::string& text) {
  if (!LooksLikeFloat(text)) return {};
  const double number = std::strtod(text.c_str(), nullptr);
  return std::isfinite(number) ? FloatText(number) : "";
}

// Go also reads 0b before a sign.
std::string BinaryWithSignInside(std::string_view text) {
  if (!text.starts_with("0b-") && !text.starts_with("0b+")) return {};
  return Integer(std::string(1, text[2]) + "0b" + std::string(text.substr(3)));
}

// Reports whether each underscore is between digits.
bool SeparatesDigits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size() || DigitsAt(text.substr(i - 1, 1)) == 0 ||
        DigitsAt(text.substr(i + 1, 1)) == 0) {
      return false;
    }
  }
  return true;
}

Value ResolveNumber(const std::string& text) {
  std::string plain = text;
  std::erase(plain, '_');
  const bool is_fraction = text.front() == '.';
  if (is_fraction && !SeparatesDigits(text)) return String(text);
  if (!is_fraction) {
    for (std::string number : {Integer(plain), BinaryWithSignInside(plain)}) {
      if (!number.empty()) return {.type = Value::Type::kInt, .text = std::move(number)};
    }
  }
  std::string number = Float(plain);
  if (number.empty()) return String(text);
  return {.type = Value::Type::kFloat, .text = std::move(number)};
}

Expected<Value> ResolvePlain(const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return Value();
  if (IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return Value{.type = Value::Type::kBool, .boolean = true};
  }
  if (IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return Value{.type = Value::Type::kBool};
  }
  const std::string_view unsigned_text =
      std::string_view(text).substr(text.front() == '-' || text.front() == '+' ? 1 : 0);
  if (IsOneOf(unsigned_text, {".inf", ".Inf", ".INF"})) {
    return Value{.type = Value::Type::kFloat, .text = text.front() == '-' ? "-.inf" : ".inf"};
  }
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) {
    return Value{.type = Value::Type::kFloat, .text = ".nan"};
  }
  const bool may_be_number =
      std::string_view("+-.0123456789").find(text.front()) != std::string_view::npos;
  return may_be_number ? ResolveNumber(text) : String(text);
}

// Removes a number of at most two digits. Returns -1 if there is none.
int TakeNumber(std::string_view& text) {
  const std::size_t digits = std::min<std::size_t>(DigitsAt(text), 2);
  if (digits == 0) return -1;
  int number = 0;
  for (const char c : text.substr(0, digits)) number = number * 10 + (c - '0');
  text.remove_prefix(digits);
  return number;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Removes hours, minutes, and seconds with an optional fraction.
bool TakeClock(std::string_view& text) {
  const auto below = [](int number, int end) { return number >= 0 && number < end; };
  if (!below(TakeNumber(text), 24) || !TakePrefix(text, ":")) return false;
  if (!below(TakeNumber(text), 60) || !TakePrefix(text, ":")) return false;
  if (!below(TakeNumber(text), 60)) return false;
  if (text.size() > 1 && (text.front() == '.' || text.front() == ',')) {
    const std::size_t digits = DigitsAt(text.substr(1));
    if (digits != 0) text.remove_prefix(1 + digits);
  }
  return true;
}

bool IsZone(std::string_view text) {
  if (text == "Z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  if (DigitsAt(text.substr(1)) != 2 || DigitsAt(text.substr(4)) != 2) return false;
  std::string_view hours = text.substr(1);
  std::string_view minutes = text.substr(4);
  return TakeNumber(hours) <= 24 && TakeNumber(minutes) <= 60;
}

// Mirrors parseTimestamp of go-yaml.
bool IsTimestamp(std::string_view text) {
  if (DigitsAt(text) != 4) return false;
  int year = TakeNumber(text) * 100;
  year += TakeNumber(text);
  if (!TakePrefix(text, "-")) return false;
  const int month = TakeNumber(text);
  if (!TakePrefix(text, "-")) return false;
  const int day = TakeNumber(text);
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (month < 1 || day < 1 || !date.ok()) return false;
  if (text.empty()) return true;
  if (TakePrefix(text, "T") || TakePrefix(text, "t")) return TakeClock(text) && IsZone(text);
  if (!TakePrefix(text, " ")) return false;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return TakeClock(text) && text.empty();
}

// Reports whether Go would call a value of this type by this tag.
bool Fits(std::string_view tag, const Value& value) {
  switch (value.type) {
    case Value::Type::kNull:
      return tag == "null";
    case Value::Type::kBool:
      return tag == "bool";
    case Value::Type::kInt:
      return tag == "int";
    case Value::Type::kFloat:
      return tag == "float";
    default:
      return tag == "timestamp" && IsTimestamp(value.text);
  }
}

}  // namespace

Expected<Value> ResolveScalar(std::string_view tag, const std::string& text) {
  if (tag == kPlain) return ResolvePlain(text);
  if (!tag.starts_with(kTags)) return String(text);
  tag.remove_prefix(kTags.size());
  if (tag == "binary") {
    auto bytes = Base64Decode(text);
    if (bytes) return String(*std::move(bytes));
    return Err(ErrorReason::kInvalidArgument, "!!binary is not valid base64");
  }
  if (!IsOneOf(tag, {"bool", "int", "float", "null", "timestamp"})) return String(text);
  auto value = ResolvePlain(text);
  if (!value) return value;
  // Go makes a float of an integer of 64 bits with a sign.
  const bool is_float = tag == "float" && value->type == Value::Type::kInt && KeyOf(*value);
  if (is_float) return Value{.type = Value::Type::kFloat, .text = Float(value->text)};
  if (Fits(tag, *value)) return value;
  return Err(ErrorReason::kInvalidArgument, "the value is not of the type !!" + std::string(tag));
}

std::optional<std::string> KeyOf(const Value& scalar) {
  if (scalar.type == Value::Type::kBool) return scalar.boolean ? "true" : "false";
  if (scalar.type == Value::Type::kString) return scalar.text;
  if (scalar.type == Value::Type::kInt) {
    // Go's map keys hold 64 bits with a sign.
    const bool fits =
        !Integer(scalar.text.front() == '-' ? scalar.text : "+" + scalar.text).empty();
    return fits ? std::optional(scalar.text) : std::nullopt;
  }
  if (scalar.type != Value::Type::kFloat) return std::nullopt;
  if (!scalar.IsFinite()) return scalar.text;
  // A float is written with the precision of 32 bits, and an exponent from a million on.
  const double exact = std::strtod(scalar.text.c_str(), nullptr);
  if (std::abs(exact) > std::numeric_limits<float>::max()) return exact < 0 ? "-.inf" : ".inf";
  const auto number = static_cast<float>(exact);
  std::array<char, 32> text{};
  const auto scientific =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific);
  const double size = std::abs(number);
  if (size != 0 && (size < 1e-4 || size >= 1e6)) return std::string(text.data(), scientific.ptr);
  const auto fixed =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return std::string(text.data(), fixed.ptr);
}

}  // namespace capstan::yaml

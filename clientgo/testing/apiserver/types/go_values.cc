// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/go_values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::testing::apiserver {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t DigitsOf(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) -
                                  text.begin());
}

// TimeParser takes the elements of Go's layout from a text.
class TimeParser {
 public:
  TimeParser(std::string_view text, bool micro) : text_(text), rest_(text), micro_(micro) {}
  std::optional<std::string> Parse();

 private:
  bool TakeNumber(std::string_view element, int low, int high, std::string_view name);
  bool TakeText(std::string_view element);
  bool TakeFraction();
  bool TakeZone();
  bool Fail(std::string_view element) {
    const std::string layout = "2006-01-02T15:04:05" + std::string(micro_ ? kMicro : "") + "Z07:00";
    error_ = "parsing time " + Quote(text_) + " as " + Quote(layout) + ": cannot parse " +
             Quote(rest_) + " as " + Quote(element);
    return false;
  }

  static constexpr std::string_view kMicro = ".000000";
  std::string_view text_;
  std::string_view rest_;
  bool micro_;
  std::string error_;
};

bool TimeParser::TakeNumber(std::string_view element, int low, int high, std::string_view name) {
  if (DigitsOf(rest_.substr(0, element.size())) != element.size()) return Fail(element);
  int number = 0;
  for (const char c : rest_.substr(0, element.size())) number = number * 10 + (c - '0');
  if (number < low || number > high) {
    error_ = "parsing time " + Quote(text_) + ": " + std::string(name) + " out of range";
    return false;
  }
  rest_.remove_prefix(element.size());
  return true;
}

bool TimeParser::TakeText(std::string_view element) {
  if (!rest_.starts_with(element)) return Fail(element);
  rest_.remove_prefix(element.size());
  return true;
}

// Go accepts any fraction that the layout does not have.
bool TimeParser::TakeFraction() {
  const bool point = rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',');
  const std::size_t digits = point ? DigitsOf(rest_.substr(1)) : 0;
  if (micro_ && digits < kMicro.size() - 1) return Fail(kMicro);
  if (digits > 0) rest_.remove_prefix(micro_ ? kMicro.size() : digits + 1);
  return true;
}

bool TimeParser::TakeZone() {
  constexpr std::string_view kZone = "Z07:00";
  if (rest_.starts_with('Z')) {
    rest_.remove_prefix(1);
    return true;
  }
  const bool offset = rest_.size() >= kZone.size() && (rest_[0] == '+' || rest_[0] == '-') &&
                      DigitsOf(rest_.substr(1)) == 2 && rest_[3] == ':' &&
                      DigitsOf(rest_.substr(4, 2)) == 2;
  if (!offset) return Fail(kZone);
  rest_.remove_prefix(kZone.size());
  return true;
}

std::optional<std::string> TimeParser::Parse() {
  constexpr int kYearMax = 9999;
  const bool parsed = TakeNumber("2006", 0, kYearMax, "year") && TakeText("-") &&
                      TakeNumber("01", 1, 12, "month") && TakeText("-") &&
                      TakeNumber("02", 1, 31, "day") && TakeText("T") &&
                      TakeNumber("15", 0, 23, "hour") && TakeText(":") &&
                      TakeNumber("04", 0, 59, "minute") && TakeText(":") &&
                      TakeNumber("05", 0, 59, "second") && TakeFraction() && TakeZone();
  if (!parsed) return error_;
  if (rest_.empty()) return std::nullopt;
  return "parsing time " + Quote(text_) + ": extra text: " + Quote(rest_);
}

std::optional<std::string> QuantityError(std::string_view text) {
  constexpr std::array<std::string_view, 16> kSuffixes = {
      "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const std::string_view whole = text;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t before = DigitsOf(text);
  text.remove_prefix(before);
  std::size_t after = 0;
  if (text.starts_with('.')) {
    after = DigitsOf(text.substr(1));
    text.remove_prefix(after + 1);
  }
  if (before + after == 0) {
    return "quantities must match the regular expression "
           "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  if (std::find(kSuffixes.begin(), kSuffixes.end(), text) != kSuffixes.end()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!text.empty() && DigitsOf(text) == text.size()) return std::nullopt;
  }
  // Go distinguishes characters that no suffix has.
  const std::size_t at = whole.find_first_not_of("+-.0123456789eEinumkKMGTP");
  if (at == std::string_view::npos) return "unable to parse quantity's suffix";
  return "quantities must match the regular expression "
         "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

// Returns the byte at which Go rejects padding that begins at `at`, after `digits` digits.
std::optional<std::size_t> BadPaddingByte(std::string_view text, std::size_t at,
                                          std::size_t digits) {
  const auto next = [&] { return std::min(text.find_first_not_of("\r\n", at + 1), text.size()); };
  const std::size_t in_quantum = digits % 4;
  if (in_quantum < 2) return at;
  if (in_quantum == 2) {
    at = next();
    if (at == text.size()) return at;
    if (text[at] != '=') return at - 1;
  }
  at = next();
  return at == text.size() ? std::nullopt : std::optional(at);
}

// Returns the byte at which Go rejects this base64 text.
std::optional<std::size_t> BadBase64Byte(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '+' || c == '/';
    if (c == '=') return BadPaddingByte(text, i, digits);
    if (!digit && c != '\r' && c != '\n') return i;
    if (digit) ++digits;
  }
  if (digits % 4 != 0) return text.size() - digits % 4;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindBadValue(runtime::FieldType type, const runtime::JsonValue& value) {
  switch (type) {
    case runtime::FieldType::kTime:
    case runtime::FieldType::kMicroTime:
      return TimeParser(runtime::ToView(value), type == runtime::FieldType::kMicroTime).Parse();
    case runtime::FieldType::kQuantity:
      return QuantityError(value.IsString() ? std::string(runtime::ToView(value))
                                            : runtime::ToJson(value));
    case runtime::FieldType::kBytes: {
      const auto at = BadBase64Byte(runtime::ToView(value));
      if (!at) return std::nullopt;
      return "illegal base64 data at input byte " + std::to_string(*at);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace capstan::testing::apiserver

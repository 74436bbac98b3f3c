// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cert/der.h"

#include <cstddef>

namespace capstan::cert {
namespace {

constexpr std::uint8_t ByteAt(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// Reads numbers of fixed width from the front of a text.
class Digits {
 public:
  explicit Digits(std::string_view text) : rest_(text) {}

  // Returns a number of `count` digits that is between `min` and `max`.
  std::optional<int> Number(std::size_t count, int min, int max) {
    if (rest_.size() < count) return std::nullopt;
    int number = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    if (number < min || number > max) return std::nullopt;
    return number;
  }

  // Returns the offset from UTC in minutes: of "Z", or of "+0100", which is not zero.
  std::optional<int> Zone() {
    if (rest_ == "Z") return 0;
    if (rest_.size() != 5 || (rest_.front() != '+' && rest_.front() != '-')) return std::nullopt;
    const int sign = rest_.front() == '+' ? 1 : -1;
    rest_.remove_prefix(1);
    const auto hours = Number(2, 0, 24);
    const auto minutes = Number(2, 0, 59);
    if (!hours || !minutes || *hours + *minutes == 0) return std::nullopt;
    return sign * (*hours * 60 + *minutes);
  }

  bool AtDigit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

 private:
  std::string_view rest_;
};

// Parses what follows the year. A UTCTime may leave out the seconds.
std::optional<std::chrono::sys_seconds> TimeInYear(int year, Digits digits, bool seconds_needed) {
  const auto month = digits.Number(2, 1, 12);
  const auto day = digits.Number(2, 1, 31);
  const auto hour = digits.Number(2, 0, 23);
  const auto minute = digits.Number(2, 0, 59);
  if (!month || !day || !hour || !minute) return std::nullopt;
  std::optional<int> second = 0;
  if (seconds_needed || digits.AtDigit()) second = digits.Number(2, 0, 59);
  const auto zone = digits.Zone();
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!second || !zone || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) - std::chrono::minutes(*zone);
}

}  // namespace

std::optional<DerReader::Value> DerReader::ReadAny() {
  if (rest_.size() < 2) return std::nullopt;
  const std::uint8_t tag = ByteAt(rest_, 0);
  if ((tag & 0x1fU) == 0x1fU) return std::nullopt;  // more bytes of a tag
  std::size_t header = 2;
  std::size_t length = ByteAt(rest_, 1);
  if ((length & 0x80U) != 0) {
    const std::size_t count = length & 0x7fU;
    if (count == 0 || count > 4 || rest_.size() < 2 + count) return std::nullopt;
    length = 0;
    for (std::size_t i = 0; i < count; ++i) length = length << 8U | ByteAt(rest_, 2 + i);
    if (length < 0x80 || length >> ((count - 1) * 8) == 0) return std::nullopt;
    header += count;
  }
  if (length > rest_.size() - header) return std::nullopt;
  const Value value{.tag = tag,
                    .content = rest_.substr(header, length),
                    .whole = rest_.substr(0, header + length)};
  rest_.remove_prefix(header + length);
  return value;
}

std::optional<DerReader::Value> DerReader::Read(std::uint8_t tag) {
  auto value = ReadAny();
  if (value && value->tag != tag) return std::nullopt;
  return value;
}

std::optional<DerReader> DerReader::Enter(std::uint8_t tag) {
  const auto value = Read(tag);
  if (!value) return std::nullopt;
  return DerReader(value->content);
}

std::optional<bool> DerReader::ReadBoolean() {
  const auto value = Read(der_tag::kBoolean);
  if (!value || value->content.size() != 1) return std::nullopt;
  const std::uint8_t byte = ByteAt(value->content, 0);
  if (byte != 0 && byte != 0xff) return std::nullopt;
  return byte == 0xff;
}

std::optional<std::string_view> DerReader::ReadInteger(std::uint8_t tag) {
  const auto value = Read(tag);
  if (!value || value->content.empty()) return std::nullopt;
  if (value->content.size() > 1) {
    const std::uint8_t first = ByteAt(value->content, 0);
    const bool negative = (ByteAt(value->content, 1) & 0x80U) != 0;
    if (first == (negative ? 0xff : 0)) return std::nullopt;
  }
  return value->content;
}

std::optional<std::int64_t> DerReader::ReadInt64(std::uint8_t tag) {
  const auto bytes = ReadInteger(tag);
  if (!bytes || bytes->size() > 8) return std::nullopt;
  std::uint64_t number = (ByteAt(*bytes, 0) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : *bytes) number = number << 8U | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(number);
}

std::optional<std::string_view> DerReader::ReadOid() {
  const auto value = Read(der_tag::kOid);
  if (!value || value->content.empty()) return std::nullopt;
  std::uint32_t component = 0;
  bool inside = false;
  for (const char c : value->content) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (!inside && byte == 0x80) return std::nullopt;  // not the shortest form
    if (component >= 1U << 24U) return std::nullopt;
    component = component << 7U | (byte & 0x7fU);
    inside = (byte & 0x80U) != 0;
    if (!inside) component = 0;
  }
  if (inside) return std::nullopt;
  return value->content;
}

std::optional<DerReader::Bits> DerReader::ReadBitString() {
  const auto value = Read(der_tag::kBitString);
  if (!value || value->content.empty()) return std::nullopt;
  const Bits bits{.bytes = value->content.substr(1), .padding = ByteAt(value->content, 0)};
  if (bits.padding > 7 || (bits.bytes.empty() && bits.padding != 0)) return std::nullopt;
  if (bits.padding > 0 &&
      (ByteAt(bits.bytes, bits.bytes.size() - 1) & ((1U << bits.padding) - 1)) != 0) {
    return std::nullopt;
  }
  return bits;
}

std::optional<std::chrono::sys_seconds> DerReader::ReadTime() {
  const auto value = ReadAny();
  if (!value) return std::nullopt;
  Digits digits(value->content);
  if (value->tag == der_tag::kGeneralizedTime) {
    const auto year = digits.Number(4, 0, 9999);
    if (!year) return std::nullopt;
    return TimeInYear(*year, digits, true);
  }
  if (value->tag != der_tag::kUtcTime) return std::nullopt;
  const auto year = digits.Number(2, 0, 99);
  if (!year) return std::nullopt;
  return TimeInYear(*year + (*year < 50 ? 2000 : 1900), digits, false);
}

bool IsPositive(std::string_view integer) {
  return (ByteAt(integer, 0) & 0x80U) == 0 && (integer.size() > 1 || integer[0] != 0);
}

}  // namespace capstan::cert

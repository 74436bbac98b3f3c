// SPDX-License-Identifier: Apache-2.0
// The conversions between types: int("5"), string(5), type(x), dyn(x). Mirrors cel-go's
// ConvertToType functions in common/types.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/number_text.h"
#include "clientgo/cel/timestamps.h"
#include "clientgo/cel/utf8.h"

namespace capstan::cel {
namespace {

Value Identity(Arguments args) { return args[0]; }

Value ConversionError(const Value& from, std::string_view to) {
  return Value::Failure("type conversion error from '" + std::string(from.TypeName()) + "' to '" +
                        std::string(to) + "'");
}

// Reads a decimal number as Go's ParseInt and ParseUint do.
template <class T>
std::optional<T> ParseDecimal(std::string_view digits) {
  constexpr bool kSigned = std::numeric_limits<T>::is_signed;
  if (kSigned && digits.starts_with('+') && !digits.substr(1).starts_with('-')) {
    digits.remove_prefix(1);
  }
  T number{};
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

Value DoubleToInt(Arguments args) {
  const double number = *args[0].Get<double>();
  constexpr double kEdge = 9223372036854775808.0;
  // The edges are excluded, because int64 has no exact double there.
  if (std::isnan(number) || number <= -kEdge || number >= kEdge) {
    return Value::Failure("integer overflow");
  }
  return Value::Int(static_cast<std::int64_t>(number));
}

Value DoubleToUint(Arguments args) {
  const double number = *args[0].Get<double>();
  constexpr double kEdge = 18446744073709551616.0;
  if (std::isnan(number) || number < 0 || number >= kEdge) {
    return Value::Failure("unsigned integer overflow");
  }
  return Value::Uint(static_cast<std::uint64_t>(number));
}

Value UintToInt(Arguments args) {
  const std::uint64_t number = *args[0].Get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Value::Failure("integer overflow");
  }
  return Value::Int(static_cast<std::int64_t>(number));
}

Value IntToUint(Arguments args) {
  const std::int64_t number = *args[0].Get<std::int64_t>();
  if (number < 0) return Value::Failure("unsigned integer overflow");
  return Value::Uint(static_cast<std::uint64_t>(number));
}

Value DurationToInt(Arguments args) { return Value::Int(args[0].Get<Duration>()->nanos); }
Value TimestampToInt(Arguments args) { return Value::Int(args[0].Get<Timestamp>()->seconds); }
Value TextToInt(Arguments args) {
  const auto number = ParseDecimal<std::int64_t>(*args[0].Get<std::string>());
  return number ? Value::Int(*number) : ConversionError(args[0], "int");
}
Value TextToUint(Arguments args) {
  const auto number = ParseDecimal<std::uint64_t>(*args[0].Get<std::string>());
  return number ? Value::Uint(*number) : ConversionError(args[0], "uint");
}

Value IntToDouble(Arguments args) {
  return Value::Double(static_cast<double>(*args[0].Get<std::int64_t>()));
}
Value UintToDouble(Arguments args) {
  return Value::Double(static_cast<double>(*args[0].Get<std::uint64_t>()));
}
Value TextToDouble(Arguments args) {
  const auto number = ParseGoFloat(*args[0].Get<std::string>());
  return number ? Value::Double(*number) : ConversionError(args[0], "double");
}

Value TextToBool(Arguments args) {
  const auto flag = ParseBool(*args[0].Get<std::string>());
  return flag ? Value::Bool(*flag) : ConversionError(args[0], "bool");
}

Value TextToBytes(Arguments args) { return Value::FromBytes(*args[0].Get<std::string>()); }
Value BytesToText(Arguments args) {
  const std::string& bytes = args[0].Get<Bytes>()->bytes;
  if (IsUtf8(bytes)) return Value::String(bytes);
  return Value::Failure("invalid UTF-8 in bytes, cannot convert to string");
}

Value NumberToText(Arguments args) { return Value::String(*ScalarText(args[0])); }

Value TextToDuration(Arguments args) {
  const auto duration = ParseDuration(*args[0].Get<std::string>());
  return duration ? Value::Of(Duration{duration->count()})
                  : ConversionError(args[0], RuntimeName(TypeKind::kDuration));
}

Value TextToTimestamp(Arguments args) {
  const auto time = ParseTimestamp(*args[0].Get<std::string>());
  if (!time) return ConversionError(args[0], RuntimeName(TypeKind::kTimestamp));
  return IsInRange(*time) ? Value::Of(*time) : Value::Failure("timestamp overflow");
}
Value IntToTimestamp(Arguments args) {
  const Timestamp time{.seconds = *args[0].Get<std::int64_t>()};
  return IsInRange(time) ? Value::Of(time) : Value::Failure("timestamp overflow");
}

Value TypeOf(Arguments args) {
  const Value& value = args[0];
  if (value.opaque() != nullptr || value.Is<Optional>()) {
    return Value::OfType(OpaqueType(std::string(value.TypeName())));
  }
  return Value::OfType(SimpleType(value.kind()));
}

constexpr std::array kConversionRows = std::to_array<OverloadRow>({
    {"bool", "bool -> bool", Identity},
    {"bool", "string -> bool", TextToBool},
    {"bytes", "bytes -> bytes", Identity},
    {"bytes", "string -> bytes", TextToBytes},
    {"double", "double -> double", Identity},
    {"double", "int -> double", IntToDouble},
    {"double", "string -> double", TextToDouble},
    {"double", "uint -> double", UintToDouble},
    {"duration", "duration -> duration", Identity},
    {"duration", "string -> duration", TextToDuration},
    {"dyn", "A -> dyn", Identity},
    {"int", "int -> int", Identity},
    {"int", "double -> int", DoubleToInt},
    {"int", "duration -> int", DurationToInt},
    {"int", "string -> int", TextToInt},
    {"int", "timestamp -> int", TimestampToInt},
    {"int", "uint -> int", UintToInt},
    {"string", "string -> string", Identity},
    {"string", "bool -> string", NumberToText},
    {"string", "bytes -> string", BytesToText},
    {"string", "double -> string", NumberToText},
    {"string", "duration -> string", NumberToText},
    {"string", "int -> string", NumberToText},
    {"string", "timestamp -> string", NumberToText},
    {"string", "uint -> string", NumberToText},
    {"timestamp", "timestamp -> timestamp", Identity},
    {"timestamp", "int -> timestamp", IntToTimestamp},
    {"timestamp", "string -> timestamp", TextToTimestamp},
    {"type", "A -> type(A)", TypeOf},
    {"uint", "uint -> uint", Identity},
    {"uint", "double -> uint", DoubleToUint},
    {"uint", "int -> uint", IntToUint},
    {"uint", "string -> uint", TextToUint},
});

}  // namespace

std::span<const OverloadRow> ConversionRows() { return kConversionRows; }

}  // namespace capstan::cel

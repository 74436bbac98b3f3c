// SPDX-License-Identifier: Apache-2.0
// The functions of quantities. Mirrors Kubernetes' cel/library/quantity.go. Differs: an amount
// above the range of int64 is the largest one of that range, as in capstan::Quantity.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/cel/functions.h"

namespace capstan::cel {
namespace {

__extension__ using WideInt = __int128;
constexpr WideInt kNanosPerUnit = 1'000'000'000;

class QuantityValue : public Opaque {
 public:
  QuantityValue(WideInt amount, bool whole, bool sum)
      : nanos(amount), whole_scale(whole), is_sum(sum) {}
  std::string_view type_name() const override { return "kubernetes.Quantity"; }
  bool Equals(const Opaque& other) const override {
    return nanos == static_cast<const QuantityValue&>(other).nanos;
  }
  // The results of add and sub have another type in Go, which == does not know.
  bool IsOnlyLeft() const override { return is_sum; }
  WideInt nanos;
  // Go stores the amount as an int64 without a fraction. It does not call 1000m an integer.
  bool whole_scale;
  bool is_sum;
};

// Returns the billionths of the canonical text of a quantity: digits and a suffix.
WideInt NanosOf(std::string_view text) {
  std::int64_t digits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digits);
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  WideInt nanos = digits;
  if (suffix.starts_with('e')) {
    int exponent = 0;
    std::from_chars(suffix.data() + 1, suffix.data() + suffix.size(), exponent);
    for (int i = -9; i < exponent; ++i) nanos *= 10;
    return nanos;
  }
  constexpr std::string_view kDecimal = "num kMGTPE";
  constexpr std::string_view kBinary = "KMGTPE";
  if (suffix.ends_with('i')) {
    for (std::size_t i = 0; i <= kBinary.find(suffix[0]); ++i) nanos *= 1024;
    return nanos * kNanosPerUnit;
  }
  const std::size_t steps = suffix.empty() ? 3 : kDecimal.find(suffix[0]);
  for (std::size_t i = 0; i < steps; ++i) nanos *= 1000;
  return nanos;
}

// Reports whether Go stores the amount as an int64 without a fraction. REQUIRES: the text is valid.
bool HasWholeScale(std::string_view text) {
  constexpr int kDigitsMax = 18;
  const std::size_t digit = std::min(text.find_first_not_of("+-0"), text.size());
  text.remove_prefix(digit);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, end);
  const std::string_view suffix = text.substr(end);
  const std::size_t point = std::min(number.find('.'), number.size());
  const auto whole = static_cast<int>(point);
  const int fraction = point == number.size() ? 0 : static_cast<int>(number.size() - point) - 1;
  if (suffix.ends_with('i')) {
    const int exponent = 10 * static_cast<int>(std::string_view(" KMGTPE").find(suffix[0]));
    constexpr int kBinaryDigitsMax = 15;
    return fraction == 0 && kBinaryDigitsMax - whole - exponent * 3 / 10 - 1 >= 0;
  }
  int exponent = 0;
  if (suffix.size() > 1) {
    const bool plus = suffix[1] == '+';
    std::from_chars(suffix.data() + (plus ? 2 : 1), suffix.data() + suffix.size(), exponent);
  } else if (!suffix.empty()) {
    exponent = 3 * static_cast<int>(std::string_view("num kMGTPE").find(suffix[0])) - 9;
  }
  return whole + fraction <= kDigitsMax && exponent >= fraction;
}

Value NewQuantity(WideInt nanos, bool whole_scale, bool is_sum) {
  return Value::Of(std::make_shared<const QuantityValue>(nanos, whole_scale, is_sum));
}
const QuantityValue& QuantityOf(const Value& value) {
  return *static_cast<const QuantityValue*>(value.opaque());
}

Value MakeQuantity(Arguments args) {
  const std::string& text = *args[0].Get<std::string>();
  const auto quantity = Quantity::Parse(text);
  if (quantity) return NewQuantity(NanosOf(quantity->ToString()), HasWholeScale(text), false);
  return Value::Failure(
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
Value IsQuantity(Arguments args) {
  return Value::Bool(Quantity::Parse(*args[0].Get<std::string>()).has_value());
}
Value SignOfQuantity(Arguments args) {
  const WideInt nanos = QuantityOf(args[0]).nanos;
  return Value::Int(nanos == 0 ? 0 : (nanos < 0 ? -1 : 1));
}

bool IsWhole(const QuantityValue& quantity) {
  const WideInt units = quantity.nanos / kNanosPerUnit;
  return quantity.whole_scale && units <= std::numeric_limits<std::int64_t>::max() &&
         units >= std::numeric_limits<std::int64_t>::min();
}
Value IsIntegerQuantity(Arguments args) { return Value::Bool(IsWhole(QuantityOf(args[0]))); }
Value QuantityAsInteger(Arguments args) {
  const QuantityValue& quantity = QuantityOf(args[0]);
  if (!IsWhole(quantity)) return Value::Failure("cannot convert value to integer");
  return Value::Int(static_cast<std::int64_t>(quantity.nanos / kNanosPerUnit));
}
Value QuantityAsFloat(Arguments args) {
  return Value::Double(static_cast<double>(QuantityOf(args[0]).nanos) /
                       static_cast<double>(kNanosPerUnit));
}

int CompareQuantities(Arguments args) {
  const WideInt a = QuantityOf(args[0]).nanos;
  const WideInt b = QuantityOf(args[1]).nanos;
  return a == b ? 0 : (a < b ? -1 : 1);
}
Value QuantityIsGreater(Arguments args) { return Value::Bool(CompareQuantities(args) > 0); }
Value QuantityIsLess(Arguments args) { return Value::Bool(CompareQuantities(args) < 0); }
Value QuantityOrder(Arguments args) { return Value::Int(CompareQuantities(args)); }

// Returns the first quantity plus `sign` times the second one, which may be an int.
Value SumOfQuantities(Arguments args, int sign) {
  const QuantityValue& quantity = QuantityOf(args[0]);
  const auto* const units = args[1].Get<std::int64_t>();
  const WideInt other = units != nullptr ? *units * kNanosPerUnit : QuantityOf(args[1]).nanos;
  const bool other_is_whole = units != nullptr || QuantityOf(args[1]).whole_scale;
  // Go leaves out a zero, whatever its scale is.
  const bool whole =
      (quantity.whole_scale || quantity.nanos == 0) && (other_is_whole || other == 0);
  // Go subtracts the lowest int64 as an int64, which overflows.
  const bool lowest = units != nullptr && *units == std::numeric_limits<std::int64_t>::min();
  const int factor = lowest && whole && quantity.nanos >= 0 ? 1 : sign;
  const QuantityValue sum(quantity.nanos + factor * other, whole, true);
  return NewQuantity(sum.nanos, IsWhole(sum), true);
}
Value AddQuantity(Arguments args) { return SumOfQuantities(args, 1); }
Value SubtractQuantity(Arguments args) { return SumOfQuantities(args, -1); }

constexpr std::array kQuantityRows = std::to_array<OverloadRow>({
    {"quantity", "string -> kubernetes.Quantity", MakeQuantity},
    {"isQuantity", "string -> bool", IsQuantity},
    {"sign", "kubernetes.Quantity -> int", SignOfQuantity},
    {"isGreaterThan", ". kubernetes.Quantity, kubernetes.Quantity -> bool", QuantityIsGreater},
    {"isLessThan", ". kubernetes.Quantity, kubernetes.Quantity -> bool", QuantityIsLess},
    {"compareTo", ". kubernetes.Quantity, kubernetes.Quantity -> int", QuantityOrder},
    {"asApproximateFloat", ". kubernetes.Quantity -> double", QuantityAsFloat},
    {"asInteger", ". kubernetes.Quantity -> int", QuantityAsInteger},
    {"isInteger", ". kubernetes.Quantity -> bool", IsIntegerQuantity},
    {"add", ". kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity", AddQuantity},
    {"add", ". kubernetes.Quantity, int -> kubernetes.Quantity", AddQuantity},
    {"sub", ". kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity", SubtractQuantity},
    {"sub", ". kubernetes.Quantity, int -> kubernetes.Quantity", SubtractQuantity},
});

}  // namespace

std::span<const OverloadRow> QuantityRows() { return kQuantityRows; }

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
// The functions of quantities. Mirrors Kubernetes' cel/library/quantity.go. Differs: no amount is
// above 2^126 billionths, about 10^29.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
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

// Scale says how Go stores an amount: as an integer that is multiplied by a power of ten.
struct Scale {
  int exponent = 0;
  bool small = true;  // the integer is an int64, and no big one
  // Go does not call 1000m an integer.
  bool IsWhole() const { return small && exponent >= 0; }
};

class QuantityValue : public Opaque {
 public:
  QuantityValue(WideInt amount, Scale its_scale, bool sum)
      : nanos(amount), scale(its_scale), is_sum(sum) {}
  std::string_view type_name() const override { return "kubernetes.Quantity"; }
  bool Equals(const Opaque& other) const override {
    return nanos == static_cast<const QuantityValue&>(other).nanos;
  }
  // The results of add and sub have another type in Go, which == does not know.
  bool IsOnlyLeft() const override { return is_sum; }
  WideInt nanos;
  Scale scale;
  bool is_sum;
};

// The parts of a text: "1.5", and 3 for "k", or 1 for "Ki".
struct QuantityParts {
  std::string_view number;
  bool negative = false;
  bool binary = false;
  int exponent = 0;  // of 10, or of 1024
};

// REQUIRES: the text is valid.
QuantityParts SplitQuantity(std::string_view text) {
  QuantityParts parts{.number = {}, .negative = text.starts_with('-')};
  text.remove_prefix(std::min(text.find_first_not_of("+-"), text.size()));
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  parts.number = text.substr(0, end);
  const std::string_view suffix = text.substr(end);
  parts.binary = suffix.ends_with('i');
  if (parts.binary) {
    parts.exponent = static_cast<int>(std::string_view(" KMGTPE").find(suffix[0]));
  } else if (suffix.size() > 1) {
    const bool plus = suffix[1] == '+';
    std::from_chars(suffix.data() + (plus ? 2 : 1), suffix.data() + suffix.size(), parts.exponent);
  } else if (!suffix.empty()) {
    parts.exponent = 3 * static_cast<int>(std::string_view("num kMGTPE").find(suffix[0])) - 9;
  }
  return parts;
}

constexpr WideInt kNanosMax = WideInt{1} << 126U;

WideInt Times(WideInt number, int factor) {
  return number > kNanosMax / factor ? kNanosMax : number * factor;
}

// Returns the billionths of an amount, away from zero.
WideInt NanosOf(const QuantityParts& parts) {
  constexpr int kFractionMax = 20;
  WideInt nanos = 0;
  bool rest = false;
  bool in_fraction = false;
  int fraction = 0;
  for (const char c : parts.number) {
    if (c == '.') {
      in_fraction = true;
    } else if (fraction == kFractionMax) {
      rest = rest || c != '0';
    } else {
      nanos = Times(nanos, 10) + (c - '0');
      fraction += in_fraction ? 1 : 0;
    }
  }
  for (int i = 0; parts.binary && i < parts.exponent; ++i) nanos = Times(nanos, 1024);
  const int exponent = 9 - fraction + (parts.binary ? 0 : parts.exponent);
  for (int i = 0; i < exponent && nanos > 0 && nanos < kNanosMax; ++i) nanos = Times(nanos, 10);
  for (int i = 0; i > exponent && nanos > 0; --i) {
    rest = rest || nanos % 10 != 0;
    nanos /= 10;
  }
  if (rest) ++nanos;
  const WideInt most =
      parts.binary ? std::numeric_limits<std::int64_t>::max() * kNanosPerUnit : kNanosMax;
  nanos = std::min(nanos, most);
  return parts.negative ? -nanos : nanos;
}

// Returns how Go stores an amount.
Scale ScaleOf(const QuantityParts& parts, WideInt nanos) {
  constexpr int kDigitsMax = 18;
  constexpr int kBinaryDigitsMax = 15;
  constexpr int kNano = -9;
  const std::string_view number =
      parts.number.substr(std::min(parts.number.find_first_not_of('0'), parts.number.size()));
  const auto whole = static_cast<int>(std::min(number.find('.'), number.size()));
  const int fraction = std::max(static_cast<int>(number.size()) - whole - 1, 0);
  if (parts.binary) {
    if (fraction == 0 && kBinaryDigitsMax - whole - 3 * parts.exponent - 1 >= 0) return {};
    const bool most = nanos == std::numeric_limits<std::int64_t>::max() * kNanosPerUnit;
    return {.exponent = most ? 0 : kNano, .small = false};
  }
  const int exponent = parts.exponent - fraction;
  const bool small = whole + fraction <= kDigitsMax && exponent >= kNano && nanos < kNanosMax &&
                     -nanos < kNanosMax;
  return {.exponent = small ? exponent : kNano, .small = small};
}

Value NewQuantity(WideInt nanos, Scale scale, bool is_sum) {
  return Value::Of(std::make_shared<const QuantityValue>(nanos, scale, is_sum));
}
const QuantityValue& QuantityOf(const Value& value) {
  return *static_cast<const QuantityValue*>(value.opaque());
}

Value MakeQuantity(Arguments args) {
  const std::string& text = *args[0].Get<std::string>();
  if (Quantity::Parse(text)) {
    const QuantityParts parts = SplitQuantity(text);
    const WideInt nanos = NanosOf(parts);
    return NewQuantity(nanos, ScaleOf(parts, nanos), false);
  }
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

// Returns the integer of an amount, without the power of ten.
WideInt UnscaledOf(WideInt nanos, Scale scale) {
  for (int i = -9; i < scale.exponent; ++i) nanos /= 10;
  return nanos;
}
bool IsInt64(WideInt number) {
  return number <= std::numeric_limits<std::int64_t>::max() &&
         number >= std::numeric_limits<std::int64_t>::min();
}

bool IsWhole(const QuantityValue& quantity) {
  return quantity.scale.IsWhole() && IsInt64(quantity.nanos / kNanosPerUnit);
}
Value IsIntegerQuantity(Arguments args) { return Value::Bool(IsWhole(QuantityOf(args[0]))); }
Value QuantityAsInteger(Arguments args) {
  const QuantityValue& quantity = QuantityOf(args[0]);
  if (!IsWhole(quantity)) return Value::Failure("cannot convert value to integer");
  return Value::Int(static_cast<std::int64_t>(quantity.nanos / kNanosPerUnit));
}
// Multiplies by a power of ten as Go does, which rounds a second time.
Value QuantityAsFloat(Arguments args) {
  const QuantityValue& quantity = QuantityOf(args[0]);
  const auto number = static_cast<double>(UnscaledOf(quantity.nanos, quantity.scale));
  return Value::Double(number * std::pow(10.0, quantity.scale.exponent));
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
  const Scale other_scale = units != nullptr ? Scale{} : QuantityOf(args[1]).scale;
  // Go leaves out a zero, whatever its scale is, if both are small.
  const bool small = quantity.scale.small && other_scale.small;
  Scale scale{.exponent = std::min(quantity.scale.exponent, other_scale.exponent), .small = small};
  if (small && other == 0) scale = quantity.scale;
  if (small && other != 0 && quantity.nanos == 0) scale = other_scale;
  // Go subtracts the lowest int64 as an int64, which overflows.
  const bool lowest = units != nullptr && *units == std::numeric_limits<std::int64_t>::min();
  const bool wraps = lowest && scale.IsWhole() && quantity.nanos >= 0 &&
                     IsInt64(UnscaledOf(quantity.nanos, scale));
  const int factor = wraps ? 1 : sign;
  const WideInt sum = quantity.nanos + factor * other;
  scale.small = small && IsInt64(UnscaledOf(sum, scale));
  return NewQuantity(sum, scale, true);
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

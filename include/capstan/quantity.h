// SPDX-License-Identifier: Apache-2.0
// Quantity is an amount of a resource, such as "100m" or "1.5Gi". It is exact: it counts
// billionths.
//
// Mirrors resource.Quantity. As there, more precise numbers are rounded away from zero, and numbers
// beyond 2^63-1 become that number. Differs: that limit also holds for numbers without a binary
// suffix, and ToString never returns another spelling that was parsed, such as "+1". A plain value.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan {

class CAPSTAN_EXPORT Quantity {
 public:
  // Format is how ToString writes the amount.
  enum class Format : std::uint8_t {
    kDecimalSi,        // 1500m, 12k
    kBinarySi,         // 1536Mi
    kDecimalExponent,  // 12e3
  };

  constexpr Quantity() = default;
  explicit constexpr Quantity(std::int64_t units, Format format = Format::kDecimalSi)
      : units_(units), format_(format) {}
  static Quantity FromMilli(std::int64_t thousandths);
  // Returns nullopt if `text` is not a quantity.
  static std::optional<Quantity> Parse(std::string_view text);

  // Returns the canonical text, which the API server also returns: no fraction, and the largest
  // suffix without one.
  std::string ToString() const;
  // Both round away from zero, as Go's Value and MilliValue do. milli() returns at most the range
  // of its type.
  std::int64_t value() const;
  std::int64_t milli() const;
  Format format() const { return format_; }

  // Compare amounts only: "1000m" and "1" are equal.
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.units_ != b.units_) return a.units_ <=> b.units_;
    return a.nanos_ <=> b.nanos_;
  }
  friend bool operator==(const Quantity& a, const Quantity& b) {
    return a.units_ == b.units_ && a.nanos_ == b.nanos_;
  }

 private:
  std::int64_t units_ = 0;  // rounded down
  std::int32_t nanos_ = 0;  // at least 0
  Format format_ = Format::kDecimalSi;
};

}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
// CostRange is the least and the most that something costs, or how large it is. Sums and products
// that are too large become the largest number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace capstan::cel {

inline constexpr std::uint64_t kCostUnbounded = std::numeric_limits<std::uint64_t>::max();

struct CostRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;

  static CostRange Fixed(std::uint64_t cost) { return {cost, cost}; }
  static CostRange Unknown() { return {0, kCostUnbounded}; }

  CostRange operator+(const CostRange& other) const {
    return {Sum(min, other.min), Sum(max, other.max)};
  }
  CostRange operator*(const CostRange& other) const {
    return {Product(min, other.min), Product(max, other.max)};
  }
  CostRange Scaled(double factor) const { return {Scale(min, factor), Scale(max, factor)}; }
  CostRange Union(const CostRange& other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }

  static std::uint64_t Sum(std::uint64_t a, std::uint64_t b) {
    return a > kCostUnbounded - b ? kCostUnbounded : a + b;
  }
  static std::uint64_t Product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > kCostUnbounded / b ? kCostUnbounded : a * b;
  }
  static std::uint64_t Scale(std::uint64_t size, double factor) {
    constexpr double kEdge = 18446744073709551616.0;  // 2^64
    const double scaled = std::ceil(static_cast<double>(size) * factor);
    return scaled >= kEdge ? kCostUnbounded : static_cast<std::uint64_t>(scaled);
  }
};

}  // namespace capstan::cel

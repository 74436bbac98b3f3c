// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/call_cost.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "clientgo/cel/ast.h"

namespace capstan::cel {
namespace {

std::uint64_t Scaled(double size, double factor) {
  return static_cast<std::uint64_t>(std::ceil(size * factor));
}

// The cost of a step through all elements of a list, and all their texts.
std::uint64_t TraversalCost(const Value& value) {
  if (value.Is<std::string>() || value.Is<Bytes>()) {
    return Scaled(static_cast<double>(value.CostSize()), kTraversalFactor);
  }
  const List* const list = value.list();
  if (list == nullptr) return 1;
  std::uint64_t cost = 0;
  for (std::size_t i = 0; i < list->size(); ++i) cost += TraversalCost(list->At(i));
  return cost;
}

// Returns whether a function is one of the names.
template <std::size_t N>
bool IsOneOf(std::string_view function, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), function) != std::end(names);
}

constexpr std::string_view kListTraversals[] = {"isSorted", "sum",     "max",
                                                "min",      "indexOf", "lastIndexOf"};
constexpr std::string_view kTextTraversals[] = {
    "url",        "lowerAscii", "upperAscii", "substring",    "trim",   "cidr",
    "isIP",       "isCIDR",     "quantity",   "isQuantity",   "semver", "isSemver",
    "startsWith", "endsWith",   "format",     "strings.quote"};
constexpr std::string_view kTwoTextTraversals[] = {"replace", "split", "ip.isCanonical"};
constexpr std::string_view kComparisons[] = {"_<_", "_<=_", "_>_", "_>=_"};
constexpr std::string_view kEqualities[] = {kEqualFunction, kNotEqualFunction};

std::uint64_t RegexpCost(double text_size, double pattern_size) {
  return Scaled(1.0 + text_size, kTraversalFactor) * Scaled(pattern_size, kRegexpFactor);
}

}  // namespace

std::uint64_t CallCost(const Overload& overload, Arguments args, const Value& result) {
  const std::string_view function = overload.function;
  const auto size = [&](std::size_t i) {
    return i < args.size() ? static_cast<double>(args[i].CostSize()) : 0.0;
  };
  const bool texts = !args.empty() && (args[0].Is<std::string>() || args[0].Is<Bytes>());
  if (IsOneOf(function, kListTraversals)) return TraversalCost(args[0]);
  if (IsOneOf(function, kTextTraversals)) return Scaled(size(0), kTraversalFactor);
  if (IsOneOf(function, kTwoTextTraversals)) return Scaled(size(0), 2 * kTraversalFactor);
  if (function == "join") {
    return Scaled(static_cast<double>(result.CostSize()), 2 * kTraversalFactor);
  }
  if (function == "matches" || function == "find" || function == "findAll") {
    return RegexpCost(size(0), size(1));
  }
  if (function == "ip" && !overload.member) return Scaled(size(0), kTraversalFactor);
  if (function == "containsIP" || function == "containsCIDR") {
    const bool parses = args[1].Is<std::string>();
    return Scaled(2 * size(0), kTraversalFactor) +
           (function == "containsCIDR" ? Scaled(size(0), kTraversalFactor) + 1 : 0) +
           (parses ? Scaled(size(1), kTraversalFactor) : 0);
  }
  if (function == "check") {
    constexpr std::uint64_t kAccessCheckCost = 350'000;
    return kAccessCheckCost;
  }
  if (function == "validate") {
    constexpr double kFormatSize = 60;
    return RegexpCost(size(1), kFormatSize);
  }
  if (function == "contains") {
    return Scaled(size(0), kTraversalFactor) * Scaled(size(1), kTraversalFactor);
  }
  if (function == "@in" && args[1].list() != nullptr) return args[1].list()->size();
  if (IsOneOf(function, kEqualities) && args[0].opaque() == nullptr) {
    return Scaled(std::min(size(0), size(1)), kTraversalFactor);
  }
  if (IsOneOf(function, kComparisons) && texts) {
    return Scaled(std::min(size(0), size(1)), kTraversalFactor);
  }
  if ((function == kAddFunction || function == "string" || function == "bytes") && texts) {
    return function == kAddFunction ? Scaled(size(0) + size(1), kTraversalFactor)
                                    : Scaled(size(0), kTraversalFactor);
  }
  return 1;
}

}  // namespace capstan::cel

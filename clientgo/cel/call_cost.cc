// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/call_cost.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "clientgo/cel/ast.h"
#include "clientgo/cel/indexing.h"
#include "clientgo/util/one_of.h"

namespace capstan::cel {
namespace {

std::uint64_t Scaled(double size, double factor) {
  return static_cast<std::uint64_t>(std::ceil(size * factor));
}

// The cost of a step through all elements of a list, and all their texts.
std::uint64_t TraversalCost(const Value& value) {
  const auto* const text = value.Get<std::string>();
  const auto* const bytes = value.Get<Bytes>();
  if (text != nullptr || bytes != nullptr) {
    const std::size_t size = text != nullptr ? text->size() : bytes->bytes.size();
    return static_cast<std::uint64_t>(static_cast<double>(size) * kTraversalFactor);
  }
  std::uint64_t cost = 0;
  if (const Map* const map = value.map()) {
    for (const Value& key : map->Keys()) {
      cost += TraversalCost(key) + TraversalCost(GetIndex(value, key));
    }
    return cost;
  }
  const List* const list = value.list();
  if (list == nullptr) return 1;
  for (std::size_t i = 0; i < list->size(); ++i) cost += TraversalCost(list->At(i));
  return cost;
}

constexpr std::string_view kListTraversals[] = {"isSorted", "sum",     "max",
                                                "min",      "indexOf", "lastIndexOf"};
constexpr std::string_view kTextTraversals[] = {"url",      "lowerAscii", "upperAscii", "substring",
                                                "trim",     "cidr",       "isIP",       "isCIDR",
                                                "quantity", "isQuantity", "semver",     "isSemver"};
constexpr std::string_view kTwoTextTraversals[] = {"replace", "split", "ip.isCanonical"};

std::uint64_t RegexpCost(double text_size, double pattern_size) {
  return Scaled(1.0 + text_size, kTraversalFactor) * Scaled(pattern_size, kRegexpFactor);
}

// Reads the sizes of the arguments of a call.
class ArgumentSizes {
 public:
  explicit ArgumentSizes(Arguments args) : args_(args) {}
  double operator[](std::size_t i) const { return static_cast<double>(args_[i].CostSize()); }
  std::uint64_t Walk(std::size_t i) const { return Scaled((*this)[i], kTraversalFactor); }

 private:
  Arguments args_;
};

std::uint64_t CostOfContaining(const Overload& overload, bool resolved, const ArgumentSizes& size) {
  std::uint64_t cost = Scaled(2 * size[0], kTraversalFactor);
  if (overload.function == "containsCIDR") cost += size.Walk(0) + 1;
  if (resolved && overload.args[1]->kind == TypeKind::kString) cost += size.Walk(1);
  return cost;
}

// Returns the cost of a function of CEL itself. cel-go goes by the overload.
std::uint64_t CostOfStandardFunction(const Overload& overload, const ArgumentSizes& size) {
  const std::string_view function = overload.function;
  const TypeKind first = overload.args.empty() ? TypeKind::kDyn : overload.args[0]->kind;
  const bool text = first == TypeKind::kString || first == TypeKind::kBytes;
  if (function == "startsWith" || function == "endsWith") return size.Walk(1);
  if (function == "format" || function == "strings.quote") return size.Walk(0);
  if (function == "string") return first == TypeKind::kBytes ? size.Walk(0) : 1;
  if (function == "bytes") return first == TypeKind::kString ? size.Walk(0) : 1;
  if (function == "matches") return overload.member ? RegexpCost(size[0], size[1]) : 1;
  if (function == "contains") return size.Walk(0) * size.Walk(1);
  if (function == kAddFunction) return text ? Scaled(size[0] + size[1], kTraversalFactor) : 1;
  if (function == "@in") {
    return overload.args[1]->kind == TypeKind::kList ? static_cast<std::uint64_t>(size[1]) : 1;
  }
  const bool equality = function == kEqualFunction || function == kNotEqualFunction;
  const bool order =
      function == "_<_" || function == "_<=_" || function == "_>_" || function == "_>=_";
  if (equality || (order && text)) return Scaled(std::min(size[0], size[1]), kTraversalFactor);
  if (!function.starts_with("sets.")) return 1;
  const auto product = static_cast<std::uint64_t>(size[0] * size[1]);
  return 1 + (function == "sets.equivalent" ? 2 : 1) * product;
}

}  // namespace

std::uint64_t CallCost(const Overload& overload, bool resolved, Arguments args,
                       const Value& result) {
  const std::string_view function = overload.function;
  const ArgumentSizes size(args);
  if (IsOneOf(function, kListTraversals)) return TraversalCost(args[0]);
  if (IsOneOf(function, kTextTraversals)) return size.Walk(0);
  if (IsOneOf(function, kTwoTextTraversals)) return Scaled(size[0], 2 * kTraversalFactor);
  if (function == "join") {
    return Scaled(static_cast<double>(result.CostSize()), 2 * kTraversalFactor);
  }
  if (function == "find" || function == "findAll") return RegexpCost(size[0], size[1]);
  if (function == "ip") return overload.member ? 1 : size.Walk(0);
  if (function == "containsIP" || function == "containsCIDR") {
    return CostOfContaining(overload, resolved, size);
  }
  if (function == "check") {
    constexpr std::uint64_t kAccessCheckCost = 350'000;
    return kAccessCheckCost;
  }
  if (function == "validate" && args[0].opaque() != nullptr) {
    return RegexpCost(size[1], static_cast<double>(args[0].opaque()->pattern_size()));
  }
  if (function == kEqualFunction && args[0].opaque() != nullptr) return 1;
  return resolved ? CostOfStandardFunction(overload, size) : 1;
}

}  // namespace capstan::cel

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/call_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "clientgo/cel/ast.h"
#include "clientgo/cel/call_cost.h"

namespace capstan::cel {
namespace {

using SizedArguments = std::vector<SizedArgument>;
using Estimator = CallEstimate (*)(const SizedArguments& args);

bool IsText(const Type& type) {
  return type->kind == TypeKind::kString || type->kind == TypeKind::kBytes;
}

// Estimates a function that walks once over its first argument.
CallEstimate OneWalk(const SizedArguments& args) {
  return {.cost = args[0].size.Scaled(kTraversalFactor)};
}
CallEstimate OneWalkOfSecond(const SizedArguments& args) {
  return {.cost = args[1].size.Scaled(kTraversalFactor)};
}
CallEstimate OneWalkOfSameSize(const SizedArguments& args) {
  return {.cost = args[0].size.Scaled(kTraversalFactor), .result_size = args[0].size};
}
CallEstimate TwoWalks(const SizedArguments& args) {
  return {.cost = args[0].size.Scaled(2 * kTraversalFactor)};
}

CallEstimate SearchList(const SizedArguments& args) {
  const SizedArgument& target = args[0];
  if (!target.IsList()) return OneWalk(args);
  CostRange element = CostRange::Fixed(1);
  if (IsText(target.type->params[0])) {
    element = element + target.element_size.Scaled(kTraversalFactor);
  }
  return {.cost = target.size * element};
}

CallEstimate Replace(const SizedArguments& args) {
  const CostRange size = args[0].size;
  const CostRange old = args[1].size;
  const CostRange replacement = args[2].size;
  const auto divided = [](std::uint64_t a, std::uint64_t b) {
    return CostRange::Scale(a, 1 / static_cast<double>(b));
  };
  CostRange count;
  CostRange retained;
  if (old.min == 0) {
    count.max = CostRange::Sum(size.max, 1);
    retained.max = size.max;
  } else if (replacement.max <= old.min) {
    retained.max = size.max;
  } else {
    count.max = divided(size.max, old.min);
  }
  if (old.max == 0) {
    count.min = CostRange::Sum(size.min, 1);
    retained.min = size.min;
  } else if (old.max <= replacement.min) {
    retained.min = size.min;
  } else {
    count.min = divided(size.min, old.max);
  }
  return {.cost = size.Scaled(2 * kTraversalFactor), .result_size = count * replacement + retained};
}

CallEstimate SplitTexts(const SizedArguments& args) {
  std::uint64_t count_max = args[0].size.max;
  if (args.size() > 2 && args[2].literal) count_max = static_cast<std::uint64_t>(*args[2].literal);
  return {.cost = args[0].size.Scaled(2 * kTraversalFactor),
          .result_size = CostRange{.min = 0, .max = count_max}};
}

CallEstimate JoinedTexts(const SizedArguments& args) {
  const CostRange count = args[0].size;
  CostRange size;
  if (args[0].IsList()) size = count * args[0].element_size;
  if (args.size() > 1) {
    const CostRange separators = {.min = count.min > 0 ? count.min - 1 : 0,
                                  .max = count.max > 0 ? count.max - 1 : 0};
    size = size + args[1].size * separators;
  }
  return {.cost = size.Scaled(kTraversalFactor), .result_size = size};
}

CallEstimate FindPatterns(const SizedArguments& args) {
  const CostRange text = (args[0].size + CostRange::Fixed(1)).Scaled(kTraversalFactor);
  return {.cost = text * args[1].size.Scaled(kRegexpFactor),
          .result_size = CostRange{.min = 0, .max = args[0].size.max}};
}

CallEstimate MatchPattern(const SizedArguments& args) { return {.cost = FindPatterns(args).cost}; }

CallEstimate ContainText(const SizedArguments& args) {
  return {.cost = args[0].size.Scaled(kTraversalFactor) * args[1].size.Scaled(kTraversalFactor)};
}

constexpr CostRange kAddressBytes = {.min = 4, .max = 16};
CallEstimate ContainAddress(const Overload& overload, const SizedArguments& args) {
  CostRange cost = (kAddressBytes + kAddressBytes).Scaled(kTraversalFactor);
  if (overload.function == "containsCIDR") {
    cost = cost + kAddressBytes.Scaled(kTraversalFactor) + CostRange::Fixed(1);
  }
  if (overload.args[1]->kind == TypeKind::kString) {
    cost = cost + args[1].size.Scaled(kTraversalFactor);
  }
  return {.cost = cost};
}

CallEstimate ValidateName(const SizedArguments& args) {
  constexpr double kPatternSize = 128;
  return {.cost = args[1].size.Scaled(kTraversalFactor).Scaled(kPatternSize * kRegexpFactor)};
}

CallEstimate TextOfBytes(const SizedArguments& args) {
  const CostRange size = args[0].size;
  return {.cost = size.Scaled(kTraversalFactor),
          .result_size = CostRange{.min = size.min / 4, .max = size.max}};
}
// The largest sizes of these two wrap around, as in cel-go: a quoted text without a limit has 0.
CallEstimate BytesOfText(const SizedArguments& args) {
  const CostRange size = args[0].size;
  return {.cost = size.Scaled(kTraversalFactor),
          .result_size = CostRange{.min = size.min, .max = size.max * 4}};
}
CallEstimate QuotedText(const SizedArguments& args) {
  const CostRange size = args[0].size;
  return {.cost = size.Scaled(kTraversalFactor),
          .result_size = CostRange{.min = size.min + 2, .max = size.max * 2 + 2}};
}

CallEstimate CompareSets(const SizedArguments& args) {
  return {.cost = args[0].size * args[1].size + CostRange::Fixed(1)};
}
CallEstimate CompareSetsTwice(const SizedArguments& args) {
  return {.cost = (args[0].size * args[1].size).Scaled(2) + CostRange::Fixed(1)};
}

CallEstimate AddValues(const SizedArguments& args, bool lists) {
  const CostRange size = args[0].size + args[1].size;
  if (lists) return {.cost = CostRange::Fixed(1), .result_size = size};
  return {.cost = size.Scaled(kTraversalFactor), .result_size = size};
}

CallEstimate CompareValues(const SizedArguments& args) {
  const std::uint64_t smaller = std::min(args[0].size.max, args[1].size.max);
  const CostRange size = {.min = smaller > 0 ? 1U : 0U, .max = smaller};
  return {.cost = size.Scaled(kTraversalFactor)};
}

struct NamedEstimator {
  std::string_view function;
  Estimator estimate;
};
constexpr std::array kEstimators = std::to_array<NamedEstimator>({
    {"isSorted", SearchList},
    {"sum", SearchList},
    {"max", SearchList},
    {"min", SearchList},
    {"indexOf", SearchList},
    {"lastIndexOf", SearchList},
    {"url", OneWalkOfSameSize},
    {"lowerAscii", OneWalkOfSameSize},
    {"upperAscii", OneWalkOfSameSize},
    {"substring", OneWalkOfSameSize},
    {"trim", OneWalkOfSameSize},
    {"replace", Replace},
    {"split", SplitTexts},
    {"join", JoinedTexts},
    {"find", FindPatterns},
    {"findAll", FindPatterns},
    {"cidr", OneWalk},
    {"isIP", OneWalk},
    {"isCIDR", OneWalk},
    {"ip.isCanonical", TwoWalks},
    {"quantity", OneWalk},
    {"isQuantity", OneWalk},
    {"semver", OneWalk},
    {"isSemver", OneWalk},
    {"validate", ValidateName},
    {"format", OneWalk},
    {"strings.quote", QuotedText},
    {"startsWith", OneWalkOfSecond},
    {"endsWith", OneWalkOfSecond},
    {"sets.contains", CompareSets},
    {"sets.intersects", CompareSets},
    {"sets.equivalent", CompareSetsTwice},
    {"contains", ContainText},
});

// Estimates an equality of two values of one of Kubernetes' types; nullopt: they have no estimate
// of their own.
std::optional<CallEstimate> EqualKubernetesValues(const SizedArguments& args) {
  if (args[0].type->kind != TypeKind::kOpaque || !SameType(args[0].type, args[1].type)) return {};
  const std::string_view name = args[0].type->name;
  if (name == kOptionalTypeName) return {};
  CostRange size = CostRange::Fixed(1);
  if (name == "kubernetes.NamedFormat") {
    constexpr std::uint64_t kFormatSize = 64;
    size.max = kFormatSize;
  } else if (name == "kubernetes.URL" && args[1].computed_size) {
    size.max = args[1].computed_size->max;
  }
  return CallEstimate{.cost = size.Scaled(kTraversalFactor)};
}

}  // namespace

CallEstimate EstimateCall(const Overload& overload, const SizedArguments& args) {
  const std::string_view function = overload.function;
  const TypeKind first = overload.args.empty() ? TypeKind::kDyn : overload.args[0]->kind;
  const bool text = !overload.args.empty() && IsText(overload.args[0]);
  if (function == kEqualFunction) {
    return EqualKubernetesValues(args).value_or(CompareValues(args));
  }
  if (function == kNotEqualFunction) return CompareValues(args);
  if (function == "_<_" || function == "_<=_" || function == "_>_" || function == "_>=_") {
    return text ? CompareValues(args) : CallEstimate{};
  }
  if (function == kAddFunction) {
    return text || first == TypeKind::kList ? AddValues(args, !text) : CallEstimate{};
  }
  if (function == "string") return first == TypeKind::kBytes ? TextOfBytes(args) : CallEstimate{};
  if (function == "bytes") return first == TypeKind::kString ? BytesOfText(args) : CallEstimate{};
  if (function == "@in") {
    const bool list = overload.args[1]->kind == TypeKind::kList;
    return list ? CallEstimate{.cost = args[1].size.Scaled(1)} : CallEstimate{};
  }
  if (function == "containsIP" || function == "containsCIDR") return ContainAddress(overload, args);
  // A global call costs nothing until Kubernetes 1.36, as in CostOfStandardFunction.
  if (function == "matches") return overload.member ? MatchPattern(args) : CallEstimate{};
  if (function == "ip") return overload.member ? CallEstimate{} : OneWalk(args);
  const auto* const found =
      std::find_if(kEstimators.begin(), kEstimators.end(),
                   [&](const NamedEstimator& each) { return each.function == function; });
  return found == kEstimators.end() ? CallEstimate{} : found->estimate(args);
}

}  // namespace capstan::cel

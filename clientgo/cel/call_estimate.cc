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
  if (!target.list) return OneWalk(args);
  CostRange element = CostRange::Fixed(1);
  if (target.element_size) element = element + target.element_size->Scaled(kTraversalFactor);
  return {.cost = target.size * element};
}

CallEstimate Replace(const SizedArguments& args) {
  const CostRange size = args[0].size;
  const CostRange old = args[1].size;
  const CostRange replacement = args[2].size;
  const auto divided = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(a) / static_cast<double>(b)));
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
  if (args[0].list) size = count * args[0].element_size.value_or(CostRange::Unknown());
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
CallEstimate ContainIp(const SizedArguments& args) {
  CostRange cost = (kAddressBytes + kAddressBytes).Scaled(kTraversalFactor);
  if (args[1].kind == TypeKind::kString) cost = cost + args[1].size.Scaled(kTraversalFactor);
  return {.cost = cost};
}
CallEstimate ContainNetwork(const SizedArguments& args) {
  return {.cost =
              ContainIp(args).cost + kAddressBytes.Scaled(kTraversalFactor) + CostRange::Fixed(1)};
}

CallEstimate ValidateName(const SizedArguments& args) {
  constexpr double kPatternSize = 128;
  return {.cost = args[1].size.Scaled(kTraversalFactor).Scaled(kPatternSize * kRegexpFactor)};
}

CallEstimate TextOfBytes(const SizedArguments& args) {
  const CostRange size = args[0].size;
  if (args[0].kind != TypeKind::kBytes) return {};
  return {.cost = size.Scaled(kTraversalFactor),
          .result_size = CostRange{.min = size.min / 4, .max = size.max}};
}
CallEstimate BytesOfText(const SizedArguments& args) {
  const CostRange size = args[0].size;
  if (args[0].kind != TypeKind::kString) return {};
  return {.cost = size.Scaled(kTraversalFactor),
          .result_size = CostRange{.min = size.min, .max = CostRange::Product(size.max, 4)}};
}
CallEstimate QuotedText(const SizedArguments& args) {
  const CostRange size = args[0].size;
  return {.cost = size.Scaled(kTraversalFactor),
          .result_size = CostRange{.min = size.min + 2,
                                   .max = CostRange::Sum(CostRange::Product(size.max, 2), 2)}};
}

CallEstimate InList(const SizedArguments& args) {
  return args[1].list ? CallEstimate{.cost = args[1].size} : CallEstimate{};
}

CallEstimate AddValues(const SizedArguments& args) {
  const CostRange size = args[0].size + args[1].size;
  if (args[0].list) return {.cost = CostRange::Fixed(1), .result_size = size};
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
    {"containsIP", ContainIp},
    {"containsCIDR", ContainNetwork},
    {"quantity", OneWalk},
    {"isQuantity", OneWalk},
    {"semver", OneWalk},
    {"isSemver", OneWalk},
    {"validate", ValidateName},
    {"format", OneWalk},
    {"bytes", BytesOfText},
    {"string", TextOfBytes},
    {"strings.quote", QuotedText},
    {"startsWith", OneWalkOfSecond},
    {"endsWith", OneWalkOfSecond},
    {"@in", InList},
    {"contains", ContainText},
});

bool HasText(const Overload& overload) {
  return overload.args[0]->kind == TypeKind::kString || overload.args[0]->kind == TypeKind::kBytes;
}

}  // namespace

CallEstimate EstimateCall(const Overload& overload, const SizedArguments& args) {
  const std::string_view function = overload.function;
  if (function == kEqualFunction || function == kNotEqualFunction) {
    const bool opaque = args[0].kind == TypeKind::kOpaque && args[1].kind == TypeKind::kOpaque;
    return opaque && function == kEqualFunction ? CallEstimate{} : CompareValues(args);
  }
  if (function == "_<_" || function == "_<=_" || function == "_>_" || function == "_>=_") {
    return HasText(overload) ? CompareValues(args) : CallEstimate{};
  }
  if (function == kAddFunction) {
    const bool list = overload.args[0]->kind == TypeKind::kList;
    return list || HasText(overload) ? AddValues(args) : CallEstimate{};
  }
  if (function == "matches") return overload.member ? MatchPattern(args) : CallEstimate{};
  if (function == "ip") return overload.member ? CallEstimate{} : OneWalk(args);
  const auto* const found =
      std::find_if(kEstimators.begin(), kEstimators.end(),
                   [&](const NamedEstimator& each) { return each.function == function; });
  return found == kEstimators.end() ? CallEstimate{} : found->estimate(args);
}

}  // namespace capstan::cel

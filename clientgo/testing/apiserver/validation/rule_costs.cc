// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/rule_costs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

#include "clientgo/cel/cost_range.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::uint64_t kRuleCostMax = 10'000'000;
constexpr std::uint64_t kTotalCostMax = 100'000'000;
// Errors about the total name this many rules, if each contributes a hundredth of the limit.
constexpr std::size_t kNamedRulesMax = 4;

std::string OverBudget(std::string_view what, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  constexpr double kLargeFactor = 100;
  constexpr double kSmallFactor = 1.5;
  std::array<char, 32> text{};
  if (factor > kLargeFactor) {
    std::snprintf(text.data(), text.size(), "more than 100x");
  } else {
    std::snprintf(text.data(), text.size(), factor < kSmallFactor ? "%fx" : "%.1fx", factor);
  }
  return std::string(what) + " exceeds budget by factor of " + text.data() +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
}

}  // namespace

void RuleCosts::Add(const Place& expression, std::uint64_t cost, std::string_view what,
                    FieldRules& rules) {
  if (cost > kRuleCostMax) rules.Forbidden(expression, OverBudget(what, cost, kRuleCostMax));
  total_ = cel::CostRange::Sum(total_, cost);
  if (cost < kTotalCostMax / 100) return;
  expensive_.push_back({expression, cost});
  std::stable_sort(expensive_.begin(), expensive_.end(),
                   [](const Expensive& a, const Expensive& b) { return a.cost > b.cost; });
  if (expensive_.size() > kNamedRulesMax) expensive_.pop_back();
}

void RuleCosts::CheckTotal(const Place& schema, FieldRules& rules) const {
  if (total_ <= kTotalCostMax) return;
  for (const Expensive& each : expensive_) {
    rules.Forbidden(each.expression,
                    "contributed to estimated rule cost total exceeding cost limit for entire "
                    "OpenAPIv3 schema");
  }
  rules.Forbidden(schema, OverBudget("x-kubernetes-validations estimated rule cost total for "
                                     "entire OpenAPIv3 schema",
                                     total_, kTotalCostMax));
}

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/match_conditions.h"

#include <algorithm>
#include <vector>

#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the text of Go's utilerrors.Aggregate, in which equal errors count once.
std::string AggregateText(const std::vector<std::string>& errors) {
  std::vector<std::string> different;
  for (const std::string& error : errors) {
    if (std::find(different.begin(), different.end(), error) == different.end()) {
      different.push_back(error);
    }
  }
  if (different.size() == 1) return different.front();
  return "[" + Join(different, ", ") + "]";
}

}  // namespace

MatchConditions::MatchConditions(const runtime::JsonValue& list, const ExpressionScope& scope) {
  for (const runtime::JsonValue& condition : list.GetArray()) {
    conditions_.push_back(
        {.name = std::string(runtime::GetString(condition, "name")),
         .expression = CompileExpression(runtime::GetString(condition, "expression"),
                                         ExpressionType::kBool, scope)});
  }
}

MatchConditions::Outcome MatchConditions::Match(ExpressionRun& run, bool ignore_failure) const {
  std::vector<std::string> errors;
  bool matches = true;
  for (const NamedExpression& condition : conditions_) {
    auto outcome = run.Evaluate(condition.expression);
    if (!outcome) return {.error = ignore_failure ? "" : kOutOfBudget};
    if (!outcome->value) {
      errors.push_back(std::move(outcome->error));
    } else if (!outcome->value->IsTrue()) {
      matches = false;
    }
  }
  if (!matches || errors.empty()) return {.matches = matches};
  return {.error = ignore_failure ? "" : AggregateText(errors)};
}

}  // namespace capstan::testing::apiserver

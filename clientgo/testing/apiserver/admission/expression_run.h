// SPDX-License-Identifier: Apache-2.0
// ExpressionRun evaluates admission expressions for one request, with common variables and one cost
// budget. Mirrors k8s.io/apiserver/pkg/admission/plugin/cel/{activation,condition,composition}.go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cel/access_check.h"
#include "clientgo/cel/evaluator.h"
#include "clientgo/testing/apiserver/admission/matching.h"
#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/types/admission_expressions.h"

namespace capstan::testing::apiserver {

// What the matchConditions of one webhook or policy may cost, and what all other expressions of one
// kind of a policy may cost.
inline constexpr std::int64_t kMatchConditionsBudget = 2'500'000;
inline constexpr std::int64_t kPolicyBudget = 10'000'000;

// AdmissionInput is what the expressions for one request read. What it refers to must outlive it,
// and the values that it makes.
class AdmissionInput {
 public:
  struct Parts {
    const AdmissionAttributes& attributes;
    const UserInfo& user;
    bool dry_run = false;
    const runtime::JsonValue& options;
    std::shared_ptr<const cel::AccessChecker> access;
  };
  explicit AdmissionInput(const Parts& parts);

  // Returns the values of the variables. `params` and `namespace_object` may be null.
  cel::Bindings Bindings(const runtime::JsonValue* params,
                         const runtime::JsonValue* namespace_object) const;

 private:
  const AdmissionAttributes& attributes_;
  std::unique_ptr<runtime::JsonDocument> request_;
  cel::Value authorizer_;
  cel::Value request_resource_;
};

struct NamedExpression {
  std::string name;
  CompiledExpression expression;
};

// NamedExpressions are the variables of a policy. Of two with the same name the last one counts.
using NamedExpressions = std::vector<NamedExpression>;

class ExpressionRun {
 public:
  // `variables` must outlive this object.
  ExpressionRun(cel::Bindings bindings, const NamedExpressions& variables, std::int64_t budget);
  ~ExpressionRun();
  ExpressionRun(const ExpressionRun&) = delete;
  ExpressionRun& operator=(const ExpressionRun&) = delete;

  struct Outcome {
    std::optional<cel::Value> value = {};  // nullopt: there is an error
    std::string error = {};
  };
  // Returns nullopt if the budget is used up. No further expression is to be evaluated then.
  std::optional<Outcome> Evaluate(const CompiledExpression& expression);
  std::int64_t budget() const { return budget_; }

 private:
  class Variables;

  std::shared_ptr<Variables> variables_;
  cel::Bindings bindings_;
  std::int64_t budget_;
};

// The error of an expression whose budget is used up.
inline constexpr const char* kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

}  // namespace capstan::testing::apiserver

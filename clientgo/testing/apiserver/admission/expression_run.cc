// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/expression_run.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "capstan/logging.h"
#include "clientgo/cel/json_value.h"
#include "clientgo/testing/apiserver/admission/admission_review.h"

namespace capstan::testing::apiserver {
namespace {

cel::Value ValueOrNull(const runtime::JsonValue* json) {
  return json == nullptr ? cel::Value() : cel::ValueOfJson(*json);
}

}  // namespace

AdmissionInput::AdmissionInput(const Parts& parts) : attributes_(parts.attributes) {
  AdmissionAttributes without_objects = parts.attributes;
  without_objects.object = nullptr;
  without_objects.old_object = nullptr;
  std::string error;
  request_ = ParseJson(
      AdmissionRequestJson(without_objects, parts.user, parts.dry_run, parts.options).text(),
      &error);
  if (parts.access == nullptr) return;
  const Resource& resource = *parts.attributes.resource;
  authorizer_ = cel::AuthorizerValue(parts.access);
  request_resource_ = cel::ResourceCheckValue(
      parts.access, {.group = std::string(resource.group),
                     .resource = std::string(resource.plural),
                     .subresource = std::string(parts.attributes.subresource),
                     .namespace_ = std::string(parts.attributes.namespace_),
                     .name = std::string(parts.attributes.name)});
}

cel::Bindings AdmissionInput::Bindings(const runtime::JsonValue* params,
                                       const runtime::JsonValue* namespace_object) const {
  return {{"object", ValueOrNull(attributes_.object)},
          {"oldObject", ValueOrNull(attributes_.old_object)},
          {"request", cel::ValueOfJson(*request_)},
          {"namespaceObject", ValueOrNull(namespace_object)},
          {"params", ValueOrNull(params)},
          {"authorizer", authorizer_},
          {"authorizer.requestResource", request_resource_}};
}

// Variables is the map `variables`. The first read of a variable evaluates it.
class ExpressionRun::Variables : public cel::Map {
 public:
  Variables(const NamedExpressions& expressions, const cel::Bindings& bindings)
      : expressions_(expressions), bindings_(bindings), values_(expressions.size()) {}

  std::size_t size() const override { return expressions_.size(); }
  std::optional<cel::Value> Find(const cel::Value& key) const override {
    const auto* const name = key.Get<std::string>();
    const auto found =
        name == nullptr
            ? expressions_.rend()
            : std::find_if(expressions_.rbegin(), expressions_.rend(),
                           [&](const NamedExpression& each) { return each.name == *name; });
    if (found == expressions_.rend()) return std::nullopt;
    auto& value = values_[static_cast<std::size_t>(expressions_.rend() - found) - 1];
    if (!value) {
      value = cel::Value::Failure("variable " + Quoted(*name) + " reads itself");
      value = Evaluate(*found);
    }
    return value;
  }
  std::vector<cel::Value> Keys() const override {
    std::vector<cel::Value> keys;
    keys.reserve(expressions_.size());
    for (const NamedExpression& each : expressions_) keys.push_back(cel::Value::String(each.name));
    return keys;
  }

  // Returns what the evaluations since the last call cost.
  std::int64_t TakeCost() { return std::exchange(cost_, 0); }

 private:
  cel::Value Evaluate(const NamedExpression& variable) const {
    const std::string prefix = "composited variable " + Quoted(variable.name) + " fails to ";
    const CompiledExpression& expression = variable.expression;
    if (!expression.program) {
      return cel::Value::Failure(prefix + "compile: " + expression.error);
    }
    cel::Evaluation evaluation = expression.program->Evaluate(bindings_);
    cost_ += static_cast<std::int64_t>(evaluation.cost);
    if (!evaluation.value.IsError()) return evaluation.value;
    return cel::Value::Failure(prefix + "evaluate: " + evaluation.value.message());
  }

  const NamedExpressions& expressions_;
  const cel::Bindings& bindings_;
  mutable std::vector<std::optional<cel::Value>> values_;
  mutable std::int64_t cost_ = 0;
};

ExpressionRun::ExpressionRun(cel::Bindings bindings, const NamedExpressions& variables,
                             std::int64_t budget)
    : bindings_(std::move(bindings)), budget_(budget) {
  variables_ = std::make_shared<Variables>(variables, bindings_);
  bindings_["variables"] = cel::Value::Of(std::shared_ptr<const cel::Map>(variables_));
}

// The map and the bindings refer to each other.
ExpressionRun::~ExpressionRun() { bindings_.clear(); }

std::optional<ExpressionRun::Outcome> ExpressionRun::Evaluate(
    const CompiledExpression& expression) {
  if (!expression.program) return Outcome{.error = "compilation error: " + expression.error};
  cel::Evaluation evaluation = expression.program->Evaluate(bindings_);
  budget_ -= variables_->TakeCost() + static_cast<std::int64_t>(evaluation.cost);
  if (budget_ < 0) return std::nullopt;
  if (!evaluation.value.IsError()) return Outcome{.value = std::move(evaluation.value)};
  return Outcome{.error = "expression '" + expression.text +
                          "' resulted in error: " + evaluation.value.message()};
}

}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/review_conditions.h"

#include <memory>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/json_value.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

using cel::ParseType;

cel::Type SelectorType(const char* name) {
  const cel::Type text = ParseType("string");
  const cel::Type requirement =
      cel::ObjectType("kubernetes.SelectorRequirement",
                      {{"key", text}, {"operator", text}, {"values", ParseType("list(string)")}});
  return cel::ObjectType(name,
                         {{"rawSelector", text}, {"requirements", cel::ListType(requirement)}});
}

cel::Type ReviewSpecType() {
  const cel::Type text = ParseType("string");
  const cel::Type of_resource =
      cel::ObjectType("kubernetes.ResourceAttributes",
                      {{"namespace", text},
                       {"verb", text},
                       {"group", text},
                       {"version", text},
                       {"resource", text},
                       {"subresource", text},
                       {"name", text},
                       {"fieldSelector", SelectorType("kubernetes.FieldSelectorAttributes")},
                       {"labelSelector", SelectorType("kubernetes.LabelSelectorAttributes")}});
  const cel::Type of_path =
      cel::ObjectType("kubernetes.NonResourceAttributes", {{"path", text}, {"verb", text}});
  return cel::ObjectType("kubernetes.SubjectAccessReviewSpec",
                         {{"resourceAttributes", of_resource},
                          {"nonResourceAttributes", of_path},
                          {"user", text},
                          {"groups", ParseType("list(string)")},
                          {"extra", ParseType("map(string, list(string))")},
                          {"uid", text}});
}

// Returns the value of `request`. It has all texts, also the empty ones.
Json ReviewedRequest(const AccessAttributes& attributes) {
  const UserInfo& user = attributes.user;
  Json extra = Json::Object();
  for (const auto& [key, values] : user.extra) extra.Add(key, Json::List(values));
  Json request = {{"user", user.name},
                  {"groups", Json::List(user.groups)},
                  {"uid", user.uid},
                  {"extra", extra}};
  if (!attributes.IsResource()) {
    request.Add("nonResourceAttributes", {{"path", attributes.path}, {"verb", attributes.verb}});
    return request;
  }
  request.Add("resourceAttributes", {{"namespace", attributes.namespace_},
                                     {"verb", attributes.verb},
                                     {"group", attributes.group},
                                     {"version", attributes.version},
                                     {"resource", attributes.resource},
                                     {"subresource", attributes.subresource},
                                     {"name", attributes.name}});
  return request;
}

}  // namespace

std::string ReviewConditions::Add(std::string_view expression) {
  static const cel::Type request = ReviewSpecType();
  CompiledExpression compiled =
      CompileExpression(expression, ExpressionType::kBool, cel::Variables{{"request", request}});
  std::string error = compiled.error;
  conditions_.push_back(std::move(compiled));
  return error;
}

ReviewConditions::Outcome ReviewConditions::Match(const AccessAttributes& attributes) const {
  if (conditions_.empty()) return {.matches = true};
  std::string error;
  // A path, a name or a user may have any bytes.
  const auto request = ParseJson(ToValidUtf8(ReviewedRequest(attributes).text()), &error);
  if (request == nullptr) return {.error = std::move(error)};
  const cel::Bindings bindings = {{"request", cel::ValueOfJson(*request)}};
  std::vector<std::string> errors;
  for (const CompiledExpression& condition : conditions_) {
    const cel::Evaluation evaluation = condition.program->Evaluate(bindings);
    if (evaluation.value.IsError()) {
      errors.push_back("cel evaluation error: expression '" + condition.text +
                       "' resulted in error: " + evaluation.value.message());
    } else if (!evaluation.value.IsTrue()) {
      return {};
    }
  }
  return {.matches = errors.empty(), .error = Aggregate(errors)};
}

}  // namespace capstan::testing::apiserver

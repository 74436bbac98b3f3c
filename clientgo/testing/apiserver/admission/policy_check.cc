// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/policy_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/admission/conversion.h"
#include "clientgo/testing/apiserver/types/go_text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kMessageMax = 5120;

// Decision is why one validation of a policy fails.
struct Decision {
  std::string message;
  std::string reason = {};     // empty: Invalid
  bool always_denies = false;  // whatever the actions of the binding are
};
using Decisions = std::vector<Decision>;

// Params are the parameters of one binding. A null one stands for a binding without parameters.
using Params = tl::expected<std::vector<Document>, std::string>;

int CodeOf(std::string_view reason) {
  struct Row {
    std::string_view reason;
    int code;
  };
  constexpr std::array kCodes = std::to_array<Row>(
      {{"Forbidden", 403}, {"Unauthorized", 401}, {"RequestEntityTooLarge", 413}});
  const auto* const row = std::find_if(kCodes.begin(), kCodes.end(),
                                       [&](const Row& each) { return each.reason == reason; });
  return row == kCodes.end() ? 422 : row->code;
}

// PolicyChecker checks one request.
class PolicyChecker {
 public:
  PolicyChecker(const AdmissionAttributes& attributes, const PolicyContext& context,
                std::vector<std::string>& warnings)
      : attributes_(attributes), context_(context), warnings_(warnings) {}

  void Check(const AdmissionPolicies::Bound& bound);
  Result<void> Take() {
    if (denial_) return tl::unexpected(*std::move(denial_));
    return {};
  }

 private:
  void CheckBinding(const AdmissionPolicy& policy, const PolicyBinding& binding,
                    const Resource& version);
  Params CollectParams(const AdmissionPolicy& policy, const ParamRef& ref) const;
  Decisions Validate(const AdmissionPolicy& policy, const AdmissionInput& input,
                     const runtime::JsonValue* params) const;
  // Returns nullopt if the budget is used up.
  static std::optional<Decisions> CheckValidations(const AdmissionPolicy& policy,
                                                   const cel::Bindings& bindings);
  static std::optional<Decisions> CheckAnnotations(const AdmissionPolicy& policy,
                                                   const cel::Bindings& bindings);
  void Deny(const AdmissionPolicy& policy, const PolicyBinding* binding, const Decision& decision);

  const AdmissionAttributes& attributes_;
  const PolicyContext& context_;
  std::vector<std::string>& warnings_;
  std::optional<Status> denial_;  // the first
};

void PolicyChecker::Deny(const AdmissionPolicy& policy, const PolicyBinding* binding,
                         const Decision& decision) {
  if (denial_) return;
  std::string message = "ValidatingAdmissionPolicy '" + policy.name + "'";
  if (binding != nullptr) message += " with binding '" + binding->name + "'";
  message += " denied request: " + decision.message;
  denial_ = ForbiddenBecause(*attributes_.resource, NameInErrors(attributes_), message);
  denial_->reason = decision.reason.empty() ? "Invalid" : decision.reason;
  denial_->code = CodeOf(denial_->reason);
  denial_->causes.push_back({.reason = "", .message = message, .field = ""});
}

void PolicyChecker::Check(const AdmissionPolicies::Bound& bound) {
  const AdmissionPolicy& policy = *bound.policy;
  const Resource* const version = policy.constraints.Match(attributes_, context_.namespace_labels);
  if (version == nullptr) return;
  const bool unknown =
      !policy.param_kind.empty() &&
      context_.resources.FindKind(policy.param_version, policy.param_kind) == nullptr;
  if (unknown) {
    if (policy.ignore_failure) return;
    // Go's schema.GroupVersionKind writes the core group as "/v1".
    const bool core = policy.param_version.find('/') == std::string::npos;
    return Deny(policy, nullptr,
                {.message = "failed to configure policy: failed to find resource referenced by "
                            "paramKind: '" +
                            std::string(core ? "/" : "") + policy.param_version +
                            ", Kind=" + policy.param_kind + "'"});
  }
  for (const auto& binding : bound.bindings) {
    if (binding->resources &&
        binding->resources->Match(attributes_, context_.namespace_labels) == nullptr) {
      continue;
    }
    CheckBinding(policy, *binding, *version);
  }
}

void PolicyChecker::CheckBinding(const AdmissionPolicy& policy, const PolicyBinding& binding,
                                 const Resource& version) {
  const auto misconfigured = [&](const std::string& why) {
    if (policy.ignore_failure) return;
    Deny(policy, &binding, {.message = "failed to configure binding: " + why});
  };
  Params params = std::vector<Document>();
  if (policy.param_kind.empty() || !binding.params) {
    params->push_back(nullptr);
  } else {
    params = CollectParams(policy, *binding.params);
  }
  if (!params) return misconfigured(params.error());
  if (params->empty()) return;
  const auto input = context_.input(version);
  if (!input) return misconfigured("failed to convert object version: " + input.error().message);
  for (const Document& one : *params) {
    for (const Decision& decision : Validate(policy, **input, one.get())) {
      if (binding.deny || decision.always_denies) Deny(policy, &binding, decision);
      if (!binding.warn || decision.always_denies) continue;
      warnings_.push_back("Validation failed for ValidatingAdmissionPolicy '" + policy.name +
                          "' with binding '" + binding.name + "': " + decision.message);
    }
  }
}

Params PolicyChecker::CollectParams(const AdmissionPolicy& policy, const ParamRef& ref) const {
  const Resource& kind = *context_.resources.FindKind(policy.param_version, policy.param_kind);
  std::string ns = ref.namespace_;
  if (kind.namespaced) {
    if (ns.empty()) ns = attributes_.namespace_;
    if (ns.empty()) {
      return tl::unexpected(
          std::string("cannot use namespaced paramRef in policy binding that matches "
                      "cluster-scoped resources"));
    }
  } else if (!ns.empty()) {
    return tl::unexpected(
        std::string("paramRef.namespace must not be provided for a cluster-scoped `paramKind`"));
  }
  std::vector<Document> params;
  std::string why;
  const auto add = [&](const Object& object) {
    auto read = ReadAs(kind, object, nullptr);
    if (!read) {
      why = read.error().message;
    } else if (!ref.name.empty() ||
               MatchesLabels(ref.selector, ObjectAt(ObjectAt(**read, "metadata"), "labels"))) {
      params.push_back(*std::move(read));
    }
  };
  if (!ref.name.empty()) {
    const ObjectPtr object = context_.storage.Get(kind, Key(ns, ref.name));
    if (object != nullptr) add(*object);
  } else {
    const std::uint64_t version = context_.storage.resource_version();
    context_.storage.Visit(kind, ns, version, "", [&](const Storage::Entry& entry) {
      add(*entry.object);
      return true;
    });
  }
  if (!why.empty()) return tl::unexpected(std::move(why));
  if (params.empty() && ref.deny_if_missing) {
    return tl::unexpected(
        std::string("no params found for policy binding with `Deny` parameterNotFoundAction"));
  }
  return params;
}

Decisions PolicyChecker::Validate(const AdmissionPolicy& policy, const AdmissionInput& input,
                                  const runtime::JsonValue* params) const {
  const auto failure = [&](const std::string& message) {
    Decisions decisions;
    if (!policy.ignore_failure) decisions.push_back({.message = message});
    return decisions;
  };
  if (!policy.conditions.empty()) {
    ExpressionRun run(input.Bindings(params, nullptr), policy.variables, kMatchConditionsBudget);
    const auto outcome = policy.conditions.Match(run, policy.ignore_failure);
    if (!outcome.error.empty()) return failure(outcome.error);
    if (!outcome.matches) return {};
  }
  const cel::Bindings bindings = input.Bindings(params, context_.namespace_object());
  auto decisions = CheckValidations(policy, bindings);
  if (!decisions) return failure(kOutOfBudget);
  const auto of_annotations = CheckAnnotations(policy, bindings);
  if (!of_annotations) return failure(kOutOfBudget);
  decisions->insert(decisions->end(), of_annotations->begin(), of_annotations->end());
  return *std::move(decisions);
}

// Returns the text of a messageExpression; empty: it has no usable one.
std::string EvaluatedMessage(const std::optional<ExpressionRun::Outcome>& outcome) {
  const auto* const text = outcome && outcome->value ? outcome->value->Get<std::string>() : nullptr;
  if (text == nullptr) return {};
  const std::string message(TrimSpace(*text));
  const bool usable = message.size() <= kMessageMax && message.find('\n') == std::string::npos;
  return usable ? message : "";
}

std::optional<Decisions> PolicyChecker::CheckValidations(const AdmissionPolicy& policy,
                                                         const cel::Bindings& bindings) {
  struct Failed {
    const PolicyValidation* validation;
    std::string error;  // empty: the validation is false
  };
  std::vector<Failed> all;
  ExpressionRun run(bindings, policy.variables, kPolicyBudget);
  for (const PolicyValidation& validation : policy.validations) {
    auto outcome = run.Evaluate(validation.expression);
    if (!outcome) return std::nullopt;
    if (outcome->value && outcome->value->IsTrue()) continue;
    all.push_back({.validation = &validation, .error = std::move(outcome->error)});
  }
  Decisions decisions;
  ExpressionRun message_run(bindings, policy.variables, run.budget());
  for (const Failed& failed : all) {
    const PolicyValidation& validation = *failed.validation;
    if (!failed.error.empty()) {
      if (!policy.ignore_failure) decisions.push_back({.message = failed.error});
      continue;
    }
    std::string message;
    if (validation.message_expression) {
      const auto outcome = message_run.Evaluate(*validation.message_expression);
      if (!outcome && policy.ignore_failure) continue;
      if (!outcome) {
        decisions.push_back({.message = std::string("failed messageExpression: ") + kOutOfBudget});
        continue;
      }
      message = EvaluatedMessage(outcome);
    }
    if (message.empty()) message = TrimSpace(validation.message);
    if (message.empty()) {
      message = "failed expression: " + std::string(TrimSpace(validation.expression.text));
    }
    decisions.push_back({.message = std::move(message), .reason = validation.reason});
  }
  return decisions;
}

std::optional<Decisions> PolicyChecker::CheckAnnotations(const AdmissionPolicy& policy,
                                                         const cel::Bindings& bindings) {
  Decisions decisions;
  ExpressionRun run(bindings, policy.variables, kPolicyBudget);
  for (const NamedExpression& annotation : policy.audit_annotations) {
    const auto outcome = run.Evaluate(annotation.expression);
    if (!outcome) return std::nullopt;
    if (outcome->value || policy.ignore_failure) continue;
    decisions.push_back({.message = outcome->error, .always_denies = true});
  }
  return decisions;
}

}  // namespace

Result<void> CheckPolicies(const AdmissionPolicies& policies, const AdmissionAttributes& attributes,
                           const PolicyContext& context, std::vector<std::string>& warnings) {
  if (IsAdmissionConfiguration(*attributes.resource)) return {};
  PolicyChecker checker(attributes, context, warnings);
  for (const AdmissionPolicies::Bound& bound : policies.bound()) checker.Check(bound);
  return checker.Take();
}

std::string NameInErrors(const AdmissionAttributes& attributes) {
  if (!attributes.name.empty()) return std::string(attributes.name);
  if (attributes.object == nullptr) return "Unknown";
  for (const char* const key : {"name", "generateName"}) {
    const std::string_view name = Metadata(*attributes.object, key);
    if (!name.empty()) return std::string(name);
  }
  return "Unknown";
}

}  // namespace capstan::testing::apiserver

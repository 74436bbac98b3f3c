// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/verdict.h"

#include <algorithm>
#include <utility>

#include "controllers/cainjector/rules/annotations.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::runtime::Object;
using Plan = Verdict::Plan;

tl::expected<Plan, Failure> Merge(const std::vector<std::string>& current,
                                  const SourceBundle& source, const VerdictOptions& options) {
  Plan plan;
  plan.watched = source.watched;
  plan.incomplete = source.incomplete;
  if (!options.merge_bundles) {
    plan.bundles.assign(current.size(), source.text);
    return plan;
  }
  if (AllExpired(source.certificates, options.now)) {
    return tl::unexpected(Failure{.reason = Reason::kExpired,
                                  .message = std::string(kAllExpired),
                                  .watched = source.watched});
  }
  for (const std::string& existing : current) {
    const Certificates merged = MergeBundles(existing, source.certificates, options.now);
    plan.bundles.push_back(EncodeBundle(merged));
    plan.earliest_expiry = std::min(plan.earliest_expiry, EarliestExpiry(merged));
  }
  return plan;
}

}  // namespace

std::vector<const Target*> TargetsOf(const InjectableKinds& kinds) {
  std::vector<const Target*> targets;
  if (kinds.validating_webhook_configurations) targets.push_back(&ValidatingWebhookTarget());
  if (kinds.mutating_webhook_configurations) targets.push_back(&MutatingWebhookTarget());
  if (kinds.api_services) targets.push_back(&ApiServiceTarget());
  if (kinds.custom_resource_definitions) targets.push_back(&CustomResourceDefinitionTarget());
  return targets;
}

SelectedSource SelectSource(const Target& target, const Object& object,
                            const std::vector<Source*>& sources) {
  for (Source* source : sources) {
    const auto value = target.Annotation(object, source->annotation());
    if (value && RequestsInjection(source->annotation(), *value)) return {source, *value};
  }
  return {};
}

Reason Verdict::reason() const {
  if (!plan) return plan.error().reason;
  if (write()) return Reason::kInjected;
  return plan->incomplete ? Reason::kSourcesIncomplete : Reason::kUnchanged;
}

Verdict Decide(const Target& target, const Object& content,
               const std::function<tl::expected<SourceBundlePtr, Failure>()>& source,
               const VerdictOptions& options) {
  std::vector<std::string> current = target.Bundles(content);
  if (auto refusal = target.Refusal(content)) {
    return {.current = std::move(current), .plan = tl::unexpected(*std::move(refusal))};
  }
  const auto bundle = source();
  if (!bundle) return {.current = std::move(current), .plan = tl::unexpected(bundle.error())};
  auto plan = Merge(current, **bundle, options);
  return {.current = std::move(current), .plan = std::move(plan)};
}

}  // namespace capstan::controllers::cainjector

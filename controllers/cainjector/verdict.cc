// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/verdict.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"
#include "controllers/cainjector/targets/config_map_target.h"

namespace capstan::cainjector {
namespace {

using Plan = Verdict::Plan;

std::string WithoutRetired(const std::string& pem, const Certificates& retired) {
  if (retired.empty()) return pem;
  return Without(pem, [&retired](const Certificate& certificate) {
    return Difference({certificate}, retired).empty();
  });
}

// Returns why the API server would not store bundles of so many bytes.
std::optional<Failure> TooLarge(const Target& target, std::size_t places, std::size_t bytes) {
  const auto& [bytes_max, subject, unit] = target.size_limit();
  if (bytes <= bytes_max) return std::nullopt;
  return Failure{.reason = Reason::kTooLarge,
                 .message = "the bundles in " + std::to_string(places) +
                            (places == 1 ? " place" : " places") + " would have at least " +
                            std::to_string(bytes) + " bytes, and " + std::string(subject) +
                            std::to_string(bytes_max) + std::string(unit) + "; " + kTooLargeFix};
}

// Returns the number of bytes that each bundle with these certificates has at least.
std::size_t BytesMin(const Certificates& certificates, CertificateTime now) {
  std::size_t bytes = 0;
  for (const Certificate& certificate : certificates) {
    if (!Expired(certificate, now)) bytes += (certificate.der.size() + 2) / 3 * 4;
  }
  return bytes;
}

// The bundles are built only when they can be stored: a source of 300 KB and an object with 1,000
// places would need 300 MB.
tl::expected<Plan, Failure> Merge(const Target& target, const std::vector<std::string>& current,
                                  const SourceBundle& source, const VerdictOptions& options) {
  const auto now = options.merge_bundles ? std::optional(options.now) : std::nullopt;
  auto trusted = TrustedOf(source, options.distrust, now);
  if (!trusted) return tl::unexpected(std::move(trusted.error()));
  Plan plan;
  plan.watched = source.watched;
  plan.incomplete = source.incomplete;
  if (!options.merge_bundles) {
    const std::string bundle = EncodeBundle(
        target.only_certificates() ? MergeBundles("", *trusted, options.now) : *trusted);
    auto too_large = TooLarge(target, current.size(), current.size() * bundle.size());
    if (too_large) return tl::unexpected(*std::move(too_large));
    plan.bundles.assign(current.size(), bundle);
    return plan;
  }
  std::size_t bytes = current.size() * BytesMin(*trusted, options.now);
  if (auto too_large = TooLarge(target, current.size(), bytes)) {
    return tl::unexpected(*std::move(too_large));
  }
  bytes = 0;
  for (const std::string& existing : current) {
    const std::string kept = options.distrust.Without(std::string_view(existing));
    const Certificates merged =
        MergeBundles(WithoutRetired(kept, options.retired), *trusted, options.now);
    plan.bundles.push_back(EncodeBundle(merged));
    bytes += plan.bundles.back().size();
    plan.earliest_expiry = std::min(plan.earliest_expiry, EarliestExpiry(merged));
  }
  if (auto too_large = TooLarge(target, current.size(), bytes)) {
    return tl::unexpected(*std::move(too_large));
  }
  plan.source = *std::move(trusted);
  return plan;
}

}  // namespace

std::vector<const Target*> TargetsOf(const InjectableKinds& kinds) {
  std::vector<const Target*> targets;
  if (kinds.validating_webhook_configurations) targets.push_back(&ValidatingWebhookTarget());
  if (kinds.mutating_webhook_configurations) targets.push_back(&MutatingWebhookTarget());
  if (kinds.api_services) targets.push_back(&ApiServiceTarget());
  if (kinds.custom_resource_definitions) targets.push_back(&CustomResourceDefinitionTarget());
  if (kinds.config_maps) targets.push_back(&ConfigMapTarget());
  if (kinds.cluster_trust_bundles) {
    targets.push_back(&ClusterTrustBundleTarget(kinds.trust_bundle_version));
  }
  for (const FieldTargetPtr& additional : kinds.additional) targets.push_back(&additional->target);
  return targets;
}

std::vector<cache::Scope> ScopesOf(const Target& target, const CaInjectorOptions& options) {
  if (target.type().namespaced) return options.scope().Watches(target.label_selector());
  return {cache::Scope{.label_selector = target.label_selector()}};
}

SelectedSource SelectSource(const runtime::Object& object, const std::vector<Source*>& sources) {
  for (Source* source : sources) {
    const auto value = Target::Annotation(object, source->annotation());
    if (value && RequestsInjection(source->annotation(), *value)) return {source, *value};
  }
  return {};
}

Reason Verdict::reason() const {
  if (!plan) return plan.error().reason;
  if (write()) return Reason::kInjected;
  return plan->incomplete ? Reason::kSourcesIncomplete : Reason::kUnchanged;
}

Verdict Decide(const Target& target, const runtime::Object& content,
               const std::function<tl::expected<SourceBundlePtr, Failure>()>& source,
               const VerdictOptions& options) {
  std::vector<std::string> current = target.Bundles(content);
  if (auto refusal = target.Refusal(content)) {
    return {.current = std::move(current), .plan = tl::unexpected(*std::move(refusal))};
  }
  const auto bundle = source();
  Verdict verdict{.plan = bundle ? Merge(target, current, **bundle, options)
                                 : tl::expected<Plan, Failure>(tl::unexpected(bundle.error()))};
  if (!verdict.plan && !options.distrust.empty()) {
    verdict.cleaned.emplace();
    for (const std::string& existing : current) {
      verdict.cleaned->push_back(options.distrust.Without(std::string_view(existing)));
    }
  }
  verdict.current = std::move(current);
  return verdict;
}

}  // namespace capstan::cainjector

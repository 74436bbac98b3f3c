// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/injector.h"

#include <algorithm>
#include <utility>

#include "controllers/cainjector/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::runtime::Object;
using runtime::ReconcileError;
using runtime::Request;
using runtime::Result;

// When to look again at a target that is right.
Result NextLook(CertificateTime earliest_expiry, CertificateTime now) {
  const auto until_expiry = earliest_expiry - now + std::chrono::seconds(1);
  return {.requeue_after = std::min<std::chrono::seconds>(kResyncPeriod, until_expiry)};
}

std::string InjectedMessage(const Source& source, std::string_view value, std::size_t bundles) {
  return "Injected the CA bundle of " + std::string(source.kind()) + " " + std::string(value) +
         " in " + std::to_string(bundles) + (bundles == 1 ? " place" : " places");
}

}  // namespace

Injector::Injector(clientgo::rest::Client& client, const Target& target,
                   const clientgo::cache::StoreReader& targets, std::vector<Source*> sources,
                   Reporter& reporter, InjectorOptions options)
    : client_(client),
      target_(target),
      targets_(targets),
      sources_(std::move(sources)),
      reporter_(reporter),
      options_(options) {}

Injector::Outcome Injector::Reconcile(std::stop_token stop, const Request& request) {
  const std::string key = request.String();
  const clientgo::runtime::ObjectPtr object = targets_.GetByKey(key);
  if (object != nullptr && !target_.Deleting(*object)) {
    for (Source* source : sources_) {
      const auto value = target_.Annotation(*object, source->annotation());
      if (value) return Inject(std::move(stop), *object, *source, *value);
    }
  }
  reporter_.Forget(key);
  return Result{};
}

Injector::Outcome Injector::Inject(std::stop_token stop, const Object& object, Source& source,
                                   std::string_view value) {
  const auto bundle = source.Get(stop, value);
  if (!bundle) return Fail(object, source, bundle.error());

  const std::vector<std::string> current = target_.Bundles(object);
  const CertificateTime now = Now();
  const auto plan = MakePlan(current, **bundle, now);
  if (!plan) return Fail(object, source, plan.error());
  if (plan->bundles == current) {
    reporter_.Unchanged(object, source.kind());
    return NextLook(plan->earliest_expiry, now);
  }

  const auto written = client_.Patch(
      std::move(stop), target_.type(),
      {.namespace_ = std::string(object.namespace_()), .name = std::string(object.name())},
      clientgo::rest::PatchType::kApply, target_.ApplyConfiguration(object, plan->bundles),
      {.field_manager = std::string(kFieldManager), .force = true});
  if (!written) {
    if (IsNotFound(written.error())) return Result{};  // its deletion is on the way
    return Fail(
        object, source,
        ApiFailure("failed to apply " + target_.type().kind + " " + std::string(object.key()),
                   written.error()));
  }
  reporter_.Injected(object, source.kind(), InjectedMessage(source, value, plan->bundles.size()));
  return NextLook(plan->earliest_expiry, now);
}

tl::expected<Injector::Plan, Failure> Injector::MakePlan(const std::vector<std::string>& current,
                                                         const SourceBundle& source,
                                                         CertificateTime now) const {
  Plan plan;
  if (!options_.merge_bundles) {
    plan.bundles.assign(current.size(), source.text);
    return plan;
  }
  const auto expired = [&](const Certificate& certificate) { return Expired(certificate, now); };
  if (std::all_of(source.certificates.begin(), source.certificates.end(), expired)) {
    return tl::unexpected(Failure{.reason = Reason::kExpired,
                                  .message = "every CA certificate of the source has expired"});
  }
  for (const std::string& existing : current) {
    const Certificates merged = MergeBundles(existing, source.certificates, now);
    plan.bundles.push_back(EncodeBundle(merged));
    plan.earliest_expiry = std::min(plan.earliest_expiry, EarliestExpiry(merged));
  }
  return plan;
}

Injector::Outcome Injector::Fail(const Object& object, const Source& source,
                                 const Failure& failure) {
  if (IsCanceled(failure.error)) return tl::unexpected(ReconcileError{.error = failure.error});
  reporter_.Failed(object, source.kind(), failure);
  switch (RetryAfter(failure.reason)) {
    case Retry::kOnChange:
      return Result{};
    case Retry::kSlow:
      return Result{.requeue_after = kSlowRetry};
    case Retry::kBackoff:
      break;
  }
  return tl::unexpected(ReconcileError{.error = failure.error});
}

CertificateTime Injector::Now() const {
  return std::chrono::floor<std::chrono::seconds>(options_.clock.WallNow());
}

}  // namespace controllers::cainjector

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/injector.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "controllers/cainjector/rules/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::runtime::Object;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Expected;
using clientgo::util::Kv;
using runtime::ReconcileError;
using runtime::Request;
using runtime::Result;

// When to look again at a target that is right.
Result NextLook(CertificateTime earliest_expiry, CertificateTime now) {
  const auto until_expiry = earliest_expiry - now + std::chrono::seconds(1);
  return {.requeue_after = std::min<std::chrono::seconds>(kResyncPeriod, until_expiry)};
}

std::string InjectedMessage(const Source& source, std::string_view value, std::size_t bundles) {
  return "Injected the CA bundle of " + source.Describe(value) + " in " + std::to_string(bundles) +
         (bundles == 1 ? " place" : " places");
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
      options_(options),
      contents_(client, target),
      owner_(client, target, contents_, options.field_ownership) {}

Injector::Outcome Injector::Reconcile(std::stop_token stop, const Request& request) {
  const std::string key = request.String();
  const ObjectPtr object = targets_.GetByKey(key);
  if (object == nullptr) {
    contents_.Forget(key);
    reporter_.Gone(key);
    return Result{};
  }
  const Asked asked = AskedFor(target_, *object, sources_);
  if (asked.source == nullptr) return NotAsked(*object);
  return Inject(std::move(stop), object, asked);
}

Injector::Outcome Injector::NotAsked(const Object& object) {
  contents_.Forget(object.key());
  reporter_.NotAsked(object.key());
  if (target_.cached_whole()) reporter_.Expires(object.key(), ExpiryOf(target_.Bundles(object)));
  return Result{};
}

Injector::Outcome Injector::Inject(std::stop_token stop, const ObjectPtr& object,
                                   const Asked& asked) {
  auto content = contents_.Get(stop, object);
  for (int attempt = 1;; ++attempt) {
    if (!content) return FailCall("get", *object, *asked.source, content.error());
    if (target_.Deleting(**content)) {
      reporter_.NotAsked(object->key());
      return Result{};
    }
    const Verdict verdict =
        Decide(target_, **content, [&] { return asked.source->Get(stop, asked.value); },
               {.merge_bundles = options_.merge_bundles, .now = Now()});
    reporter_.Expires(object->key(), ExpiryOf(verdict.current));
    if (!verdict.write()) return Finish(std::move(stop), *object, *content, asked, verdict);
    auto written = Apply(stop, *object, **content, verdict.plan->bundles);
    if (written) {
      reporter_.Injected(*object, asked.source->kind(),
                         InjectedMessage(*asked.source, asked.value, verdict.plan->bundles.size()));
      return Finish(std::move(stop), *object, *std::move(written), asked, verdict);
    }
    if (!IsConflict(written.error()) || attempt == kApplyAttempts) {
      return FailCall("apply", *object, *asked.source, written.error());
    }
    VLOG(2) << Kv("Changed by somebody else, reading it again", "kind", target_.type().kind,
                  "object", object->key());
    content = contents_.Read(stop, *object);
    if (content && !StillAsks(**content, *object, asked)) return Result{};
  }
}

// Not when it is another object by now, or asks for something else: its events are on the way.
bool Injector::StillAsks(const Object& content, const Object& cached, const Asked& asked) const {
  if (content.uid() != cached.uid()) return false;
  if (!target_.cached_whole()) return true;  // its content has no annotations
  const Asked now = AskedFor(target_, content, sources_);
  return now.source == asked.source && now.value == asked.value;
}

Injector::Outcome Injector::Finish(std::stop_token stop, const Object& cached, ObjectPtr content,
                                   const Asked& asked, const Verdict& verdict) {
  // Also of a target that has no source now: whoever gave it up may want to remove it.
  if (const auto dropped = owner_.DropEntries(std::move(stop), cached, std::move(content));
      !dropped) {
    return FailCall("drop our entry in managedFields of", cached, *asked.source, dropped.error());
  }
  const auto& plan = verdict.plan;
  if (!plan) return Fail(cached, *asked.source, plan.error());
  if (!verdict.write()) reporter_.Unchanged(cached, asked.source->kind());
  Result next = NextLook(plan->earliest_expiry, Now());
  if (!plan->watched) next.requeue_after = std::min(*next.requeue_after, {kSlowRetry});
  return next;
}

Expected<ObjectPtr> Injector::Apply(std::stop_token stop, const Object& cached,
                                    const Object& content,
                                    const std::vector<std::string>& bundles) {
  auto written = client_.Patch(
      std::move(stop), target_.content_type(),
      {.namespace_ = std::string(content.namespace_()), .name = std::string(content.name())},
      clientgo::rest::PatchType::kApply,
      target_.ApplyConfiguration(content, bundles, ApplyTo::kThisVersion),
      {.field_manager = std::string(kFieldManager), .force = true});
  if (written) {
    contents_.Put(cached, *written);
    reporter_.Expires(cached.key(), ExpiryOf(bundles));
  }
  return written;
}

Injector::Outcome Injector::FailCall(std::string_view doing, const Object& object,
                                     const Source& source, const clientgo::util::Error& error) {
  contents_.Forget(object.key());          // what is held is not what there is
  if (IsNotFound(error)) return Result{};  // its deletion is on the way
  return Fail(object, source,
              ApiFailure("failed to " + std::string(doing) + " " + target_.type().kind + " " +
                             std::string(object.key()),
                         error));
}

Injector::Outcome Injector::Fail(const Object& object, const Source& source,
                                 const Failure& failure) {
  if (IsCanceled(failure.error)) return tl::unexpected(ReconcileError{.error = failure.error});
  reporter_.Failed(object, source.kind(), failure);
  switch (RetryAfter(failure.reason)) {
    case Retry::kOnChange:
      if (failure.watched) return Result{};
      return Result{.requeue_after = kSlowRetry};
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

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/injector.h"

#include <algorithm>
#include <utility>

#include "capstan/log.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

// Returns when to reconcile a target again that is in sync.
Result NextReconcile(CertificateTime earliest_expiry, CertificateTime now) {
  const auto until_expiry = earliest_expiry - now + std::chrono::seconds(1);
  return {.requeue_after = std::min<std::chrono::seconds>(kResyncPeriod, until_expiry)};
}

std::string InjectedMessage(const SelectedSource& selected, const Verdict::Plan& plan) {
  const std::size_t bundles = plan.bundles.size();
  return "Injected the CA bundle of " + selected.source->Describe(selected.value) + " in " +
         std::to_string(bundles) + (bundles == 1 ? " place" : " places") +
         (plan.incomplete ? ", without the sources that failed" : "");
}

// A field that the schema does not have is a mistake in the configuration of this process, or an
// older version of the definition. Both need a person.
Failure SchemaFailure(const Error& error) {
  Failure failure = ApiFailure("nothing was written", error);
  if (error.reason == ErrorReason::kInvalidArgument) {
    failure.reason = Reason::kRejected;
  }
  return failure;
}

// Of a target whose source has no bundle, which is reported after it.
constexpr const char* kCleanedMessage = "Removed the distrusted CA certificates";

}  // namespace

Injector::Injector(rest::Client& client, const Target& target, const cache::StoreReader& targets,
                   std::vector<Source*> sources, Reporter& reporter, CaInjectorOptions options,
                   SchemaCheck* schema, SourceLoops::FindTarget find)
    : client_(client),
      target_(target),
      targets_(targets),
      sources_(std::move(sources)),
      loops_(sources_, std::move(find), options.shared_source_namespaces),
      reporter_(reporter),
      options_(std::move(options)),
      schema_(schema),
      contents_(client, target),
      pacer_(options_.clock),
      owner_(client, target, contents_, options_.field_ownership) {}

Injector::Outcome Injector::Reconcile(std::stop_token stop, const Request& request) {
  const std::string key = request.String();
  const runtime::ObjectPtr object = targets_.GetByKey(key);
  if (object == nullptr) {
    contents_.Forget(key);
    reporter_.Deleted(key);
    return Result{};
  }
  const SelectedSource selected = SelectSource(*object, sources_);
  if (selected.source == nullptr) return NotRequested(*object);
  return Inject(std::move(stop), object, selected);
}

Injector::Outcome Injector::NotRequested(const runtime::Object& object) {
  contents_.Forget(object.key());
  reporter_.NotRequested(object.key());
  reporter_.Expires(object.key(),
                    target_.cached_whole() ? ExpiryOf(target_.Bundles(object)) : BundleExpiry{});
  return Result{};
}

Injector::Outcome Injector::Inject(std::stop_token stop, const runtime::ObjectPtr& object,
                                   const SelectedSource& selected) {
  auto content = contents_.Get(stop, object);
  for (int attempt = 1;; ++attempt) {
    if (!content) return FailCall("get", *object, *selected.source, content.error());
    if (!StillSelects(**content, *object, selected)) return Result{};  // its event follows
    if (target_.Deleting(**content)) {
      reporter_.NotRequested(object->key());
      return Result{};
    }
    const Verdict verdict =
        Decide(target_, **content, [&] { return loops_.Get(stop, target_, *object, selected); },
               {.merge_bundles = options_.merge_bundles,
                .now = Now(),
                .distrust = options_.distrust,
                .retired = reporter_.Retired(**content)});
    reporter_.Expires(object->key(), ExpiryOf(verdict.current));
    if (!verdict.write()) return Finish(std::move(stop), *object, *content, selected, verdict);
    if (schema_ != nullptr) {
      if (auto checked = schema_->Run(stop); !checked) {
        return Fail(*object, *selected.source, SchemaFailure(checked.error()));
      }
    }
    if (attempt == 1 && !pacer_.MayWrite(object->key())) return Delay(*object, *selected.source);
    auto written = Apply(stop, *object, **content, verdict.bundles());
    if (written) {
      reporter_.Injected(*object, selected.source->kind(),
                         verdict.plan ? InjectedMessage(selected, *verdict.plan) : kCleanedMessage);
      return Finish(std::move(stop), *object, *std::move(written), selected, verdict);
    }
    if (!MayBeStale(written.error()) || attempt == kApplyAttempts) {
      return FailCall("apply", *object, *selected.source, written.error());
    }
    V(2).InfoS("Target has changed, reading it again", "kind", target_.type().kind, "object",
               object->key());
    const std::string version = (*content)->resource_version();
    content = contents_.Read(stop, *object);
    if (content && IsPermanent(written.error()) && (*content)->resource_version() == version) {
      return FailCall("apply", *object, *selected.source, written.error());
    }
  }
}

Injector::Outcome Injector::Delay(const runtime::Object& object, const Source& source) {
  reporter_.Failed(
      object, source.kind(),
      {.reason = Reason::kOverwritten,
       .message = "the target needs another write after " + std::to_string(WritePacer::kBurst) +
                  " within a short time, and gets one each " +
                  std::to_string(WritePacer::kInterval.count()) +
                  " s: another client replaces the bundle, or the source changes "
                  "again and again; kubectl get --show-managed-fields -o yaml shows "
                  "who writes the target"});
  return Result{.requeue_after = WritePacer::kInterval};
}

bool Injector::MayBeStale(const Error& error) const {
  if (error.field_manager_conflict) return false;
  return IsConflict(error) || (target_.written_by_index() && IsPermanent(error));
}

bool Injector::StillSelects(const runtime::Object& content, const runtime::Object& cached,
                            const SelectedSource& selected) const {
  if (content.uid() != cached.uid()) return false;
  if (target_.content_by_get()) return true;  // such content has no annotations
  const SelectedSource now = SelectSource(content, sources_);
  return now.source == selected.source && now.value == selected.value;
}

Injector::Outcome Injector::Finish(std::stop_token stop, const runtime::Object& cached,
                                   runtime::ObjectPtr content, const SelectedSource& selected,
                                   const Verdict& verdict) {
  // Also when the source has failed: the author of the target may want to remove it.
  if (const auto dropped = owner_.DropEntries(std::move(stop), cached, std::move(content));
      !dropped) {
    return FailCall("drop our entry in managedFields of", cached, *selected.source,
                    dropped.error());
  }
  const auto& plan = verdict.plan;
  if (!plan) return Fail(cached, *selected.source, plan.error());
  Result next = NextReconcile(plan->earliest_expiry, Now());
  if (!plan->watched) next.requeue_after = std::min(*next.requeue_after, {kSlowRetry});
  if (plan->incomplete) {
    auto failed = Fail(cached, *selected.source, *plan->incomplete);
    if (!failed) return failed;
    if (const auto retry = failed->requeue_after) {
      next.requeue_after = std::min(*next.requeue_after, *retry);
    }
    return next;
  }
  if (!verdict.write()) reporter_.Unchanged(cached, selected.source->kind());
  reporter_.Cas(cached, plan->source, plan->bundles);
  return next;
}

Expected<runtime::ObjectPtr> Injector::Apply(std::stop_token stop, const runtime::Object& cached,
                                             const runtime::Object& content,
                                             const std::vector<std::string>& bundles) {
  auto [patch_type, body, options] = target_.Write(content, bundles, ApplyTo::kThisVersion);
  auto written = client_.Patch(std::move(stop), target_.content_type(),
                               Request::Parse(content.key()), patch_type, std::move(body), options);
  if (written) {
    pacer_.Wrote(cached.key());
    contents_.Put(cached, *written);
    reporter_.Expires(cached.key(), ExpiryOf(bundles));
  }
  return written;
}

Injector::Outcome Injector::FailCall(std::string_view doing, const runtime::Object& object,
                                     const Source& source, const Error& error) {
  contents_.Forget(object.key());          // it may be outdated
  if (IsNotFound(error)) return Result{};  // its delete event follows
  Failure failure = ApiFailure("failed to " + std::string(doing) + " " + target_.type().kind + " " +
                                   std::string(object.key()),
                               error);
  if (failure.reason == Reason::kForbidden && !target_.rights().empty()) {
    failure.message += "; it needs " + target_.rights();
  }
  return Fail(object, source, failure);
}

Injector::Outcome Injector::Fail(const runtime::Object& object, const Source& source,
                                 const Failure& failure) {
  if (IsCanceled(failure.error)) return tl::unexpected(ReconcileError{.error = failure.error});
  reporter_.Failed(object, source.kind(), failure);
  const Retry retry = RetryAfter(failure);
  if (retry == Retry::kBackoff) return tl::unexpected(ReconcileError{.error = failure.error});
  if (retry == Retry::kOnChange && failure.watched) return Result{};
  return Result{.requeue_after = kSlowRetry};
}

CertificateTime Injector::Now() const {
  return std::chrono::floor<std::chrono::seconds>(options_.clock.WallNow());
}

}  // namespace capstan::cainjector

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/ca_injector.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "controllers/cainjector/webhook_target.h"
#include "controllers/runtime/cache_sync.h"

namespace controllers::cainjector {
namespace {

using clientgo::cache::SharedInformer;
using clientgo::runtime::Object;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using runtime::Request;

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

runtime::ControllerOptions ControllerOptionsFor(const Target& target,
                                                const CaInjectorOptions& options,
                                                metrics::Metrics& metrics) {
  return {.name = Lower(target.type().kind),  // as controller-runtime names them
          .max_concurrent_reconciles = options.workers_per_kind,
          .cache_sync_timeout = options.cache_sync_timeout,
          .exit_on_cache_sync_timeout = options.exit_on_cache_sync_timeout,
          .clock = options.clock,
          .queue_metrics = &metrics.workqueue(),
          .metrics = options.controller_metrics};
}

Expected<void> CheckSynced(const SharedInformer& informer, clientgo::util::Clock& clock) {
  if (informer.HasSynced()) return {};
  return Err(ErrorReason::kUnknown, runtime::WhyNotSynced(informer, clock.Now()));
}

}  // namespace

CaInjector::Kind::Kind(CaInjector& owner, const Target& the_target)
    : target(the_target),
      informer(owner.with_.informers.ForType(target.type(), {})),
      reporter(target.type(), owner.with_.events, *owner.injections_),
      injector(owner.with_.client, target, informer.store(), {&owner.secrets_}, reporter,
               {.merge_bundles = owner.options_.merge_bundles, .clock = owner.options_.clock}),
      controller(injector, ControllerOptionsFor(target, owner.options_, owner.with_.metrics)) {}

CaInjector::CaInjector(const Collaborators& with, CaInjectorOptions options)
    : with_(with),
      options_(std::move(options)),
      injections_(with.metrics.NewCounter(
          "capstan_injection_total",
          "Looks at targets by kind, source and result (Injected, Unchanged, or why not).",
          {"kind", "source", "result"})),
      secret_informer_(
          with.informers.ForType(SecretMetadataType(), {.namespace_ = options_.namespace_})),
      secrets_(with.client, secret_informer_.store(),
               {.namespace_ = options_.namespace_, .keep_text = !options_.merge_bundles}) {
  for (const Target* target : {&ValidatingWebhookTarget(), &MutatingWebhookTarget()}) {
    kinds_.push_back(std::make_unique<Kind>(*this, *target));
    IndexAndWatch(*kinds_.back());
  }
}

void CaInjector::IndexAndWatch(Kind& kind) {
  const Target& target = kind.target;
  const std::string index(secrets_.annotation());
  const auto indexed = kind.informer.AddIndex(
      index, [&target, index](const Object& object) -> std::vector<std::string> {
        const auto value = target.Annotation(object, index);
        if (!value) return {};
        return {std::string(*value)};
      });
  CHECK(indexed) << indexed.error().message;

  kind.controller.Watch(kind.informer,
                        [&target, index](const Object& object) -> std::vector<Request> {
                          if (!target.Annotation(object, index)) return {};
                          return {Request::Parse(object.key())};
                        });
  kind.controller.Watch(
      secret_informer_, [this, &kind, index](const Object& secret) -> std::vector<Request> {
        std::vector<Request> requests;
        for (const auto& object : kind.informer.store().ByIndex(index, secret.key())) {
          requests.push_back(Request::Parse(object->key()));
        }
        if (requests.empty() && !Referenced(secret.key())) secrets_.Forget(secret.key());
        return requests;
      });
}

bool CaInjector::Referenced(std::string_view secret_key) const {
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
    return !kind->informer.store().ByIndex(secrets_.annotation(), secret_key).empty();
  });
}

void CaInjector::AddTo(runtime::Manager& manager) {
  const auto add_cache_check = [&](const SharedInformer& informer) {
    manager.readyz().Add("caches-" + informer.type().gvr.resource,
                         [this, &informer] { return CheckSynced(informer, options_.clock); });
  };
  add_cache_check(secret_informer_);
  for (const auto& kind : kinds_) {
    add_cache_check(kind->informer);
    manager.Add(kind->controller);
  }
  manager.readyz().Add("first-injection-pass", [this, &manager]() -> Expected<void> {
    if (!manager.IsLeader()) return {};
    for (const auto& kind : kinds_) {
      if (kind->controller.FirstPassDone()) continue;
      return Err(ErrorReason::kUnknown,
                 kind->controller.name() + ": the targets of the start are not all done, " +
                     std::to_string(kind->controller.QueueLength()) + " wait");
    }
    return {};
  });
}

}  // namespace controllers::cainjector

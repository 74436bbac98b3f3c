// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/ca_injector.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/text.h"
#include "capstan/controller_runtime/cache_sync.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::cache::SharedInformer;
using clientgo::cache::StoreReader;
using clientgo::runtime::Object;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using controller_runtime::Request;

controller_runtime::ControllerOptions ControllerOptionsFor(const Target& target,
                                                           const CaInjectorOptions& options,
                                                           const CaInjector::Collaborators& with) {
  return {
      .name = clientgo::util::LowerAscii(target.type().kind),  // as controller-runtime names them
      .max_concurrent_reconciles = options.workers_per_kind,
      .cache_sync_timeout = options.cache_sync_timeout,
      .exit_on_cache_sync_timeout = options.exit_on_cache_sync_timeout,
      .clock = options.clock,
      .queue_metrics = &with.metrics.workqueue(),
      .metrics = options.controller_metrics,
      .server = &with.client.availability()};
}

Expected<void> CheckSynced(const SharedInformer& informer, clientgo::util::Clock& clock) {
  if (informer.HasSynced()) return {};
  return Err(ErrorReason::kUnknown, controller_runtime::WhyNotSynced(informer, clock.Now()));
}

// Indexes the targets by the source objects that each of their annotations refers to.
void AddIndexes(SharedInformer& informer, const Target& target) {
  for (const std::string& annotation : InjectAnnotations()) {
    const auto indexed = informer.AddIndex(
        annotation, [&target, annotation](const Object& object) -> std::vector<std::string> {
          const auto value = target.Annotation(object, annotation);
          if (!value) return {};
          return ReferencedObjects(annotation, *value);
        });
    CHECK(indexed) << indexed.error().message;
  }
}

std::vector<const StoreReader*> IndexedCaches(clientgo::cache::SharedInformerFactory& informers,
                                              const InjectableKinds& kinds) {
  std::vector<const StoreReader*> caches;
  for (const Target* target : TargetsOf(kinds)) {
    SharedInformer& informer = informers.ForType(target->type(), {});
    AddIndexes(informer, *target);
    caches.push_back(&informer.store());
  }
  return caches;
}

// Returns the key of a target to reconcile. A target that is cached whole is reconciled even
// without an annotation: the expiry of its bundle is reported.
std::vector<Request> KeyOf(const Target& target, const Object& object) {
  const std::vector<std::string> annotations = InjectAnnotations();
  const bool annotated =
      std::any_of(annotations.begin(), annotations.end(), [&](const std::string& annotation) {
        return target.Annotation(object, annotation).has_value();
      });
  if (!annotated && !target.cached_whole()) return {};
  return {Request::Parse(object.key())};
}

}  // namespace

CaInjector::Kind::Kind(CaInjector& owner, const Target& the_target)
    : target(the_target),
      informer(owner.with_.informers.ForType(target.type(), {})),
      reporter(target.type(), owner.with_.events, owner.metrics_, owner.outcomes_,
               owner.options_.clock),
      injector(owner.with_.client, target, informer.store(), owner.sources_.all(), reporter,
               owner.options_),
      controller(injector, ControllerOptionsFor(target, owner.options_, owner.with_)) {}

CaInjector::CaInjector(const Collaborators& with, CaInjectorOptions options)
    : with_(with),
      options_(std::move(options)),
      metrics_(NewTargetMetrics(with.metrics)),
      watched_({.client = with.client, .informers = with.informers, .metrics = with.metrics},
               options_, IndexedCaches(with.informers, options_.kinds)),
      sources_(watched_.NewReaders(), options_) {
  for (const Target* target : TargetsOf(options_.kinds)) {
    kinds_.push_back(std::make_unique<Kind>(*this, *target));
    Kind& kind = *kinds_.back();
    kind.controller.Watch(kind.informer,
                          [target](const Object& object) { return KeyOf(*target, object); });
    watched_.Watch(kind.controller, kind.informer.store());
  }
}

std::vector<CaInjector::TargetStatus> CaInjector::Targets() const {
  std::vector<TargetStatus> all;
  for (TargetOutcome& outcome : outcomes_.All()) {
    TargetStatus status{.outcome = std::move(outcome)};
    for (const auto& kind : kinds_) {
      if (kind->target.type().kind != status.outcome.kind) continue;
      const auto object = kind->informer.store().GetByKey(status.outcome.name);
      if (object == nullptr) continue;
      const SelectedSource selected = SelectSource(kind->target, *object, sources_.all());
      if (selected.source != nullptr) status.source = selected.source->Describe(selected.value);
      if (kind->target.cached_whole())
        status.expires = ExpiryOf(kind->target.Bundles(*object)).first;
    }
    all.push_back(std::move(status));
  }
  return all;
}

std::vector<CaInjector::QueueStatus> CaInjector::Queues() const {
  std::vector<QueueStatus> queues;
  queues.reserve(kinds_.size());
  for (const auto& kind : kinds_) {
    queues.push_back({kind->controller.name(), kind->controller.QueueLength(),
                      kind->controller.FirstPassDone()});
  }
  return queues;
}

void CaInjector::AddTo(controller_runtime::Manager& manager) {
  watched_.AddTo(manager.readyz());
  manager.Add(watched_);
  for (const auto& kind : kinds_) {
    const SharedInformer& informer = kind->informer;
    const std::string name = "caches-" + informer.type().gvr.resource;
    manager.readyz().Add(name, [this, &informer] { return CheckSynced(informer, options_.clock); });
    manager.readyz().AddNote(name, [&informer] { return controller_runtime::WhyBehind(informer); });
    manager.Add(kind->controller);
  }
  manager.readyz().Add("first-injection-pass", [this, &manager]() -> Expected<void> {
    if (!manager.IsLeader()) return {};
    for (const auto& kind : kinds_) {
      if (kind->controller.FirstPassDone()) continue;
      return Err(ErrorReason::kUnknown,
                 kind->controller.name() +
                     ": not all targets of the initial list are reconciled, " +
                     std::to_string(kind->controller.QueueLength()) + " are queued");
    }
    return {};
  });
}

}  // namespace capstan::controllers::cainjector

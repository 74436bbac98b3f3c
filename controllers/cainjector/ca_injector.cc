// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/ca_injector.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/text.h"
#include "controllers/cainjector/targets/api_service_target.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/runtime/cache_sync.h"

namespace controllers::cainjector {
namespace {

using clientgo::cache::SharedInformer;
using clientgo::runtime::Object;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using runtime::Request;

runtime::ControllerOptions ControllerOptionsFor(const Target& target,
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
  return Err(ErrorReason::kUnknown, runtime::WhyNotSynced(informer, clock.Now()));
}

}  // namespace

CaInjector::Kind::Kind(CaInjector& owner, const Target& the_target)
    : target(the_target),
      informer(owner.with_.informers.ForType(target.type(), {})),
      reporter(target.type(), owner.with_.events, owner.metrics_, owner.outcomes_,
               owner.options_.clock),
      injector(owner.with_.client, target, informer.store(), owner.sources_.all(), reporter,
               {.merge_bundles = owner.options_.merge_bundles,
                .field_ownership = owner.options_.field_ownership,
                .clock = owner.options_.clock}),
      controller(injector, ControllerOptionsFor(target, owner.options_, owner.with_)) {}

CaInjector::CaInjector(const Collaborators& with, CaInjectorOptions options)
    : with_(with),
      options_(std::move(options)),
      metrics_(with.metrics),
      sources_({.client = with.client, .informers = with.informers, .metrics = with.metrics},
               options_,
               {.enqueue = [this](const Source& source,
                                  std::string_view name) { return SourceChanged(source, name); },
                .is_there = [this](const Source& source,
                                   std::string_view name) { return HasTargets(source, name); }}) {
  for (const Target* target : TargetsOf(options_.kinds)) {
    kinds_.push_back(std::make_unique<Kind>(*this, *target));
    IndexAndWatch(*kinds_.back());
  }
}

void CaInjector::IndexAndWatch(Kind& kind) {
  const Target& target = kind.target;
  for (const Source* source : sources_.all()) {
    const auto indexed =
        kind.informer.AddIndex(std::string(source->annotation()),
                               [&target, source](const Object& object) -> std::vector<std::string> {
                                 const auto value = target.Annotation(object, source->annotation());
                                 if (!value) return {};
                                 auto reference = source->Reference(*value);
                                 if (!reference) return {};
                                 return {*std::move(reference)};
                               });
    CHECK(indexed) << indexed.error().message;
  }
  // What is cached whole is looked at even when it asks for nothing: its bundle's expiry is told.
  kind.controller.Watch(kind.informer, [this, &target](const Object& object) {
    std::vector<Request> requests;
    const bool wanted =
        std::any_of(sources_.all().begin(), sources_.all().end(), [&](const Source* source) {
          return target.Annotation(object, source->annotation()).has_value();
        });
    if (wanted || target.cached_whole()) requests.push_back(Request::Parse(object.key()));
    return requests;
  });
  sources_.AddTo(kind.controller);
}

bool CaInjector::SourceChanged(const Source& source, std::string_view reference) {
  bool wanted = false;
  for (const auto& kind : kinds_) {
    for (const auto& target : kind->informer.store().ByIndex(source.annotation(), reference)) {
      wanted = true;
      kind->controller.Enqueue(Request::Parse(target->key()));
    }
  }
  return wanted;
}

bool CaInjector::HasTargets(const Source& source, std::string_view reference) const {
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
    return !kind->informer.store().ByIndex(source.annotation(), reference).empty();
  });
}

std::vector<CaInjector::TargetStatus> CaInjector::Targets() const {
  std::vector<TargetStatus> all;
  for (TargetOutcome& outcome : outcomes_.All()) {
    TargetStatus status{.outcome = std::move(outcome)};
    for (const auto& kind : kinds_) {
      if (kind->target.type().kind != status.outcome.kind) continue;
      const auto object = kind->informer.store().GetByKey(status.outcome.name);
      if (object == nullptr) continue;
      const Asked asked = AskedFor(kind->target, *object, sources_.all());
      if (asked.source != nullptr) status.source = asked.source->Describe(asked.value);
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

void CaInjector::AddTo(runtime::Manager& manager) {
  const auto add_cache_check = [&](const SharedInformer& informer) {
    const std::string name = "caches-" + informer.type().gvr.resource;
    manager.readyz().Add(name, [this, &informer] { return CheckSynced(informer, options_.clock); });
    manager.readyz().AddNote(name, [&informer] { return runtime::WhyBehind(informer); });
  };
  sources_.AddTo(manager.readyz());
  manager.Add(sources_.events());
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

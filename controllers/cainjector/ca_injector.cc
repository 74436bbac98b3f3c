// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/ca_injector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "capstan/log.h"
#include "capstan/text.h"
#include "controllers/cainjector/endpoints/endpoint_check.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::cainjector {
namespace {

// At the start. Later the check waits as long as a write would.
constexpr std::chrono::seconds kSchemaTimeout(10);

ControllerOptions ControllerOptionsFor(const Target& target, const CaInjectorOptions& options,
                                       const CaInjector::Collaborators& with) {
  return {
      .name = LowerAscii(target.type().kind),  // as controller-runtime names them
      // One namespace has a third of the workers, so that a slow webhook for it delays no other.
      .max_concurrent_reconciles = options.workers_per_kind * (target.type().namespaced ? 3 : 1),
      .fair_namespaces = target.type().namespaced,
      .cache_sync_timeout = options.cache_sync_timeout,
      .exit_on_cache_sync_timeout = options.exit_on_cache_sync_timeout,
      .clock = &options.clock,
      .queue_metrics = &with.metrics.workqueue(),
      .metrics = options.controller_metrics,
      .server = &with.client.availability()};
}

// Returns the key of a target to reconcile. A target that is cached whole is reconciled even
// without an annotation: the expiry of its bundle is reported.
std::vector<Request> KeyOf(const Target& target, const runtime::Object& object) {
  const std::vector<std::string> annotations = InjectAnnotations();
  const bool annotated =
      std::any_of(annotations.begin(), annotations.end(), [&](const std::string& annotation) {
        return target.Annotation(object, annotation).has_value();
      });
  if (!annotated && !target.cached_whole()) return {};
  return {Request::Parse(object.key())};
}

std::unique_ptr<EndpointVerifier> NewVerifier(const CaInjector::Collaborators& with,
                                              const CaInjectorOptions& options) {
  if (!options.verify_endpoints) return nullptr;
  const auto check = std::make_shared<EndpointCheck>(with.client);
  return std::make_unique<EndpointVerifier>(
      EndpointReporter::Collaborators{
          .events = with.events, .metrics = with.metrics, .clock = options.clock},
      EndpointVerifier::Options{.period = *options.verify_endpoints,
                                .retire_after = options.retire_unused_cas_after},
      EndpointVerifier::Check{.read = std::bind_front(&EndpointCheck::Read, check),
                              .ask = std::bind_front(&EndpointCheck::Ask, check)});
}

// Returns the informers of the targets, with an index by the source objects that each of their
// annotations refers to.
std::unique_ptr<cache::InformerView> NewTargetView(const CaInjector::Collaborators& with,
                                                   const CaInjectorOptions& options,
                                                   const Target& target) {
  auto view = NewView(with.informers, target.type(), ScopesOf(target, options));
  for (const std::string& annotation : InjectAnnotations()) {
    MustAddIndex(*view, annotation,
                 [&target, annotation](const runtime::Object& object) -> std::vector<std::string> {
                   const auto value = target.Annotation(object, annotation);
                   if (!value) return {};
                   return ReferencedObjects(annotation, *value);
                 });
  }
  return view;
}

}  // namespace

CaInjector::Kind::Kind(CaInjector& owner, const TargetCache& the_cache)
    : cache(the_cache),
      reporter(target().type(), owner.with_.events, owner.metrics_, owner.outcomes_,
               owner.options_.clock,
               TargetServersType(target().type().gvr.resource) == nullptr ? nullptr
                                                                          : owner.verifier_.get()),
      injector(owner.with_.client, target(), cache.view->store(), owner.sources_.all(), reporter,
               owner.options_, cache.schema.get(), owner.FindTargets()),
      controller(injector, ControllerOptionsFor(target(), owner.options_, owner.with_)) {}

CaInjector::CaInjector(const Collaborators& with, CaInjectorOptions options)
    : with_(with),
      options_(std::move(options)),
      metrics_(NewTargetMetrics(with.metrics)),
      verifier_(NewVerifier(with, options_)),
      caches_(NewCaches()),
      sources_({.client = with.client, .informers = with.informers, .metrics = with.metrics},
               options_) {
  for (const TargetCache& cache : caches_) {
    kinds_.push_back(std::make_unique<Kind>(*this, cache));
    Kind& kind = *kinds_.back();
    kind.controller.Watch(
        *cache.view,
        [target = &cache.target](const runtime::Object& object) { return KeyOf(*target, object); },
        {.optional = cache.target.optional()});
    sources_.Watch(kind.controller, cache.view->store());
    WatchLoops(kind);
  }
  if (verifier_ == nullptr) return;
  verifier_->set_reconcile([this](const std::string& resource, const std::string& key) {
    for (const auto& kind : kinds_) {
      if (kind->target().type().gvr.resource != resource) continue;
      kind->controller.Enqueue(Request::Parse(key));
    }
  });
}

std::vector<CaInjector::TargetCache> CaInjector::NewCaches() const {
  std::vector<TargetCache> caches;
  for (const Target* target : TargetsOf(options_.kinds)) {
    caches.push_back({.target = *target, .view = NewTargetView(with_, options_, *target)});
  }
  for (const FieldTargetPtr& additional : options_.kinds.additional) {
    with_.informers.KeepAlive(additional);
    for (TargetCache& cache : caches) {
      if (&cache.target != &additional->target) continue;
      cache.schema =
          std::make_unique<SchemaCheck>(with_.client, additional->options, options_.clock);
    }
  }
  return caches;
}

// A change of the annotations of a target can make or end a loop of the targets that name it.
void CaInjector::WatchLoops(Kind& kind) {
  if (SourceAnnotationOf(kind.target()).empty()) return;
  for (const TargetCache& named : caches_) {
    const std::string_view annotation = SourceAnnotationOf(named.target);
    if (annotation.empty()) continue;
    kind.controller.Watch(
        *named.view,
        [&targets = kind.cache.view->store(), annotation](const runtime::Object& object) {
          return Referring(targets, ReferencesTo(annotation, object.key()));
        },
        {.optional = true});
  }
}

SourceLoops::FindTarget CaInjector::FindTargets() const {
  return [this](const std::stop_token& /*stop*/, std::string_view annotation,
                const std::string& key) -> runtime::ObjectPtr {
    for (const TargetCache& cache : caches_) {
      if (SourceAnnotationOf(cache.target) != annotation) continue;
      return cache.view->store().GetByKey(key);
    }
    return nullptr;
  };
}

std::vector<CaInjector::TargetStatus> CaInjector::Targets() const {
  std::vector<TargetStatus> all;
  for (TargetOutcome& outcome : outcomes_.All()) {
    TargetStatus status{.outcome = std::move(outcome)};
    for (const auto& kind : kinds_) {
      const Target& target = kind->target();
      if (target.type().kind != status.outcome.kind) continue;
      const auto object = kind->cache.view->store().GetByKey(status.outcome.name);
      if (object == nullptr) continue;
      const SelectedSource selected = SelectSource(*object, sources_.all());
      if (selected.source != nullptr) status.source = selected.source->Describe(selected.value);
      if (target.cached_whole()) status.expires = ExpiryOf(target.Bundles(*object)).first;
    }
    all.push_back(std::move(status));
  }
  return all;
}

std::vector<EndpointVerifier::Status> CaInjector::Endpoints() const {
  return verifier_ == nullptr ? std::vector<EndpointVerifier::Status>() : verifier_->All();
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

Expected<void> CaInjector::CheckTargets(const std::stop_token& stop) {
  for (const TargetCache& cache : caches_) {
    if (cache.schema == nullptr) continue;
    auto checked = cache.schema->Run({stop, options_.clock.Now() + kSchemaTimeout});
    if (checked) continue;
    if (checked.error().reason == ErrorReason::kInvalidArgument) return checked;
    WarningS("Fields are not checked yet", "kind", cache.target.type().kind, "error",
             checked.error().message);
  }
  return {};
}

void CaInjector::AddTo(Manager& manager) {
  sources_.AddTo(manager.readyz());
  manager.Add(sources_);
  if (verifier_ != nullptr) manager.Add(*verifier_);
  for (const auto& kind : kinds_) {
    const bool optional = kind->target().optional();
    // A kind may be both a target and a source, whose cache has the shorter name.
    const std::string name = optional ? "target-caches-" : "caches-";
    AddCacheCheck(
        manager.readyz(), *kind->cache.view,
        {.name = name + kind->target().type().gvr.resource,
         .needed = optional ? CacheCheck::Needed::kIfServed : CacheCheck::Needed::kAlways},
        options_.clock);
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

}  // namespace capstan::cainjector

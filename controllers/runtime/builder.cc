// SPDX-License-Identifier: Apache-2.0
#include "capstan/builder.h"

#include <chrono>

#include "capstan/cache_sync.h"
#include "capstan/text.h"
#include "controllers/runtime/engaged_clusters.h"

namespace capstan {

namespace {

// Returns "apps" for "apps/v1", and nothing for "v1", which is in the core group.
std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::vector<Request> RequestFor(const runtime::Object& object) {
  return {Request::Parse(object.key())};
}

}  // namespace

std::vector<Request> RequestsForOwners(const std::vector<OwnerReference>& references,
                                       std::string_view ns, const runtime::ResourceType& owner,
                                       bool every) {
  std::vector<Request> requests;
  for (const OwnerReference& reference : references) {
    if (!every && !reference.controller) continue;
    if (reference.kind == owner.kind && GroupOf(reference.api_version) == owner.gvr.group) {
      requests.push_back({.namespace_ = owner.namespaced ? std::string(ns) : std::string(),
                          .name = reference.name});
    }
    if (!every) break;  // an object has at most one controller
  }
  return requests;
}

ControllerBuilder::ControllerBuilder(Manager& manager, const runtime::ResourceType& type,
                                     cache::Predicate predicate)
    : manager_(manager), cluster_(nullptr), type_(type) {
  Watches(type, RequestFor, std::move(predicate));
}

ControllerBuilder::ControllerBuilder(Manager& manager, Cluster& cluster,
                                     const runtime::ResourceType& type, cache::Predicate predicate)
    : manager_(manager), cluster_(&cluster), type_(type) {
  Pin(cluster);
  Watches(type, RequestFor, std::move(predicate));
}

ControllerBuilder& ControllerBuilder::Watches(const runtime::ResourceType& type, MapFunc map,
                                              cache::Predicate predicate) {
  sources_.push_back({.type = &type, .map = std::move(map), .predicate = std::move(predicate)});
  return *this;
}

ControllerBuilder& ControllerBuilder::Watches(Cluster& cluster, const runtime::ResourceType& type,
                                              MapFunc map, cache::Predicate predicate) {
  Pin(cluster);
  Watches(type, std::move(map), std::move(predicate));
  sources_.back().cluster = &cluster;
  return *this;
}

ControllerBuilder& ControllerBuilder::EngageClusters(EngageOptions options) {
  engage_ = options;
  if (cluster_ != nullptr && error_.empty()) {
    error_ = "it is declared for the Cluster " + cluster_->name() +
             ", so it cannot engage all; call ControllerFor without a Cluster";
  }
  return *this;
}

void ControllerBuilder::Pin(Cluster& cluster) {
  if (manager_.PinCluster(cluster) || !error_.empty()) return;
  error_ = "the Manager does not have the Cluster " + cluster.name() + "; call AddCluster first";
}

ControllerBuilder& ControllerBuilder::Watches(Channel& channel, MapFunc map) {
  sources_.push_back({.channel = &channel, .map = std::move(map)});
  return *this;
}

ControllerBuilder& ControllerBuilder::WithOptions(ControllerOptions options) {
  options_.emplace(std::move(options));
  return *this;
}

ControllerBuilder& ControllerBuilder::Named(std::string name) {
  name_ = std::move(name);
  return *this;
}

void ControllerBuilder::CheckOwned(const runtime::ResourceType& owned) {
  if (owned.namespaced || !type_.namespaced || !error_.empty()) return;
  error_ = "a cluster-scoped " + owned.kind + " cannot be owned by a namespaced " + type_.kind +
           "; use Watches instead of Owns";
}

Expected<void> ControllerBuilder::Check(const std::string& name) const {
  std::string problem = error_;
  if (problem.empty() && manager_.started()) {
    problem = "the Manager has already started; declare Controllers before Manager::Start";
  }
  if (problem.empty() && manager_.OwnsRunnable(name)) {
    problem =
        "the name is in use, and two Controllers must not report the same metrics; call Named";
  }
  if (problem.empty()) return {};
  return Err(ErrorReason::kInvalidArgument, "controller " + name + ": " + problem);
}

ControllerOptions ControllerBuilder::Options() const {
  const ControllerOptions given = options_ ? *options_ : ControllerOptions{};
  const ManagerOptions& common = manager_.options();
  MetricsProvider* const metrics = common.metrics;
  std::string name = name_.empty() ? given.name : name_;
  if (name.empty()) name = LowerAscii(type_.kind);
  ControllerOptions options{.name = std::move(name),
                            .max_concurrent_reconciles = given.max_concurrent_reconciles,
                            .rate_limiter = given.rate_limiter,
                            .use_priority_queue = given.use_priority_queue,
                            .reconciliation_timeout = given.reconciliation_timeout,
                            .recover_panic = given.recover_panic,
                            .need_leader_election = given.need_leader_election,
                            .enable_warmup = given.enable_warmup,
                            .cache_sync_timeout = given.cache_sync_timeout,
                            .exit_on_cache_sync_timeout = given.exit_on_cache_sync_timeout,
                            .clock = &given.clock == &Clock::Real() ? common.clock : given.clock,
                            .queue_metrics = given.queue_metrics,
                            .metrics = given.metrics,
                            .server = given.server};
  if (options.queue_metrics == nullptr && metrics != nullptr) {
    options.queue_metrics = &metrics->workqueue();
  }
  if (options.metrics == nullptr && metrics != nullptr) options.metrics = &metrics->controllers();
  if (options.server == nullptr) {
    options.server = cluster_ != nullptr ? &cluster_->client().availability()
                                         : &manager_.client().availability();
  }
  return options;
}

cache::SharedInformerFactory& ControllerBuilder::InformersOf(Cluster* cluster) const {
  return cluster != nullptr ? cluster->informers() : manager_.informers();
}

void ControllerBuilder::WatchSource(Controller& controller, const Source& source) const {
  Cluster* const watched = source.cluster != nullptr ? source.cluster : cluster_;
  controller.Watch(InformersOf(watched).ViewOf(*source.type), InOwnCluster(source.map),
                   {.predicate = source.predicate});
}

MapFunc ControllerBuilder::InOwnCluster(MapFunc map) const {
  return cluster_ == nullptr ? map : InCluster(cluster_->name(), std::move(map));
}

void ControllerBuilder::Engage(Controller& controller, const std::vector<Source>& sources) const {
  const auto engage = [&controller, sources](const std::string& name,
                                             cache::SharedInformerFactory& informers) {
    std::vector<ClusterWatch> watches;
    watches.reserve(sources.size());
    for (const Source& source : sources) {
      watches.push_back({.view = &informers.ViewOf(*source.type),
                         .map = source.map,
                         .predicate = source.predicate});
    }
    controller.Engage(name, watches);
  };
  // Like any other, so that the others do not wait for it.
  if (engage_->local_cluster) engage("", manager_.informers());
  manager_.EngageClusters(
      [engage](Cluster& cluster) { engage(cluster.name(), cluster.informers()); },
      [&controller](const std::string& name) { controller.Disengage(name); });
}

Expected<Controller*> ControllerBuilder::Add(std::unique_ptr<Controller> controller) {
  std::vector<Source> everywhere;
  for (const Source& source : sources_) {
    if (source.channel != nullptr) {
      controller->Watch(*source.channel, InOwnCluster(source.map));
      continue;
    }
    if (engage_ && source.cluster == nullptr) {
      everywhere.push_back(source);
    } else {
      WatchSource(*controller, source);
    }
  }
  Controller* const added = controller.get();
  manager_.Add(std::move(controller));
  if (engage_) Engage(*added, everywhere);
  return added;
}

Expected<Controller*> ControllerBuilder::Reconcile(Reconciler& reconciler) {
  ControllerOptions options = Options();
  if (auto ok = Check(options.name); !ok) return Err(std::move(ok.error()));
  return Add(std::make_unique<Controller>(reconciler, std::move(options)));
}

Expected<Controller*> ControllerBuilder::Reconcile(std::unique_ptr<Reconciler> reconciler) {
  ControllerOptions options = Options();
  if (auto ok = Check(options.name); !ok) return Err(std::move(ok.error()));
  return Add(std::make_unique<Controller>(std::move(reconciler), std::move(options)));
}

namespace {

// Returns the informer that has the objects of the namespace of `object`.
Expected<const cache::SharedInformer*> InformerOf(cache::SharedInformerFactory& informers,
                                                  const runtime::ResourceType& type,
                                                  const runtime::Object& object) {
  const cache::SharedInformer* const informer =
      informers.ViewOf(type).InformerFor(object.namespace_());
  if (informer != nullptr) return informer;
  return Err(ErrorReason::kInvalidArgument,
             "the cache of " + type.gvr.resource + " does not have the namespace of " +
                 std::string(object.key()) + "; add it to FactoryOptions::namespaces");
}

// Returns `call` with a deadline.
rest::CallOptions Limited(rest::CallOptions call, const Clock& clock) {
  constexpr std::chrono::seconds kTimeout{10};
  if (call.deadline == Clock::TimePoint::max()) call.deadline = clock.After(kTimeout);
  return call;
}

Expected<void> WaitForVersionIn(cache::SharedInformerFactory& informers,
                                const rest::CallOptions& call, const runtime::ResourceType& type,
                                const runtime::Object& object) {
  const auto informer = InformerOf(informers, type, object);
  if (!informer) return Err(informer.error());
  return (*informer)->WaitForVersion(call, object.resource_version());
}

Expected<void> WaitForDeletionIn(cache::SharedInformerFactory& informers,
                                 const rest::CallOptions& call, const runtime::ResourceType& type,
                                 const runtime::Object& object) {
  const auto informer = InformerOf(informers, type, object);
  if (!informer) return Err(informer.error());
  return (*informer)->WaitForDeletion(call, object.key(), object.uid(), object.resource_version());
}

}  // namespace

Expected<void> detail::WaitForCacheSync(const rest::CallOptions& call, Manager& manager,
                                        const runtime::ResourceType& type) {
  Clock& clock = manager.options().clock;
  return WaitForSync(Limited(call, clock), manager.informers().ViewOf(type).informers(), clock);
}

Expected<void> detail::WaitForCacheSync(const rest::CallOptions& call, Cluster& cluster,
                                        const runtime::ResourceType& type) {
  Clock& clock = cluster.clock();
  return WaitForSync(Limited(call, clock), cluster.informers().ViewOf(type).informers(), clock);
}

Expected<void> detail::WaitForCacheVersion(const rest::CallOptions& call, Manager& manager,
                                           const runtime::ResourceType& type,
                                           const runtime::Object& object) {
  return WaitForVersionIn(manager.informers(), Limited(call, manager.options().clock), type,
                          object);
}

Expected<void> detail::WaitForCacheVersion(const rest::CallOptions& call, Cluster& cluster,
                                           const runtime::ResourceType& type,
                                           const runtime::Object& object) {
  return WaitForVersionIn(cluster.informers(), Limited(call, cluster.clock()), type, object);
}

Expected<void> detail::WaitForCacheDeletion(const rest::CallOptions& call, Manager& manager,
                                            const runtime::ResourceType& type,
                                            const runtime::Object& object) {
  return WaitForDeletionIn(manager.informers(), Limited(call, manager.options().clock), type,
                           object);
}

Expected<void> detail::WaitForCacheDeletion(const rest::CallOptions& call, Cluster& cluster,
                                            const runtime::ResourceType& type,
                                            const runtime::Object& object) {
  return WaitForDeletionIn(cluster.informers(), Limited(call, cluster.clock()), type, object);
}

}  // namespace capstan

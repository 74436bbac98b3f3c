// SPDX-License-Identifier: Apache-2.0
#include "capstan/builder.h"

#include <chrono>

#include "capstan/cache_sync.h"
#include "capstan/runtime/group_version.h"
#include "capstan/text.h"
#include "controllers/runtime/engaged_clusters.h"

namespace capstan {

namespace {

// Returns "apps" for "apps/v1", and nothing for "v1", which is in the core group.
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
    if (reference.kind == owner.kind &&
        runtime::GroupOf(reference.api_version) == owner.gvr.group) {
      requests.push_back({.namespace_ = owner.namespaced ? std::string(ns) : std::string(),
                          .name = reference.name});
    }
    if (!every) break;  // an object has at most one controller
  }
  return requests;
}

ControllerBuilder::ControllerBuilder(Manager& manager, Cluster& cluster,
                                     const runtime::ResourceType& type, cache::Predicate predicate)
    : manager_(manager), cluster_(cluster), type_(type) {
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
  if (&cluster_ != &manager_ && error_.empty()) {
    error_ = "it is declared for the Cluster " + cluster_.name() +
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
  options_ = std::move(options);
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
  if (problem.empty() && manager_.FindRunnable(name) != nullptr) {
    problem =
        "the name is in use, and two Controllers must not report the same metrics; call Named";
  }
  if (problem.empty()) return {};
  return Err(ErrorReason::kInvalidArgument, "controller " + name + ": " + problem);
}

ControllerOptions ControllerBuilder::Options() const {
  ControllerOptions options = options_;
  if (!name_.empty()) options.name = name_;
  if (options.name.empty()) options.name = LowerAscii(type_.kind);
  if (options.clock == nullptr) options.clock = &manager_.clock();
  if (options.server == nullptr) options.server = &cluster_.client().availability();
  MetricsProvider* const metrics = manager_.options().cluster.metrics;
  if (metrics == nullptr) return options;
  if (options.queue_metrics == nullptr) options.queue_metrics = &metrics->workqueue();
  if (options.metrics == nullptr) options.metrics = &metrics->controllers();
  return options;
}

void ControllerBuilder::WatchSource(Controller& controller, const Source& source) const {
  Cluster& watched = source.cluster != nullptr ? *source.cluster : cluster_;
  controller.Watch(watched.informers().ViewOf(*source.type), InOwnCluster(source.map),
                   {.predicate = source.predicate});
}

MapFunc ControllerBuilder::InOwnCluster(MapFunc map) const {
  return cluster_.name().empty() ? map : InCluster(cluster_.name(), std::move(map));
}

void ControllerBuilder::Engage(Controller& controller, const std::vector<Source>& sources) const {
  const auto engage = [&controller, sources](Cluster& cluster) {
    std::vector<ClusterWatch> watches;
    watches.reserve(sources.size());
    for (const Source& source : sources) {
      watches.push_back({.view = &cluster.informers().ViewOf(*source.type),
                         .map = source.map,
                         .predicate = source.predicate});
    }
    controller.Engage(cluster.name(), watches);
  };
  // Like any other, so that the others do not wait for it.
  if (engage_->local_cluster) engage(manager_);
  manager_.EngageClusters(engage,
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
Expected<const cache::SharedInformer*> InformerOf(Cluster& cluster,
                                                  const runtime::ResourceType& type,
                                                  const runtime::Object& object) {
  const cache::SharedInformer* const informer =
      cluster.informers().ViewOf(type).InformerFor(object.namespace_());
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

}  // namespace

Expected<void> detail::WaitForCacheSync(const rest::CallOptions& call, Cluster& cluster,
                                        const runtime::ResourceType& type) {
  return WaitForSync(Limited(call, cluster.clock()), cluster.informers().ViewOf(type).informers(),
                     cluster.clock());
}

Expected<void> detail::WaitForCacheVersion(const rest::CallOptions& call, Cluster& cluster,
                                           const runtime::ResourceType& type,
                                           const runtime::Object& object) {
  const auto informer = InformerOf(cluster, type, object);
  if (!informer) return Err(informer.error());
  return (*informer)->WaitForVersion(Limited(call, cluster.clock()), object.resource_version());
}

Expected<void> detail::WaitForCacheDeletion(const rest::CallOptions& call, Cluster& cluster,
                                            const runtime::ResourceType& type,
                                            const runtime::Object& object) {
  const auto informer = InformerOf(cluster, type, object);
  if (!informer) return Err(informer.error());
  return (*informer)->WaitForDeletion(Limited(call, cluster.clock()), object.key(), object.uid(),
                                      object.resource_version());
}

}  // namespace capstan

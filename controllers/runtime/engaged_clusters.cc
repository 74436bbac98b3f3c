// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/engaged_clusters.h"

#include <algorithm>
#include <utility>

#include "capstan/cache_sync.h"
#include "capstan/log.h"
#include "capstan/thread.h"

namespace capstan {

MapFunc InCluster(std::string cluster, MapFunc map) {
  return [cluster = std::move(cluster), map = std::move(map)](const runtime::Object& object) {
    std::vector<Request> requests = map(object);
    for (Request& request : requests) {
      if (request.cluster.empty()) request.cluster = cluster;
    }
    return requests;
  };
}

struct EngagedClusters::Engaged {
  std::string name;
  std::vector<Source> sources = {};
  std::stop_source stop = {};
  // With mu_ held:
  bool synced = false;
  int running = 0;
  std::map<std::string, int> held = {};  // key to priority
  // With change_mu_ held. Last: it uses the others.
  std::jthread sync = {};
};

void EngagedClusters::Engage(const std::string& name, std::vector<Source> sources) {
  const auto engaged = std::make_shared<Engaged>();
  engaged->name = name;
  engaged->sources = std::move(sources);
  const MutexLock change(change_mu_);
  {
    const MutexLock lock(mu_);
    engages_ = true;
    engaged_.insert_or_assign(name, engaged);
  }
  if (started_) StartOne(*engaged);
}

void EngagedClusters::Disengage(const std::string& name) {
  Ptr engaged;
  {
    const MutexLock change(change_mu_);
    {
      const MutexLock lock(mu_);
      auto node = engaged_.extract(name);
      if (node.empty()) return;
      engaged = std::move(node.mapped());
    }
    StopOne(*engaged);
  }
  engaged->stop.request_stop();
  const MutexLock lock(mu_);
  left_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) { return engaged->running == 0; });
}

void EngagedClusters::Start() {
  const MutexLock change(change_mu_);
  started_ = true;
  std::vector<Ptr> all;
  {
    const MutexLock lock(mu_);
    for (const auto& [name, engaged] : engaged_) all.push_back(engaged);
  }
  for (const Ptr& engaged : all) StartOne(*engaged);
}

void EngagedClusters::Stop() {
  const MutexLock change(change_mu_);
  if (!std::exchange(started_, false)) return;
  std::vector<Ptr> all;
  {
    const MutexLock lock(mu_);
    for (const auto& [name, engaged] : engaged_) all.push_back(engaged);
  }
  for (const Ptr& engaged : all) StopOne(*engaged);
}

void EngagedClusters::StartOne(Engaged& engaged) {
  for (const Source& source : engaged.sources) {
    const auto acquired = source.handler->Acquire(*source.subscriber);
    if (!acquired) ErrorS(acquired.error(), "Failed to watch a cluster", "cluster", engaged.name);
  }
  engaged.sync = StartThread("sync/" + engaged.name, [this, &engaged](const std::stop_token& stop) {
    AwaitSync(engaged, stop);
  });
}

void EngagedClusters::StopOne(Engaged& engaged) {
  engaged.sync = {};  // stops and joins it
  for (const Source& source : engaged.sources) source.handler->Release(*source.subscriber);
  const MutexLock lock(mu_);
  engaged.synced = false;
}

void EngagedClusters::AwaitSync(Engaged& engaged, const std::stop_token& stop) {
  std::vector<WatchedCache> caches;
  caches.reserve(engaged.sources.size());
  for (const Source& source : engaged.sources) {
    caches.push_back({.informer = &source.handler->informer(),
                      .handled = [&handler = *source.handler] { return handler.HasSynced(); }});
  }
  const auto on_timeout = [this](const cache::SharedInformer& informer) {
    options_.on_timeout(informer);
    return true;  // other Clusters work
  };
  if (!WaitForSync(stop, caches, {options_.clock, options_.cache_sync_timeout, on_timeout})) return;
  std::map<std::string, int> held;
  {
    const MutexLock lock(mu_);
    engaged.synced = true;
    held.swap(engaged.held);
  }
  for (const auto& [item, priority] : held) options_.add(item, priority);
}

bool EngagedClusters::Hold(const std::string& cluster, const std::string& item, int priority) {
  const MutexLock lock(mu_);
  return MayBeGoneLocked(cluster) && HoldLocked(cluster, item, priority);
}

bool EngagedClusters::HoldLocked(const std::string& cluster, const std::string& item,
                                 int priority) {
  const auto at = engaged_.find(cluster);
  if (at == engaged_.end()) return true;
  if (at->second->synced) return false;
  const auto [held, is_new] = at->second->held.try_emplace(item, priority);
  held->second = std::max(held->second, priority);
  return true;
}

bool EngagedClusters::MayBeGone(const std::string& cluster) const {
  const MutexLock lock(mu_);
  return MayBeGoneLocked(cluster);
}

bool EngagedClusters::MayBeGoneLocked(const std::string& cluster) const {
  return cluster.empty() ? engaged_.contains("") : engages_;
}

EngagedClusters::Ptr EngagedClusters::Enter(const std::string& cluster, const std::string& item,
                                            int priority) {
  const MutexLock lock(mu_);
  if (HoldLocked(cluster, item, priority)) return nullptr;
  const Ptr& engaged = engaged_.find(cluster)->second;
  ++engaged->running;
  return engaged;
}

void EngagedClusters::Leave(const Ptr& engaged) {
  const MutexLock lock(mu_);
  --engaged->running;
  left_.NotifyAll();
}

std::stop_token EngagedClusters::StopOf(const Ptr& engaged) { return engaged->stop.get_token(); }

}  // namespace capstan

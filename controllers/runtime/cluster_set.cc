// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/cluster_set.h"

#include <utility>

#include "capstan/log.h"
#include "capstan/thread.h"

namespace capstan {

Expected<void> ClusterSet::Add(std::shared_ptr<Cluster> cluster) {
  const std::string name = cluster->name();
  if (name.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "a Cluster of a Manager needs a name; set ClusterOptions::name");
  }
  std::vector<ClusterAware> aware;
  {
    const MutexLock lock(mu_);
    if (ended_) return Err(ErrorReason::kCanceled, "the Manager has stopped");
    if (entries_.contains(name)) {
      return Err(ErrorReason::kAlreadyExists,
                 "the Manager has a Cluster " + name + "; call RemoveCluster first");
    }
    if (!cluster->Claim()) {
      return Err(ErrorReason::kInvalidArgument, "the Cluster " + name +
                                                    " was in a Manager before; make a new one with "
                                                    "Cluster::New");
    }
    Entry& entry = entries_[name];
    entry.cluster = cluster;
    if (stop_) StartOne(entry);
    aware = aware_;
  }
  // Without the lock, because a Controller starts threads that may use the set.
  for (const ClusterAware& each : aware) each.engage(*cluster);
  InfoS("Added a cluster", "cluster", name, "server", cluster->client().config().host);
  const MutexLock lock(mu_);
  entries_.find(name)->second.state = State::kActive;
  changed_.NotifyAll();
  return {};
}

Expected<void> ClusterSet::Remove(const std::string& name) {
  std::vector<ClusterAware> aware;
  {
    const MutexLock lock(mu_);
    changed_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) {
      const auto at = entries_.find(name);
      return at == entries_.end() || at->second.state != State::kAdding;
    });
    const auto at = entries_.find(name);
    if (at == entries_.end() || at->second.state == State::kRemoving) {
      return Err(ErrorReason::kNotFound, "the Manager has no Cluster " + name);
    }
    if (at->second.pinned) {
      return Err(ErrorReason::kInvalidArgument,
                 "a Controller watches the Cluster " + name +
                     " until the Manager stops; declare it with EngageClusters instead");
    }
    at->second.state = State::kRemoving;
    aware = aware_;
  }
  for (const ClusterAware& each : aware) each.disengage(name);
  std::shared_ptr<Cluster> cluster;
  std::jthread thread;
  {
    const MutexLock lock(mu_);
    Entry& entry = entries_.find(name)->second;
    cluster = std::move(entry.cluster);
    thread = std::move(entry.thread);
  }
  thread = {};  // stops and joins it
  cluster = nullptr;
  const MutexLock lock(mu_);
  entries_.erase(entries_.find(name));
  InfoS("Removed a cluster", "cluster", name);
  return {};
}

std::shared_ptr<Cluster> ClusterSet::Get(std::string_view name) const {
  const MutexLock lock(mu_);
  const auto at = entries_.find(name);
  if (at == entries_.end() || at->second.state == State::kRemoving) return nullptr;
  return at->second.cluster;
}

std::vector<std::string> ClusterSet::Names() const {
  const MutexLock lock(mu_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    if (entry.state != State::kRemoving) names.push_back(name);
  }
  return names;
}

void ClusterSet::AddAware(const ClusterAware& aware) {
  std::vector<std::shared_ptr<Cluster>> clusters;
  {
    const MutexLock lock(mu_);
    for (const auto& [name, entry] : entries_) {
      if (entry.state != State::kRemoving) clusters.push_back(entry.cluster);
    }
    aware_.push_back(aware);
  }
  for (const auto& cluster : clusters) aware.engage(*cluster);
}

bool ClusterSet::Pin(const Cluster& cluster) {
  const MutexLock lock(mu_);
  const auto at = entries_.find(cluster.name());
  if (at == entries_.end() || at->second.cluster.get() != &cluster) return false;
  at->second.pinned = true;
  return true;
}

void ClusterSet::StartOne(Entry& entry) {
  auto run = [cluster = entry.cluster, outer = *stop_](const std::stop_token& own) {
    LinkedStopSource both(outer);
    const std::stop_callback on_own(own, [&both] { both.RequestStop(); });
    const auto ended = cluster->Start(both.token());
    if (!ended) ErrorS(ended.error(), "Cluster failed", "cluster", cluster->name());
  };
  entry.thread = StartThread("cluster/" + entry.cluster->name(), std::move(run));
}

Expected<void> ClusterSet::Begin(std::stop_token stop) {
  const MutexLock lock(mu_);
  stop_ = std::move(stop);
  for (auto& [name, entry] : entries_) {
    if (entry.state != State::kRemoving) StartOne(entry);  // Remove has moved its Cluster out
  }
  return {};
}

void ClusterSet::End() {
  std::vector<std::jthread> running;
  {
    const MutexLock lock(mu_);
    ended_ = true;
    for (auto& [name, entry] : entries_) running.push_back(std::move(entry.thread));
  }
  running.clear();  // stops and joins them
}

}  // namespace capstan

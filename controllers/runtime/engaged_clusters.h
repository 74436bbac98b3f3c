// SPDX-License-Identifier: Apache-2.0
// EngagedClusters is what a Controller watches in Clusters that come and go while it runs: their
// handlers, the keys that wait for their caches, and the reconciliations that use them. Internal to
// this folder. The Manager's own Cluster has the name "", and can be engaged like any other.
// Thread-safe. Mirrors the engaged clusters of multicluster-runtime's mccontroller.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/controller.h"
#include "capstan/error.h"
#include "capstan/mutex.h"

namespace capstan {

// Returns `map` with `cluster` in its requests that have none.
MapFunc InCluster(std::string cluster, MapFunc map);

struct EngagedClustersOptions {
  Clock& clock;
  std::chrono::nanoseconds cache_sync_timeout;
  std::function<void(const cache::SharedInformer& informer)> on_timeout;
  // Queues a key.
  std::function<void(std::string item, int priority)> add;
};

class EngagedClusters {
 public:
  struct Source {
    std::unique_ptr<SharedHandler> handler;
    SharedHandler::Subscriber* subscriber = nullptr;  // the only one
  };
  struct Engaged;
  using Ptr = std::shared_ptr<Engaged>;

  explicit EngagedClusters(EngagedClustersOptions options) : options_(std::move(options)) {}
  ~EngagedClusters() { Stop(); }
  EngagedClusters(const EngagedClusters&) = delete;
  EngagedClusters& operator=(const EngagedClusters&) = delete;

  // Starts the handlers if the Controller runs, else its Start does.
  void Engage(const std::string& name, std::vector<Source> sources);
  // Removes the handlers, stops the reconciliations of this Cluster, and waits for them.
  void Disengage(const std::string& name);
  void Start();
  void Stop();

  // Takes a key of a Cluster whose caches are not synced, and drops one of a Cluster that is not
  // engaged. Returns false if the key is to be queued now.
  bool Hold(const std::string& cluster, const std::string& item, int priority);
  // Reports whether Enter is needed for a key of this Cluster: only Controllers that engage
  // Clusters lose them, and the Manager's own Cluster stays unless it is engaged.
  bool MayBeGone(const std::string& cluster) const;
  // Begins a reconciliation that uses the Cluster. Call Leave afterwards. Returns nullptr if the
  // key was dropped or held: its Cluster may have gone, or come back, since the key was queued.
  Ptr Enter(const std::string& cluster, const std::string& item, int priority);
  void Leave(const Ptr& engaged);
  // Is requested when the Cluster is removed.
  static std::stop_token StopOf(const Ptr& engaged);

 private:
  void StartOne(Engaged& engaged) CAPSTAN_REQUIRES(change_mu_);
  void StopOne(Engaged& engaged) CAPSTAN_REQUIRES(change_mu_);
  void AwaitSync(Engaged& engaged, const std::stop_token& stop);
  bool MayBeGoneLocked(const std::string& cluster) const CAPSTAN_REQUIRES(mu_);
  bool HoldLocked(const std::string& cluster, const std::string& item, int priority)
      CAPSTAN_REQUIRES(mu_);

  const EngagedClustersOptions options_;
  // Makes changes one at a time. Handlers and reconciliations never take it.
  Mutex change_mu_;
  bool started_ CAPSTAN_GUARDED_BY(change_mu_) = false;
  mutable Mutex mu_;
  CondVar left_;
  bool engages_ CAPSTAN_GUARDED_BY(mu_) = false;  // ever
  std::map<std::string, Ptr> engaged_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
// GateCaches are the caches that gates read: the node's pods, the Node if a gate needs it, and the
// ConfigMaps that gates name. Objects keep only what the gates need. A cache that the API server
// denies affects only the gates that need it. All lookups are in memory.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/config_map.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/metrics/metrics.h"
#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/pass_ticker.h"
#include "controllers/resolver/resolver.h"

namespace capstan::readinessgate {

// Returns why a cache is unknown, for a pod's status: "cannot list configmaps in namespace a:
// forbidden" while the API server denies it, otherwise "configmaps in namespace a have not been
// read yet". The text is stable and has no text from the API server. `ns` is the informer's
// namespace, or "".
std::string WhyUnknown(const cache::SharedInformer& informer, std::string_view ns = {});

// Returns a handler that wakes the ticker on every change.
cache::EventHandler WakeOnChange(PassTicker& ticker, WakeCause cause);

// ConfigMapCaches caches the ConfigMaps that gates name. Each has an informer with a field
// selector, which needs rights on that name only. When gates name more than kNamesMax ConfigMaps of
// a namespace, one informer for the namespace replaces theirs. It keeps the identity of the others.
// If the API server denies that, each name has its own informer again.
//
// Informers start with the factory. Thread-safe, except that one thread calls FallBack.
class ConfigMapCaches {
 public:
  // More watches cost the API server more than one watch of the namespace.
  static constexpr std::size_t kNamesMax = 8;
  using Names = std::set<std::string, std::less<>>;

  struct Collaborators {
    cache::SharedInformerFactory& informers;
    metrics::Metrics::Counter* lookups = nullptr;  // see NewResolverCounter; null: not counted
    cache::EventHandler handler = {};              // for every informer
    Names data_keys = {};                          // see MakeGateConfigMapType
  };
  // `keys` are "namespace/name". The factory stops its informers before this is destroyed.
  ConfigMapCaches(Collaborators with, const Names& keys);

  // Replaces each denied informer of a namespace by one informer for each name.
  void FallBack() CAPSTAN_EXCLUDES(mu_);
  // See ClusterReader::FindConfigMap.
  Expected<api::ConfigMapPtr> Find(const runtime::ObjectKey& key) const CAPSTAN_EXCLUDES(mu_);

 private:
  struct Cache {
    cache::SharedInformer* informer;  // owned by the factory
    std::unique_ptr<resolver::Resolver> resolver;
  };
  struct Shared {
    cache::SharedInformer* informer;
    Names names;
  };

  std::shared_ptr<Cache> MakeCache(const runtime::ResourceType& type,
                                   const cache::Scope& scope) const;
  void WatchName(const std::string& ns, const std::string& name) CAPSTAN_EXCLUDES(mu_);
  void WatchNamespace(const std::string& ns, const Names& names) CAPSTAN_EXCLUDES(mu_);

  const Collaborators with_;
  const runtime::ResourceType named_type_;
  std::map<std::string, runtime::ResourceType, std::less<>> types_;  // by namespace
  mutable Mutex mu_;
  std::map<std::string, std::shared_ptr<Cache>, std::less<>> caches_
      CAPSTAN_GUARDED_BY(mu_);                         // by key
  std::map<std::string, Shared, std::less<>> shared_;  // by namespace; for FallBack's thread
};

struct GateCachesOptions {
  std::string node_name = {};
  std::string csi_driver = {};
  cache::ReflectorOptions reflector = {};
  metrics::Metrics::Counter* lookups = nullptr;  // of ConfigMaps, see NewResolverCounter
};

// Thread-safe, except that one thread calls IsSettled and FallBack. The destructor stops all
// informers.
class GateCaches final : public ClusterReader {
 public:
  using Pods = std::vector<PodPtr>;
  // Changes of objects that gates may read wake the ticker. `client` and `ticker` outlive it.
  GateCaches(rest::Client& client, const GateCachesOptions& options, const GateNeeds& needs,
             PassTicker& ticker);

  void Start(std::stop_token stop) { informers_.Start(std::move(stop)); }
  // Returns whether all pods of the node are known.
  bool HasPods() const { return pods_->HasSynced(); }
  // Returns whether, in addition, every other cache is synced or denied. A gate that needs a denied
  // cache stays closed until the right is granted.
  bool IsSettled() const;
  // See ConfigMapCaches.
  void FallBack() { config_maps_->FallBack(); }
  // For /readyz: names the caches that are not synced, and why.
  Expected<void> Ready() const;
  std::vector<cache::SharedInformerFactory::CacheStatus> Statuses() const {
    return informers_.Statuses();
  }

  // Reports whether the agent is responsible for the pod: it is on this node, has a volume of the
  // driver, is not the mirror of a static pod and has not finished.
  bool IsOurs(const Pod& pod) const;
  Pods OurPods() const;
  PodPtr FindPod(std::string_view key) const;

  Expected<NodePtr> OwnNode() const override;
  Expected<api::ConfigMapPtr> FindConfigMap(const runtime::ObjectKey& key) const override {
    return config_maps_->Find(key);
  }

 private:
  cache::EventHandler WakeOnOurPods(PassTicker& ticker) const;

  const GateCachesOptions options_;
  const runtime::ResourceType pod_type_;
  cache::SharedInformer* pods_ = nullptr;  // owned by the factory
  cache::SharedInformer* node_ = nullptr;  // null when no gate needs the Node
  std::unique_ptr<ConfigMapCaches> config_maps_;
  cache::SharedInformerFactory informers_;  // last: it ends before what it calls
};

}  // namespace capstan::readinessgate

// SPDX-License-Identifier: Apache-2.0
// Sources: the caches that gates read: this node's pods, the Node if a gate asks for it, and each
// ConfigMap that a gate names, one informer each with a field selector. Of objects only what the
// gates need is kept. Made for one GateNeeds; other needs take other Sources.
//
// All lookups are in memory and thread-safe. Starts with Start; the destructor stops all informers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/pod.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/rest/client.h"
#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/loop/gate_loop.h"
#include "controllers/resolver/resolver.h"
#include "metrics/metrics.h"

namespace controllers::readinessgate {

struct SourcesOptions {
  std::string node_name = {};
  std::string csi_driver = {};
  clientgo::cache::ReflectorOptions reflector = {};
  metrics::Metrics::Counter* lookups = nullptr;  // of ConfigMaps, see NewResolverCounter
};

class Sources final : public World {
 public:
  // On an informer's thread: something changed that a gate may read.
  using OnChange = std::function<void(WakeCause)>;
  // `client` outlives it.
  Sources(clientgo::rest::Client& client, const SourcesOptions& options, const GateNeeds& needs,
          OnChange on_change);
  ~Sources() override;

  void Start(std::stop_token stop);
  // All pods of the node are known, and what else can be. What the API server refuses is not waited
  // for: a gate that needs it stays closed.
  bool HasSynced() const;
  // For /readyz: which cache is not synced, and why.
  clientgo::util::Expected<void> Ready() const;
  // How each cache is doing, for people.
  std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> Caches() const {
    return informers_.Statuses();
  }

  // Whether the agent has anything to do with the pod: it is on this node, has a volume of the
  // driver, is no mirror of a static pod, and not finished.
  bool IsOurs(const clientgo::api::Pod& pod) const;
  std::vector<std::shared_ptr<const clientgo::api::Pod>> Pods() const;  // ours
  std::shared_ptr<const clientgo::api::Pod> FindPod(std::string_view key) const;

  std::shared_ptr<const clientgo::api::Node> OwnNode() const override;
  clientgo::util::Expected<std::shared_ptr<const clientgo::api::ConfigMap>> FindConfigMap(
      const clientgo::runtime::ObjectKey& key) const override;

 private:
  using Resolver = resolver::NamespacedResourceResolver<clientgo::api::ConfigMap>;
  void WatchPods();
  void WatchConfigMap(const clientgo::runtime::ObjectKey& key);
  clientgo::cache::EventHandler WakeOnAny(WakeCause cause) const;

  const SourcesOptions options_;
  const OnChange on_change_;
  const clientgo::runtime::ResourceType pod_type_;
  clientgo::cache::SharedInformer* pods_ = nullptr;  // the factory's
  clientgo::cache::SharedInformer* node_ = nullptr;  // null: no gate needs it
  std::map<std::string, std::unique_ptr<Resolver>, std::less<>> config_maps_;  // by key
  clientgo::cache::SharedInformerFactory informers_;  // last: it ends before what it calls
};

}  // namespace controllers::readinessgate

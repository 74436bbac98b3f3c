// SPDX-License-Identifier: Apache-2.0
// Sources: the caches that gates read: this node's pods, the Node if a gate asks for it, and the
// ConfigMaps that gates name. Of objects only what the gates need is kept. Made for one GateNeeds;
// other needs take other Sources. A cache that the API server denies stops only its gates.
//
// All lookups are in memory. Thread-safe, but IsSettled and FallBack are for one thread. Starts
// with Start; the destructor stops all informers.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/pod.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/rest/client.h"
#include "controllers/readinessgate/config_map_caches.h"
#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/loop/gate_loop.h"
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
  // All pods of the node are known.
  bool HasPods() const { return pods_->HasSynced(); }
  // All pods are known, and every other cache is synced, or denied: a gate that needs a denied one
  // stays closed until the right is granted.
  bool IsSettled() const;
  // See ConfigMapCaches.
  void FallBack() { config_maps_->FallBack(); }
  // For /readyz: which caches are not synced, and why.
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

  clientgo::util::Expected<std::shared_ptr<const clientgo::api::Node>> OwnNode() const override;
  clientgo::util::Expected<std::shared_ptr<const clientgo::api::ConfigMap>> FindConfigMap(
      const clientgo::runtime::ObjectKey& key) const override;

 private:
  void WatchPods();
  clientgo::cache::EventHandler WakeOnAny(WakeCause cause) const;

  const SourcesOptions options_;
  const OnChange on_change_;
  const clientgo::runtime::ResourceType pod_type_;
  clientgo::cache::SharedInformer* pods_ = nullptr;  // the factory's
  clientgo::cache::SharedInformer* node_ = nullptr;  // null: no gate needs it
  std::unique_ptr<ConfigMapCaches> config_maps_;
  clientgo::cache::SharedInformerFactory informers_;  // last: it ends before what it calls
};

}  // namespace controllers::readinessgate

// SPDX-License-Identifier: Apache-2.0
// GateSetSource: the named gate sets of one ConfigMap, read again when it changes. A ConfigMap that
// is wrong, or gone, changes nothing: the last good sets stay, an Event on it and a metric say why.
//
// Refresh and sets are for one thread; the rest is thread-safe.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/runtime/object.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "metrics/metrics.h"

namespace controllers::readinessgate {

class GateSetSource {
 public:
  struct Collaborators {
    clientgo::rest::Client& client;
    clientgo::record::EventRecorder& events;
    metrics::Metrics::Counter& reloads;  // {result}
    std::function<void()> on_change;     // on an informer's thread
  };
  // What is referred to outlives it.
  GateSetSource(const Collaborators& with, clientgo::runtime::ObjectKey config_map,
                clientgo::cache::ReflectorOptions reflector);

  void Start(std::stop_token stop);
  // It is known what the ConfigMap says, or the API server denies it.
  bool IsSettled() const;
  // Why nobody knows what the ConfigMap says, for a pod's status; empty: it is known.
  std::string WhyUnknown() const;
  // For /readyz: why its cache is not synced.
  clientgo::util::Expected<void> Ready() const;
  std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> Caches() const {
    return informers_.Statuses();
  }

  // True: sets() has changed.
  bool Refresh();
  const GateSets& sets() const { return sets_; }

 private:
  const Collaborators with_;
  const clientgo::runtime::ObjectKey key_;
  const clientgo::cache::ReflectorOptions reflector_;
  clientgo::cache::SharedInformer* informer_ = nullptr;  // the factory's
  GateSets sets_;
  std::string version_;  // of the ConfigMap that was read last
  clientgo::cache::SharedInformerFactory informers_;
};

}  // namespace controllers::readinessgate

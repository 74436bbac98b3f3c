// SPDX-License-Identifier: Apache-2.0
// Generations: the gate rules in use and the caches that they need, exchanged together when the
// gate sets change. New caches take over once they hold everything; until then the old ones count.
//
// No cache stops the others: one that is denied, or that has no answer kSettleTime after the pods
// are known, is not waited for. All agents of a cluster see a change of the gate sets at once, so
// each waits for a random part of relist_spread before it lists again.
//
// Start, Prepare and next_due are for the loop's thread; the rest is thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/mutex.h"
#include "controllers/readinessgate/gate_metrics.h"
#include "controllers/readinessgate/gate_set_source.h"
#include "controllers/readinessgate/gates/gate_rules.h"
#include "controllers/readinessgate/options.h"
#include "controllers/readinessgate/sources.h"
#include "metrics/metrics.h"

namespace controllers::readinessgate {

class Generations {
 public:
  static constexpr std::chrono::seconds kSettleTime{5};

  struct Collaborators {
    clientgo::rest::Client& client;
    clientgo::record::EventRecorder& events;
    const GateMetrics& metrics;
    clientgo::cache::ReflectorOptions reflector = {};
    metrics::Metrics::Counter* lookups = nullptr;  // of ConfigMaps
    Sources::OnChange on_change = {};              // on an informer's thread
  };
  // What is referred to outlives it.
  Generations(const Collaborators& with, const AgentOptions& options);
  ~Generations();

  void Start(std::stop_token stop);

  struct InUse {
    GateRules rules;
    std::shared_ptr<Sources> sources;
  };
  // What counts now; nullopt: the pods are not known yet.
  std::optional<InUse> Prepare() EXCLUDES(mu_);
  // Prepare has something to do then, even if nothing happens.
  clientgo::util::Clock::TimePoint next_due() const;

  // From the caches in use; nullptr: they do not have it.
  std::shared_ptr<const clientgo::api::Pod> FindPod(std::string_view key) const EXCLUDES(mu_);
  std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> Caches() const;
  // For /readyz: which caches are not synced, and why.
  clientgo::util::Expected<void> Ready() const;

 private:
  using TimePoint = clientgo::util::Clock::TimePoint;
  struct Generation : InUse {
    GateNeeds needs;
  };
  // The caches in use, which need not be synced; null: none yet.
  std::shared_ptr<Sources> sources() const EXCLUDES(mu_);
  void ReadGateSets();
  bool MayBegin();
  void Begin();
  bool IsSettled(const Sources& sources);
  std::shared_ptr<Sources> MakeSources(const GateNeeds& needs);

  const Collaborators with_;
  const AgentOptions& options_;
  std::stop_token stop_;
  std::optional<GateSetSource> gate_sets_;
  TimePoint gate_sets_until_ = {};  // they are waited for until then, at most
  GateRules rules_;                 // the newest
  bool rules_changed_ = true;
  bool settled_ = false;                         // current_ was, once
  std::optional<Generation> next_;               // takes over once it is settled
  std::optional<TimePoint> list_at_ = {};        // the lists of the next one begin then
  std::optional<TimePoint> settles_until_ = {};  // since the newest caches have all pods
  mutable clientgo::util::Mutex mu_;
  std::optional<Generation> current_ GUARDED_BY(mu_);  // written by the loop's thread alone
};

}  // namespace controllers::readinessgate

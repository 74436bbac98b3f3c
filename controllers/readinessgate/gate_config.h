// SPDX-License-Identifier: Apache-2.0
// GateConfig is the gate rules in use and the caches that they need. Both are replaced together
// when the gate sets change. New caches take over once they hold everything; until then the old
// rules and caches stay in use.
//
// No cache blocks the others: a cache that is denied, or has no answer kSettleTime after the pods
// are known, is not waited for. All agents of a cluster see a change of the gate sets at once, so
// each waits for a random part of relist_spread before it lists again.
//
// One thread calls Start, Refresh and next_due. The other methods are thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"
#include "capstan/rest/client.h"
#include "controllers/readinessgate/gate_caches.h"
#include "controllers/readinessgate/gate_metrics.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/options.h"

namespace capstan::readinessgate {

class GateConfig {
 public:
  static constexpr std::chrono::seconds kSettleTime{5};

  struct Collaborators {
    rest::Client& client;
    record::EventRecorder& events;
    const GateMetrics& metrics;
    PassTicker& ticker;  // woken when a cached object changes
    cache::ReflectorOptions reflector = {};
    metrics::Metrics::Counter* lookups = nullptr;  // of ConfigMaps
  };
  // The collaborators and `options` outlive it.
  GateConfig(const Collaborators& with, const AgentOptions& options);
  ~GateConfig();

  void Start(std::stop_token stop);

  struct InUse {
    GateRules rules;
    std::shared_ptr<GateCaches> caches;
  };
  // Applies changes of the gate sets. Returns what is in use, or nullopt while the pods are
  // unknown.
  std::optional<InUse> Refresh() CAPSTAN_EXCLUDES(mu_);
  // Refresh has work at this time even if nothing happens.
  Clock::TimePoint next_due() const;

  // Returns the cached pod, or nullptr.
  PodPtr FindPod(std::string_view key) const CAPSTAN_EXCLUDES(mu_);
  std::vector<cache::SharedInformerFactory::CacheStatus> CacheStatuses() const;
  // For /readyz: names the caches that are not synced, and why.
  Expected<void> Ready() const;

 private:
  using TimePoint = Clock::TimePoint;
  class GateSetReader;
  struct Generation : InUse {
    GateNeeds needs;
  };
  // The caches in use, which may not be synced yet; null before the first.
  std::shared_ptr<GateCaches> caches() const CAPSTAN_EXCLUDES(mu_);
  void ReadGateSets();
  bool MayList();
  void PrepareNext();
  bool IsSettled(const GateCaches& caches);

  const Collaborators with_;
  const AgentOptions& options_;
  std::stop_token stop_;
  std::unique_ptr<GateSetReader> gate_sets_;  // null without --gate-sets
  TimePoint gate_sets_until_ = {};            // the first lists wait for the gate sets until then
  GateRules rules_;                           // the newest
  bool rules_changed_ = true;
  bool settled_ = false;                         // true once current_ has settled
  std::optional<Generation> next_;               // takes over once it has settled
  std::optional<TimePoint> list_at_ = {};        // the lists for next_ start then
  std::optional<TimePoint> settles_until_ = {};  // the newest caches are waited for until then
  mutable Mutex mu_;
  std::optional<Generation> current_ CAPSTAN_GUARDED_BY(mu_);  // only the loop's thread writes it
};

}  // namespace capstan::readinessgate

// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gate_config.h"

#include <glog/logging.h>

#include <string>
#include <utility>

#include "capstan/cache_sync.h"
#include "capstan/log.h"

namespace capstan::readinessgate {

namespace {

GateNeeds NeedsOf(const GateRules& rules) {
  GateNeeds needs;
  if (rules.default_gates != nullptr) rules.default_gates->AddNeeds(needs);
  for (const auto& [name, set] : rules.named) set->AddNeeds(needs);
  return needs;
}

void LogWarnings(const GateSet& set) {
  for (const auto& gate : set.gates()) {
    const auto warning = gate->Warning();
    if (!warning.empty()) WarningS("Gate", "spec", gate->spec(), "warning", warning);
  }
}

}  // namespace

// GateSetReader reads the named gate sets of one ConfigMap, again whenever it changes. An invalid
// or deleted ConfigMap changes nothing: the last valid sets stay in use, and an Event on the
// ConfigMap and a metric report it. One thread calls Refresh and sets; the rest is thread-safe.
class GateConfig::GateSetReader {
 public:
  GateSetReader(const Collaborators& with, runtime::ObjectKey config_map)
      : with_(with),
        key_(std::move(config_map)),
        informers_(with.client, {.reflector = with.reflector}),
        informer_(informers_.ForType(
            TypeOf<api::ConfigMap>(),
            {.namespace_ = key_.namespace_, .field_selector = "metadata.name=" + key_.name})) {
    const auto added = informer_.AddEventHandler(WakeOnChange(with_.ticker, WakeCause::kConfigMap));
    CHECK(added) << added.error().message;
  }

  void Start(std::stop_token stop) { informers_.Start(std::move(stop)); }
  // The content of the ConfigMap is known, or the API server denies it.
  bool IsSettled() const { return informer_.HasSynced() || IsDenied(informer_.Status()); }
  // Why the content is unknown, for a pod's status; "" when it is known.
  std::string WhyUnknown() const {
    if (informer_.HasSynced()) return {};
    return readinessgate::WhyUnknown(informer_, key_.namespace_);
  }
  // For /readyz: why the cache is not synced.
  Expected<void> Ready() const {
    if (informer_.HasSynced()) return {};
    return Err(ErrorReason::kUnknown,
               "gate sets: " + WhyNotSynced("configmaps/" + key_.String(), informer_.Status(),
                                            with_.reflector.clock.Now()));
  }
  std::vector<cache::SharedInformerFactory::CacheStatus> CacheStatuses() const {
    return informers_.Statuses();
  }

  // Returns whether sets() has changed.
  bool Refresh();
  const GateSets& sets() const { return sets_; }

 private:
  const Collaborators& with_;
  const runtime::ObjectKey key_;
  GateSets sets_;
  std::string version_;  // resourceVersion of the ConfigMap that was read last
  cache::SharedInformerFactory informers_;
  cache::SharedInformer& informer_;
};

bool GateConfig::GateSetReader::Refresh() {
  const auto config_map = runtime::StaticObjectCast<TypedObject<api::ConfigMap>>(
      informer_.store().GetByKey(key_.String()));
  if (config_map == nullptr) {
    if (!version_.empty()) {
      WarningS("The ConfigMap with the gate sets was deleted, keeping the last sets", "configMap",
               key_.String());
      with_.metrics.reloads->Add({"gone"});
      version_.clear();
    }
    return false;
  }
  if (config_map->resource_version() == version_) return false;
  version_ = config_map->resource_version();
  auto sets = ParseGateSets(*config_map, sets_);
  if (!sets) {
    with_.metrics.reloads->Add({"invalid"});
    WarningS("Invalid gate sets, keeping the last valid ones", "configMap", key_.String(), "err",
             sets.error());
    with_.events.Event({.api_version = "v1",
                        .kind = "ConfigMap",
                        .namespace_ = key_.namespace_,
                        .name = key_.name,
                        .uid = config_map->uid()},
                       record::kEventTypeWarning, "InvalidGateSets",
                       sets.error().message + "; the last valid gate sets stay in use");
    return false;
  }
  with_.metrics.reloads->Add({"success"});
  sets_ = *std::move(sets);
  InfoS("Read gate sets", "configMap", key_.String(), "sets", sets_.size());
  return true;
}

GateConfig::GateConfig(const Collaborators& with, const AgentOptions& options)
    : with_(with), options_(options) {
  rules_.default_gates = WithMandatory(options_.mandatory_gates, options_.default_gates);
  rules_.pods_without_gates = options_.pods_without_gates;
  if (!options_.gate_sets) return;
  gate_sets_ = std::make_unique<GateSetReader>(with_, *options_.gate_sets);
}

GateConfig::~GateConfig() = default;

void GateConfig::Start(std::stop_token stop) {
  stop_ = std::move(stop);
  gate_sets_until_ = options_.clock.Now() + kSettleTime;
  if (gate_sets_) gate_sets_->Start(stop_);
}

void GateConfig::ReadGateSets() {
  if (!gate_sets_) return;
  rules_.why_named_unknown = gate_sets_->WhyUnknown();
  if (!gate_sets_->Refresh()) return;
  rules_.named.clear();
  for (const auto& [name, set] : gate_sets_->sets()) {
    rules_.named.emplace(name, WithMandatory(options_.mandatory_gates, set));
  }
  rules_changed_ = true;
}

// The first lists wait for the gate sets, so that nothing is listed twice. Later lists wait for a
// random time, because all agents list then.
bool GateConfig::MayList() {
  const TimePoint now = options_.clock.Now();
  if (caches() == nullptr) {
    return !gate_sets_ || gate_sets_->IsSettled() || now >= gate_sets_until_;
  }
  if (!list_at_) {
    const auto wait = options_.relist_spread * options_.random();
    list_at_ = now + std::chrono::duration_cast<TimePoint::duration>(wait);
  }
  return now >= *list_at_;
}

// Makes the newest rules the next ones, and starts the caches that they need.
void GateConfig::PrepareNext() {
  GateNeeds needs = NeedsOf(rules_);
  std::shared_ptr<GateCaches> caches_for_next;
  {
    const MutexLock lock(mu_);
    if (current_ && current_->needs == needs) caches_for_next = current_->caches;
  }
  if (caches_for_next == nullptr) {
    if (!MayList()) return;
    settles_until_.reset();
    caches_for_next =
        std::make_shared<GateCaches>(with_.client,
                                     GateCachesOptions{.node_name = options_.node_name,
                                                       .csi_driver = options_.csi_driver,
                                                       .reflector = with_.reflector,
                                                       .lookups = with_.lookups},
                                     needs, with_.ticker);
    caches_for_next->Start(stop_);
  }
  list_at_.reset();
  rules_changed_ = false;
  if (rules_.default_gates != nullptr) LogWarnings(*rules_.default_gates);
  for (const auto& [name, set] : rules_.named) LogWarnings(*set);
  next_ = Generation{{.rules = rules_, .caches = std::move(caches_for_next)}, std::move(needs)};
}

bool GateConfig::IsSettled(const GateCaches& caches) {
  if (!caches.HasPods()) return false;
  if (caches.IsSettled()) return true;
  const TimePoint now = options_.clock.Now();
  if (!settles_until_) settles_until_ = now + kSettleTime;
  return now >= *settles_until_;
}

std::optional<GateConfig::InUse> GateConfig::Refresh() {
  ReadGateSets();
  if (rules_changed_) PrepareNext();
  if (next_) next_->caches->FallBack();
  // The first caches are in use at once, so that /readyz and /statusz show them.
  if (next_ && (!settled_ || IsSettled(*next_->caches))) {
    std::optional<Generation> old = std::exchange(next_, std::nullopt);
    const MutexLock lock(mu_);
    std::swap(current_, old);  // the old informers stop at the end of this block, without the lock
  }
  std::optional<InUse> now;
  {
    const MutexLock lock(mu_);
    // New sets that still wait for their caches stay unknown to pods.
    if (current_ && !rules_changed_ && !next_) {
      current_->rules.why_named_unknown = rules_.why_named_unknown;
    }
    if (current_) now = static_cast<const InUse&>(*current_);
  }
  if (!now) return std::nullopt;
  now->caches->FallBack();
  if (!settled_) settled_ = IsSettled(*now->caches);
  if (!settled_) return std::nullopt;
  return now;
}

Clock::TimePoint GateConfig::next_due() const {
  // There is no notification when a cache has synced, so this polls.
  if (next_ || !settled_) return options_.clock.Now() + kLoopBaseInterval;
  return list_at_.value_or(TimePoint::max());
}

std::shared_ptr<GateCaches> GateConfig::caches() const {
  const MutexLock lock(mu_);
  return current_ ? current_->caches : nullptr;
}

PodPtr GateConfig::FindPod(std::string_view key) const {
  const auto current = caches();
  return current == nullptr ? nullptr : current->FindPod(key);
}

std::vector<cache::SharedInformerFactory::CacheStatus> GateConfig::CacheStatuses() const {
  std::vector<cache::SharedInformerFactory::CacheStatus> all;
  if (const auto current = caches(); current != nullptr) all = current->Statuses();
  if (!gate_sets_) return all;
  for (auto& cache : gate_sets_->CacheStatuses()) all.push_back(std::move(cache));
  return all;
}

Expected<void> GateConfig::Ready() const {
  std::string why;
  const auto add = [&](const Expected<void>& ready) {
    if (!ready) why += (why.empty() ? "" : "; ") + ready.error().message;
  };
  if (const auto current = caches(); current != nullptr) add(current->Ready());
  if (gate_sets_) add(gate_sets_->Ready());
  if (why.empty()) return {};
  return Err(ErrorReason::kUnknown, std::move(why));
}

}  // namespace capstan::readinessgate

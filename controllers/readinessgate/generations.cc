// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/generations.h"

#include <utility>

#include "clientgo/util/logging.h"

namespace controllers::readinessgate {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::MutexLock;

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
    if (!warning.empty()) LOG(WARNING) << Kv("Gate", "spec", gate->spec(), "warning", warning);
  }
}

bool SameNeeds(const GateNeeds& a, const GateNeeds& b) {
  return a.annotations == b.annotations && a.labels == b.labels && a.config_maps == b.config_maps &&
         a.node == b.node;
}

}  // namespace

Generations::Generations(const Collaborators& with, const AgentOptions& options)
    : with_(with), options_(options) {
  rules_.default_gates = WithMandatory(options_.mandatory_gates, options_.default_gates);
  rules_.pods_without_gates = options_.pods_without_gates;
  if (!options_.gate_sets) return;
  gate_sets_.emplace(
      GateSetSource::Collaborators{.client = with_.client,
                                   .events = with_.events,
                                   .reloads = *with_.metrics.reloads,
                                   .on_change = [this] { with_.on_change(WakeCause::kConfigMap); }},
      *options_.gate_sets, with_.reflector);
}

Generations::~Generations() = default;

void Generations::Start(std::stop_token stop) {
  stop_ = std::move(stop);
  gate_sets_until_ = options_.clock.Now() + kSettleTime;
  if (gate_sets_) gate_sets_->Start(stop_);
}

void Generations::ReadGateSets() {
  if (!gate_sets_) return;
  rules_.why_named_unknown = gate_sets_->WhyUnknown();
  if (!gate_sets_->Refresh()) return;
  rules_.named.clear();
  for (const auto& [name, set] : gate_sets_->sets()) {
    rules_.named.emplace(name, WithMandatory(options_.mandatory_gates, set));
  }
  rules_changed_ = true;
}

// The first lists wait for the gate sets, so that nothing is listed twice; later ones for their
// turn among all agents.
bool Generations::MayBegin() {
  const TimePoint now = options_.clock.Now();
  if (sources() == nullptr) {
    return !gate_sets_ || gate_sets_->IsSettled() || now >= gate_sets_until_;
  }
  if (!list_at_) {
    const auto wait = options_.relist_spread * options_.random();
    list_at_ = now + std::chrono::duration_cast<TimePoint::duration>(wait);
  }
  return now >= *list_at_;
}

std::shared_ptr<Sources> Generations::MakeSources(const GateNeeds& needs) {
  auto made = std::make_shared<Sources>(with_.client,
                                        SourcesOptions{.node_name = options_.node_name,
                                                       .csi_driver = options_.csi_driver,
                                                       .reflector = with_.reflector,
                                                       .lookups = with_.lookups},
                                        needs, with_.on_change);
  made->Start(stop_);
  return made;
}

// Makes the newest rules the next ones, with the caches that they need.
void Generations::Begin() {
  GateNeeds needs = NeedsOf(rules_);
  std::shared_ptr<Sources> reused;
  {
    const MutexLock lock(mu_);
    if (current_ && SameNeeds(current_->needs, needs)) reused = current_->sources;
  }
  if (reused == nullptr) {
    if (!MayBegin()) return;
    settles_until_.reset();
    reused = MakeSources(needs);
  }
  list_at_.reset();
  rules_changed_ = false;
  if (rules_.default_gates != nullptr) LogWarnings(*rules_.default_gates);
  for (const auto& [name, set] : rules_.named) LogWarnings(*set);
  next_ = Generation{{.rules = rules_, .sources = std::move(reused)}, std::move(needs)};
}

bool Generations::IsSettled(const Sources& sources) {
  if (!sources.HasPods()) return false;
  if (sources.IsSettled()) return true;
  const TimePoint now = options_.clock.Now();
  if (!settles_until_) settles_until_ = now + kSettleTime;
  return now >= *settles_until_;
}

std::optional<Generations::InUse> Generations::Prepare() {
  ReadGateSets();
  if (rules_changed_) Begin();
  if (next_) next_->sources->FallBack();
  // The first caches are in use at once, so that /readyz and /statusz can name them.
  if (next_ && (!settled_ || IsSettled(*next_->sources))) {
    std::optional<Generation> old = std::exchange(next_, std::nullopt);
    const MutexLock lock(mu_);
    std::swap(current_, old);  // its informers are stopped when this returns, without the lock
  }
  std::optional<InUse> now;
  {
    const MutexLock lock(mu_);
    // While sets that were read wait for their caches, they are no better known to a pod.
    if (current_ && !rules_changed_ && !next_) {
      current_->rules.why_named_unknown = rules_.why_named_unknown;
    }
    if (current_) now = static_cast<const InUse&>(*current_);
  }
  if (!now) return std::nullopt;
  now->sources->FallBack();
  if (!settled_) settled_ = IsSettled(*now->sources);
  if (!settled_) return std::nullopt;
  return now;
}

clientgo::util::Clock::TimePoint Generations::next_due() const {
  // There is no notification when a cache has synced, so this polls.
  if (next_ || !settled_) return options_.clock.Now() + kLoopBaseInterval;
  return list_at_.value_or(TimePoint::max());
}

std::shared_ptr<Sources> Generations::sources() const {
  const MutexLock lock(mu_);
  return current_ ? current_->sources : nullptr;
}

std::shared_ptr<const clientgo::api::Pod> Generations::FindPod(std::string_view key) const {
  const auto current = sources();
  return current == nullptr ? nullptr : current->FindPod(key);
}

std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> Generations::Caches() const {
  std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> all;
  if (const auto current = sources(); current != nullptr) all = current->Caches();
  if (!gate_sets_) return all;
  for (auto& cache : gate_sets_->Caches()) all.push_back(std::move(cache));
  return all;
}

Expected<void> Generations::Ready() const {
  std::string why;
  const auto add = [&](const Expected<void>& ready) {
    if (!ready) why += (why.empty() ? "" : "; ") + ready.error().message;
  };
  if (const auto current = sources(); current != nullptr) add(current->Ready());
  if (gate_sets_) add(gate_sets_->Ready());
  if (why.empty()) return {};
  return Err(ErrorReason::kUnknown, std::move(why));
}

}  // namespace controllers::readinessgate

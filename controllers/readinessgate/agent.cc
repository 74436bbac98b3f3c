// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/agent.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "clientgo/util/thread.h"
#include "controllers/resolver/resolver.h"

namespace controllers::readinessgate {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::MutexLock;
using clientgo::util::StartThread;

namespace {

// What runtime events promise when nothing tells that they come: no later than the slowest loop.
constexpr std::chrono::milliseconds kWithoutRuntimeEvents = kLoopIntervalMax;

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

Agent::Agent(const Collaborators& with, AgentOptions options)
    : with_(with),
      options_(std::move(options)),
      metrics_(with.metrics),
      lookups_(resolver::NewResolverCounter(with.metrics)),
      loop_([this] { return Pass(); },
            {.mode = options_.loop_mode,
             .clock = options_.clock,
             .on_wakeup =
                 [this](WakeCause cause) { metrics_.wakeups->Add({std::string(ToString(cause))}); },
             .on_interval =
                 [this](std::chrono::milliseconds interval) {
                   metrics_.interval->Set({}, std::chrono::duration<double>(interval).count());
                 }}),
      pass_(options_,
            {.events = with.events,
             .metrics = metrics_,
             .set_output = [this](const clientgo::api::Pod& pod,
                                  PodOutput wanted) { writer_.SetOutput(pod, std::move(wanted)); },
             .forget = [this](std::string_view key) { writer_.Forget(key); }}),
      writer_({.client = with.client,
               .events = with.events,
               .writes = metrics_.writes.get(),
               .find_pod =
                   [this](std::string_view key) {
                     const auto from = sources();
                     return from == nullptr ? nullptr : from->FindPod(key);
                   },
               .on_failure = [this] { loop_.Wake(WakeCause::kWrite); }},
              {.outputs = options_.outputs,
               .field_manager = options_.field_manager,
               .clock = options_.clock}) {
  rules_.default_gates = options_.default_gates;
  if (!options_.gate_sets) return;
  gate_sets_.emplace(
      GateSetSource::Collaborators{.client = with_.client,
                                   .events = with_.events,
                                   .reloads = *metrics_.reloads,
                                   .on_change = [this] { loop_.Wake(WakeCause::kConfigMap); }},
      *options_.gate_sets, Reflector());
}

Agent::~Agent() = default;

clientgo::cache::ReflectorOptions Agent::Reflector() const {
  return {.watch_list = options_.watch_list,
          .clock = options_.clock,
          .metrics = &with_.metrics.cache()};
}

Expected<void> Agent::Start(std::stop_token stop) {
  if (!options_.HasGates()) {
    LOG(INFO) << Kv("No gate is configured: nothing is watched, and nothing written");
    runtime::WaitForStop(std::move(stop));
    return {};
  }
  stop_ = stop;
  if (!options_.runtime_events_socket.empty()) {
    auto opened = RuntimeEvents::Open(options_.clock, {.path = options_.runtime_events_socket,
                                                       .on_event = [this](const RuntimeEvent&) {
                                                         loop_.Wake(WakeCause::kRuntimeEvent);
                                                       }});
    if (!opened) return Err(std::move(opened.error()));
    runtime_events_ = *std::move(opened);
  }
  std::vector<std::jthread> threads;
  if (runtime_events_ != nullptr) {
    threads.push_back(StartThread("runtime-events", [this, stop](const auto&) {
      if (runtime_events_->Run(stop)) return;
      LOG(ERROR) << Kv("The socket for runtime events broke, going on without them", "path",
                       options_.runtime_events_socket);
    }));
  }
  if (gate_sets_) gate_sets_->Start(stop);
  threads.push_back(StartThread("0/pod-writer", [this, stop](const auto&) { writer_.Run(stop); }));
  loop_.Run(stop);
  return {};
}

std::shared_ptr<Sources> Agent::MakeSources(const GateNeeds& needs) {
  auto made = std::make_shared<Sources>(with_.client,
                                        SourcesOptions{.node_name = options_.node_name,
                                                       .csi_driver = options_.csi_driver,
                                                       .reflector = Reflector(),
                                                       .lookups = lookups_.get()},
                                        needs, [this](WakeCause cause) { loop_.Wake(cause); });
  made->Start(stop_);
  return made;
}

std::shared_ptr<Sources> Agent::sources() const {
  MutexLock lock(mu_);
  return current_ ? current_->sources : nullptr;
}

std::vector<clientgo::cache::SharedInformerFactory::CacheStatus> Agent::Caches() const {
  const auto current = sources();
  if (current == nullptr) return {};
  return current->Caches();
}

// Takes over new gate sets, once all that they need is cached. Until then the old ones count.
void Agent::Prepare() {
  if (gate_sets_ && gate_sets_->Refresh()) {
    rules_.named = gate_sets_->sets();
    rules_changed_ = true;
  }
  // The first rules are not complete before it is known which sets there are.
  if (gate_sets_ && !gate_sets_->HasSynced() && sources() == nullptr) return;
  if (std::exchange(rules_changed_, false)) {
    if (rules_.default_gates != nullptr) LogWarnings(*rules_.default_gates);
    for (const auto& [name, set] : rules_.named) LogWarnings(*set);
    GateNeeds needs = NeedsOf(rules_);
    std::shared_ptr<Sources> reused;
    {
      MutexLock lock(mu_);
      if (current_ && SameNeeds(current_->needs, needs)) reused = current_->sources;
    }
    if (reused == nullptr) reused = MakeSources(needs);
    next_ = {.rules = rules_, .needs = std::move(needs), .sources = std::move(reused)};
  }
  if (!next_ || !next_->sources->HasSynced()) return;
  std::optional<Generation> old = std::exchange(next_, std::nullopt);
  MutexLock lock(mu_);
  std::swap(current_, old);  // its informers are stopped when this returns, without the lock
}

PassResult Agent::Pass() {
  Prepare();
  GateRules rules;
  std::shared_ptr<Sources> from;
  {
    MutexLock lock(mu_);
    if (current_) {
      rules = current_->rules;
      from = current_->sources;
    }
  }
  PassResult result;
  if (next_ || from == nullptr) {
    // Nothing tells when a cache is synced.
    result.due = options_.clock.Now() + kLoopBaseInterval;
  }
  if (from == nullptr) return result;
  const PassResult passed = pass_.Run(from->Pods(), *from, rules);
  first_pass_done_ = true;
  result.idle = passed.idle;
  result.due = std::min(result.due, passed.due);
  if (const auto failures = writer_.failures();
      failures != std::exchange(failures_seen_, failures)) {
    result.idle = false;
  }
  if (runtime_events_ != nullptr) ShowRuntimeEvents();
  if (runtime_events_ != nullptr) {
    // A broker that falls silent during a long sleep is noticed when its word runs out.
    const auto period_ends = options_.clock.Now() + kWithoutRuntimeEvents;
    result.due = std::min(result.due, std::max(period_ends, runtime_events_->ReliableUntil()));
  }
  return result;
}

void Agent::ShowRuntimeEvents() {
  const RuntimeEvents::Counts counts = runtime_events_->counts();
  const auto add = [&](const char* type, std::uint64_t now, std::uint64_t& before) {
    if (now != before) metrics_.runtime_events->Add({type}, static_cast<double>(now - before));
    before = now;
  };
  add("created", counts.created, shown_.created);
  add("deleted", counts.deleted, shown_.deleted);
  add("full_pass", counts.full_pass, shown_.full_pass);
  add("heartbeat", counts.heartbeats, shown_.heartbeats);
  add("bad", counts.bad, shown_.bad);
}

Expected<void> Agent::Ready() const {
  if (!options_.HasGates()) return {};
  if (gate_sets_) {
    if (auto ready = gate_sets_->Ready(); !ready) return ready;
  }
  const auto from = sources();
  if (from == nullptr || !first_pass_done_) {
    return Err(ErrorReason::kUnknown, "the pods of node " + options_.node_name +
                                          " are not known yet; the log says what is refused");
  }
  return from->Ready();
}

}  // namespace controllers::readinessgate

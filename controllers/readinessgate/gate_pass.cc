// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gate_pass.h"

#include <algorithm>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"
#include "controllers/readinessgate/pod_writer.h"

namespace controllers::readinessgate {

using clientgo::api::Pod;
using clientgo::util::FormatDuration;
using clientgo::util::FormatTime;
using clientgo::util::Kv;

struct GatePass::Look {
  const World& world;
  const GateRules& rules;
  TimePoint now;
  PassResult result = {};
  std::map<std::string, int> pending = {};

  void At(TimePoint due) { result.due = std::min(result.due, due); }
};

GatePass::GatePass(const AgentOptions& options, Collaborators with)
    : options_(options), with_(std::move(with)) {}

PassResult GatePass::Run(const Pods& pods, const World& world, const GateRules& rules) {
  const clientgo::util::MutexLock lock(mu_);
  ++pass_;
  Look look{.world = world, .rules = rules, .now = options_.clock.Now()};
  for (const auto& pod : pods) {
    State& state = StateOf(*pod, look);
    LookAt(*pod, state, look);
  }
  ForgetGone(look);
  ShowPending(std::move(look.pending));
  return look.result;
}

std::vector<GatePass::SeenPod> GatePass::Seen() const {
  const clientgo::util::MutexLock lock(mu_);
  std::vector<SeenPod> seen;
  for (const auto& [key, state] : states_) {
    if (state.open || !state.status.gates.empty()) seen.push_back({key, state.open, state.status});
  }
  return seen;
}

GatePass::State& GatePass::StateOf(const Pod& pod, Look& look) {
  State& state = states_[std::string(pod.key())];
  if (state.uid != pod.uid()) {
    state = {.uid = std::string(pod.uid()), .seen = look.now};
    if (options_.pending_event_after.count() > 0) {
      state.tell_at = look.now + options_.pending_event_after;
    }
  }
  state.pass = pass_;
  if (state.version != pod.resource_version()) {
    state.version = pod.resource_version();
    look.result.idle = false;
    Adopt(pod, state);
  }
  return state;
}

// What an earlier run of the agent said about this very pod, or another agent that runs beside this
// one during an update: not worth a write if it is what this one says, whoever said it and when.
void GatePass::Adopt(const Pod& pod, State& state) const {
  const PodOutput held = HeldBy(pod, options_.outputs);
  if (held == state.wanted) return;
  const auto status = ParsePodStatus(held.status.value_or(""));
  const bool is_ours = status && status->uid == pod.uid();
  const bool open = options_.outputs.annotation
                        ? held.ready && IsReadyValueOf(*held.ready, pod.uid())
                        : held.condition == "True";
  if (open) {
    const bool keep_status = state.open && !(is_ours && status->state == GateState::kOpen);
    state.open = true;
    state.wanted.ready = held.ready;
    if (!keep_status) state.wanted.status = held.status;
    if (options_.outputs.condition) state.wanted.condition = "True";
  } else if (is_ours && !state.open) {
    PodStatus same = state.status.uid.empty() ? *status : state.status;
    KeepTimes(*status, same);
    same.by = status->by;
    if (ToJson(same) != held.status) return;
    state.status = std::move(same);
    state.wanted.status = held.status;
    if (options_.outputs.condition) state.wanted.condition = held.condition;
  }
}

void GatePass::LookAt(const Pod& pod, State& state, Look& look) {
  if (pod.deleting()) return;
  if (!state.open) {
    const auto name = pod.Annotation(kGateSetKey);
    if (!name || name->empty()) {
      if (look.rules.default_gates == nullptr) return;  // nothing is asked of it
      Judge(pod, state, look, look.rules.default_gates.get());
    } else {
      const auto found = look.rules.named.find(*name);
      Judge(pod, state, look, found == look.rules.named.end() ? nullptr : found->second.get());
    }
  }
  Want(pod, state);
}

// `set` null: there is none of that name.
void GatePass::Judge(const Pod& pod, State& state, Look& look, const GateSet* set) {
  const auto now = options_.clock.WallNow();
  PodStatus status{.uid = state.uid,
                   .gen = {},
                   .state = GateState::kPending,
                   .by = options_.node_name + "/" + options_.version};
  std::string reasons;
  bool open = false;
  if (set == nullptr) {
    reasons = "there is no gate set \"" + std::string(pod.Annotation(kGateSetKey).value_or("")) +
              "\" (annotation " + std::string(kGateSetKey) + ")";
    status.state = GateState::kError;
    status.gates.push_back({.name = "gate-set",
                            .kind = "gate-set",
                            .ok = false,
                            .reason = "UnknownGateSet",
                            .message = reasons,
                            .since = FormatTime(now)});
    ++look.pending["gate-set"];
  } else {
    const Evaluation evaluation =
        Evaluate(*set, {.pod = pod, .world = look.world, .now = look.now});
    open = evaluation.open;
    reasons = evaluation.Reasons();
    status.gen = set->generation();
    for (const GateResult& result : evaluation.results) {
      status.gates.push_back({.name = result.gate->spec(),
                              .kind = std::string(result.gate->kind()),
                              .ok = result.verdict.open,
                              .reason = std::string(result.verdict.reason),
                              .message = result.verdict.message,
                              .since = FormatTime(now)});
      if (!open && !result.verdict.open) ++look.pending[result.gate->spec()];
    }
    if (evaluation.recheck) look.At(*evaluation.recheck);
  }
  with_.metrics.evaluations->Add({open ? "open" : "closed"});
  KeepTimes(state.status, status);
  PodOutput wanted;
  if (open) {
    state.open = true;
    status.state = GateState::kOpen;
    status.opened = FormatTime(now);
    if (options_.outputs.annotation) wanted.ready = ReadyValue(state.uid, now);
    const std::chrono::duration<double> waited = look.now - state.seen;
    with_.metrics.wait->Observe({}, waited.count());
    VLOG(2) << Kv("Gates are open", "pod", pod.key(), "waited",
                  FormatDuration(look.now - state.seen));
  } else {
    TellPending(pod, state, look, reasons);
  }
  if (options_.outputs.annotation) {
    // An update of the agent alone is no news.
    std::string by = std::exchange(status.by, state.status.by);
    wanted.status = ToJson(status);
    if (wanted.status != state.wanted.status) {
      status.by = std::move(by);
      wanted.status = ToJson(status);
    }
  }
  if (options_.outputs.condition) wanted.condition = open ? "True" : "False";
  state.status = std::move(status);
  if (wanted == state.wanted) return;
  state.wanted = std::move(wanted);
  look.result.idle = false;
}

void GatePass::Want(const Pod& pod, State& state) {
  const bool differs = HeldBy(pod, options_.outputs) != state.wanted;
  // What was wished for before may still wait to be written.
  if (std::exchange(state.asked, differs) || differs) with_.set_output(pod, state.wanted);
}

void GatePass::TellPending(const Pod& pod, State& state, Look& look, const std::string& reasons) {
  if (look.now < state.tell_at) return look.At(state.tell_at);
  if (reasons == state.told) return;
  const std::string waited =
      FormatDuration(std::chrono::duration_cast<std::chrono::seconds>(look.now - state.seen));
  with_.events.Event(ReferenceTo(pod), clientgo::record::kEventTypeWarning, "GatesPending",
                     "no certificate is asked for since " + waited + ": " + reasons);
  state.told = reasons;
  state.tell_at = look.now + options_.pending_event_after;  // the next reason, at the earliest
}

void GatePass::ForgetGone(Look& look) {
  for (auto it = states_.begin(); it != states_.end();) {
    if (it->second.pass == pass_) {
      ++it;
      continue;
    }
    with_.forget(it->first);
    it = states_.erase(it);
    look.result.idle = false;
  }
}

void GatePass::ShowPending(std::map<std::string, int> pending) {
  for (const auto& [gate, count] : pending_) {
    if (!pending.contains(gate)) with_.metrics.pending->Remove({gate});
  }
  for (const auto& [gate, count] : pending) {
    const auto shown = pending_.find(gate);
    if (shown == pending_.end() || shown->second != count)
      with_.metrics.pending->Set({gate}, count);
  }
  pending_ = std::move(pending);
}

}  // namespace controllers::readinessgate

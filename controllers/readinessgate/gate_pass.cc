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
  bool changed = false;  // what Seen returns

  void At(TimePoint due) { result.due = std::min(result.due, due); }
};

struct GatePass::Judgment {
  PodStatus status = {};
  std::string reasons = {};       // why it is closed, for people
  std::string_view problem = {};  // the reason of an Event that is due at once; empty: none
  bool open() const { return status.state == GateState::kOpen; }
};

GatePass::GatePass(const AgentOptions& options, Collaborators with)
    : options_(options), with_(std::move(with)) {}

PassResult GatePass::Run(const Pods& pods, const World& world, const GateRules& rules) {
  ++pass_;
  Look look{.world = world, .rules = rules, .now = options_.clock.Now()};
  for (const auto& pod : pods) {
    State& state = StateOf(*pod, look);
    if (pod->deleting()) continue;
    if (!state.open) Apply(*pod, state, look, Judge(*pod, state, look));
    Want(*pod, state);
  }
  ForgetGone(look);
  ShowPending(std::move(look.pending));
  if (look.changed) Publish();
  return look.result;
}

void GatePass::Publish() {
  auto seen = std::make_shared<std::vector<SeenPod>>();
  for (const auto& [key, state] : states_) {
    if (state.open || !state.status.gates.empty()) seen->push_back({key, state.open, state.status});
  }
  const clientgo::util::MutexLock lock(mu_);
  seen_ = std::move(seen);
}

std::vector<GatePass::SeenPod> GatePass::Seen() const {
  std::shared_ptr<const std::vector<SeenPod>> seen;
  {
    const clientgo::util::MutexLock lock(mu_);
    seen = seen_;
  }
  return seen == nullptr ? std::vector<SeenPod>() : *seen;
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
    look.changed = true;
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

GatePass::Judgment GatePass::Judge(const Pod& pod, const State& state, Look& look) const {
  const std::string now = FormatTime(options_.clock.WallNow());
  Judgment judgment{.status = {.uid = state.uid,
                               .gen = {},
                               .state = GateState::kPending,
                               .by = options_.node_name + "/" + options_.version}};
  PodStatus& status = judgment.status;
  const GateChoice choice = ChooseGates(look.rules, pod);
  if (choice.gates == nullptr) {
    judgment.reasons = choice.message;
    if (choice.is_final) judgment.problem = choice.reason;
    status.state = choice.open       ? GateState::kOpen
                   : choice.is_error ? GateState::kError
                                     : GateState::kPending;
    status.gates.push_back({.name = "gate-set",
                            .kind = "gate-set",
                            .ok = choice.open,
                            .reason = std::string(choice.reason),
                            .message = choice.message,
                            .since = now});
    if (!choice.open) ++look.pending["gate-set"];
    return judgment;
  }
  const Evaluation evaluation =
      Evaluate(*choice.gates, {.pod = pod, .world = look.world, .now = look.now});
  if (evaluation.open) status.state = GateState::kOpen;
  if (evaluation.recheck) look.At(*evaluation.recheck);
  judgment.reasons = evaluation.Reasons();
  status.gen = choice.gates->generation();
  for (const GateResult& result : evaluation.results) {
    status.gates.push_back({.name = result.gate->spec(),
                            .kind = std::string(result.gate->kind()),
                            .ok = result.verdict.open,
                            .reason = std::string(result.verdict.reason),
                            .message = result.verdict.message,
                            .since = now});
    if (!evaluation.open && !result.verdict.open) ++look.pending[result.gate->spec()];
  }
  return judgment;
}

void GatePass::Apply(const Pod& pod, State& state, Look& look, Judgment judgment) {
  const bool open = judgment.open();
  PodStatus& status = judgment.status;
  with_.metrics.evaluations->Add({open ? "open" : "closed"});
  KeepTimes(state.status, status);
  PodOutput wanted;
  if (open) {
    const auto now = options_.clock.WallNow();
    state.open = true;
    status.opened = FormatTime(now);
    if (options_.outputs.annotation) wanted.ready = ReadyValue(state.uid, now);
    const std::chrono::duration<double> waited = look.now - state.seen;
    with_.metrics.wait->Observe({}, waited.count());
    VLOG(2) << Kv("Gates are open", "pod", pod.key(), "waited",
                  FormatDuration(look.now - state.seen));
  } else {
    ReportClosed(pod, state, look, judgment);
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
  if (state.status != status) {
    state.status = std::move(status);
    look.changed = true;
  }
  if (wanted == state.wanted) return;
  state.wanted = std::move(wanted);
  look.result.idle = false;
}

void GatePass::Want(const Pod& pod, State& state) {
  const bool differs = HeldBy(pod, options_.outputs) != state.wanted;
  // What was wished for before may still wait to be written.
  if (std::exchange(state.asked, differs) || differs) with_.set_output(pod, state.wanted);
}

// A mistake that no waiting repairs is reported at once, anything else after a while.
void GatePass::ReportClosed(const Pod& pod, State& state, Look& look, const Judgment& judgment) {
  if (judgment.reasons == state.told) return;
  const bool at_once = !judgment.problem.empty();
  if (!at_once && look.now < state.tell_at) return look.At(state.tell_at);
  std::string message = judgment.reasons;
  if (!at_once) {
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(look.now - state.seen);
    message = "no certificate is asked for since " + FormatDuration(waited) + ": " + message;
    // The next reason is reported then, at the earliest.
    state.tell_at = look.now + options_.pending_event_after;
  }
  with_.events.Event(ReferenceTo(pod), clientgo::record::kEventTypeWarning,
                     at_once ? judgment.problem : "GatesPending", message);
  state.told = judgment.reasons;
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
    look.changed = true;
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

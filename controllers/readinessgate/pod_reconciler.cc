// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pod_reconciler.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "capstan/log.h"
#include "capstan/time.h"
#include "controllers/readinessgate/pod_writer.h"

namespace capstan::readinessgate {

// Judgment is the result of evaluating a pod's gates.
struct PodReconciler::Judgment {
  PodStatus status = {};
  std::string reasons = {};       // why the pod is closed, for people
  std::string_view problem = {};  // the reason of an Event that is due at once; "": none
  TimePoint due = TimePoint::max();
  bool open() const { return status.state == GateState::kOpen; }
};

PassResult PodReconciler::ReconcileAll(const Pods& pods, const Inputs& in) {
  ++pass_;
  now_ = options_.clock.Now();
  pending_.clear();
  PassResult result;
  for (const auto& pod : pods) result.Add(Reconcile(*pod, in));
  result.Add(ForgetMissingPods());
  ShowPending();
  if (std::exchange(seen_changed_, false)) Publish();
  return result;
}

PassResult PodReconciler::ReconcileOne(const Pod& pod, const Inputs& in) {
  now_ = options_.clock.Now();
  return Reconcile(pod, in);
}

PassResult PodReconciler::Reconcile(const Pod& pod, const Inputs& in) {
  Record& record = FindOrStart(pod);
  PassResult result;
  if (record.version != pod.resource_version()) {
    record.version = pod.resource_version();
    result.idle = false;
    seen_changed_ = true;
    Adopt(pod, record);
  }
  if (pod.deleting()) return result;
  if (record.phase == Phase::kPending) result.Add(EvaluatePending(pod, record, in));
  SendOutput(pod, record);
  return result;
}

PodReconciler::Record& PodReconciler::FindOrStart(const Pod& pod) {
  Record& record = records_[std::string(pod.key())];
  if (record.uid != pod.uid()) {
    record = {.uid = pod.uid(), .first_seen = now_};
    if (options_.pending_event_after.count() > 0) {
      record.report_at = now_ + options_.pending_event_after;
    }
  }
  record.pass = pass_;
  return record;
}

// Adopts what an earlier run, or another agent during an update, wrote to the pod. If only the
// writer and the times differ from our own output, the pod is not written again.
void PodReconciler::Adopt(const Pod& pod, Record& record) const {
  const PodOutput held = HeldBy(pod, options_.outputs);
  const std::size_t held_status = std::hash<std::string>()(held.status.value_or(""));
  const bool changed = std::exchange(record.held_status, held_status) != held_status;
  if (held == record.wanted) return;
  const auto status = ParsePodStatus(held.status.value_or(""));
  const bool is_ours = status && status->uid == pod.uid();
  const bool open = options_.outputs.annotation
                        ? held.ready && IsReadyValueOf(*held.ready, pod.uid())
                        : held.condition == "True";
  if (open) {
    const bool keep_status =
        record.phase == Phase::kOpen && !(is_ours && status->state == GateState::kOpen);
    record.phase = Phase::kOpen;
    record.wanted.ready = held.ready;
    if (!keep_status) record.wanted.status = held.status;
    if (options_.outputs.condition) record.wanted.condition = "True";
  } else if (is_ours && record.phase == Phase::kPending) {
    if (changed && YieldsTo(*status, record)) {
      record.yields = true;
      record.wanted = held;
      record.wanted.ready = {};
      return;
    }
    AdoptPending(held, *status, record);
  }
}

void PodReconciler::AdoptPending(const PodOutput& held, const PodStatus& status,
                                 Record& record) const {
  PodStatus same = record.status.uid.empty() ? status : record.status;
  KeepTimes(status, same);
  same.by = status.by;
  if (ToJson(same) != held.status) return;
  record.status = std::move(same);
  record.wanted.status = held.status;
  if (options_.outputs.condition) record.wanted.condition = held.condition;
}

// Two agents with different gates or versions would replace each other's status for ever. So an
// agent leaves a status that another one wrote after its own, until its own verdicts change.
bool PodReconciler::YieldsTo(const PodStatus& held, const Record& record) const {
  if (record.status.uid.empty()) return false;  // no status of ours yet
  if (held.state != GateState::kPending && held.state != GateState::kError) return false;
  const auto& ours = record.generations;
  return held.by != WrittenBy() || std::find(ours.begin(), ours.end(), held.gen) == ours.end();
}

bool PodReconciler::StillYields(Record& record, const PodStatus& status) {
  if (!record.yields) return false;
  PodStatus same = status;
  same.by = record.status.by;
  record.yields = same == record.status;
  return record.yields;
}

PodReconciler::Judgment PodReconciler::Judge(const Pod& pod, const Inputs& in) {
  const std::string now = FormatTime(ToTime(options_.clock.WallNow()));
  Judgment judgment;
  PodStatus& status = judgment.status;
  status.uid = pod.uid();
  status.by = WrittenBy();
  const GateChoice choice = ChooseGates(in.rules, pod);
  if (choice.gates == nullptr) {
    judgment.reasons = choice.message;
    if (choice.is_final) judgment.problem = choice.reason;
    if (choice.is_error) status.state = GateState::kError;
    if (choice.open) status.state = GateState::kOpen;
    status.gates.push_back({.name = "gate-set",
                            .kind = "gate-set",
                            .ok = choice.open,
                            .reason = std::string(choice.reason),
                            .message = choice.message,
                            .since = now});
    if (!choice.open) ++pending_["gate-set"];
    return judgment;
  }
  const Evaluation evaluation =
      Evaluate(*choice.gates, {.pod = pod, .cluster = in.cluster, .now = now_});
  if (evaluation.open) status.state = GateState::kOpen;
  judgment.due = evaluation.recheck.value_or(TimePoint::max());
  judgment.reasons = evaluation.Reasons();
  status.gen = choice.gates->generation();
  for (const GateResult& result : evaluation.results) {
    status.gates.push_back({.name = result.gate->spec(),
                            .kind = std::string(result.gate->kind()),
                            .ok = result.verdict.open,
                            .reason = std::string(result.verdict.reason),
                            .message = result.verdict.message,
                            .since = now});
    if (!evaluation.open && !result.verdict.open) ++pending_[result.gate->spec()];
  }
  return judgment;
}

PassResult PodReconciler::EvaluatePending(const Pod& pod, Record& record, const Inputs& in) {
  Judgment judgment = Judge(pod, in);
  const bool open = judgment.open();
  with_.metrics.evaluations->Add({open ? "open" : "closed"});
  KeepTimes(record.status, judgment.status);
  PassResult result{.due = judgment.due};
  PodOutput wanted;
  if (open) {
    const auto opened = options_.clock.WallNow();
    record.phase = Phase::kOpen;
    record.opening = true;
    judgment.status.opened = FormatTime(ToTime(opened));
    if (options_.outputs.annotation) wanted.ready = ReadyValue(record.uid, opened);
  } else {
    result.due = std::min(result.due, ReportPending(pod, record, judgment));
    if (StillYields(record, judgment.status)) return result;
    NoteGeneration(judgment.status.gen, record);
  }
  if (options_.outputs.annotation) wanted.status = StatusJson(record, judgment.status);
  if (options_.outputs.condition) wanted.condition = open ? "True" : "False";
  if (record.status != judgment.status) {
    record.status = std::move(judgment.status);
    seen_changed_ = true;
  }
  if (wanted == record.wanted) return result;
  record.wanted = std::move(wanted);
  result.idle = false;
  return result;
}

// The pod is open for csi-driver once the API server has the output.
void PodReconciler::ReportOpened(const Pod& pod, Record& record) const {
  record.opening = false;
  const std::chrono::duration<double> waited = now_ - record.first_seen;
  with_.metrics.wait->Observe({}, waited.count());
  V(2).InfoS("Gates are open", "pod", pod.key(), "waited",
             FormatDuration(now_ - record.first_seen));
}

std::string PodReconciler::WrittenBy() const { return options_.node_name + "/" + options_.version; }

// The last ones, because our writes come back late.
void PodReconciler::NoteGeneration(const std::string& generation, Record& record) {
  constexpr std::size_t kKept = 4;
  auto& known = record.generations;
  if (std::find(known.begin(), known.end(), generation) != known.end()) return;
  if (known.size() == kKept) known.erase(known.begin());
  known.push_back(generation);
}

// A new version of the agent alone is not worth a write: `by` changes only with the rest.
std::string PodReconciler::StatusJson(const Record& record, PodStatus& status) {
  std::string by = std::exchange(status.by, record.status.by);
  std::string json = ToJson(status);
  if (json == record.wanted.status) return json;
  status.by = std::move(by);
  return ToJson(status);
}

// Reports a mistake that waiting does not fix at once, and any other reason after a while. Returns
// when the next report is due.
PodReconciler::TimePoint PodReconciler::ReportPending(const Pod& pod, Record& record,
                                                      const Judgment& judgment) const {
  if (judgment.reasons == record.reported) return TimePoint::max();
  const bool at_once = !judgment.problem.empty();
  if (!at_once && now_ < record.report_at) return record.report_at;
  std::string message = judgment.reasons;
  if (!at_once) {
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(now_ - record.first_seen);
    message = "no certificate is asked for since " + FormatDuration(waited) + ": " + message;
    record.report_at = now_ + options_.pending_event_after;
  }
  with_.events.Event(ReferenceTo(pod), record::kEventTypeWarning,
                     at_once ? judgment.problem : "GatesPending", message);
  record.reported = judgment.reasons;
  return TimePoint::max();
}

void PodReconciler::SendOutput(const Pod& pod, Record& record) {
  const PodOutput held = HeldBy(pod, options_.outputs);
  if (record.opening && !Opens(held, record.wanted)) ReportOpened(pod, record);
  const bool differs = held != record.wanted;
  // An earlier output may still wait to be written, so the sink also gets the one that now holds.
  if (std::exchange(record.sent_to_sink, differs) || differs) {
    with_.outputs.SetOutput(pod, record.wanted);
  }
}

PassResult PodReconciler::ForgetMissingPods() {
  PassResult result;
  for (auto it = records_.begin(); it != records_.end();) {
    if (it->second.pass == pass_) {
      ++it;
      continue;
    }
    with_.outputs.Forget(it->first);
    it = records_.erase(it);
    result.idle = false;
    seen_changed_ = true;
  }
  return result;
}

void PodReconciler::ShowPending() {
  for (const auto& [gate, count] : displayed_) {
    if (!pending_.contains(gate)) with_.metrics.pending->Remove({gate});
  }
  for (const auto& [gate, count] : pending_) with_.metrics.pending->Set({gate}, count);
  displayed_ = pending_;
}

void PodReconciler::Publish() {
  auto seen = std::make_shared<std::vector<SeenPod>>();
  for (const auto& [key, record] : records_) {
    const bool open = record.phase == Phase::kOpen;
    if (open || !record.status.gates.empty()) seen->push_back({key, open, record.status});
  }
  const MutexLock lock(mu_);
  seen_ = std::move(seen);
}

std::vector<PodReconciler::SeenPod> PodReconciler::Seen() const {
  std::shared_ptr<const std::vector<SeenPod>> seen;
  {
    const MutexLock lock(mu_);
    seen = seen_;
  }
  return seen == nullptr ? std::vector<SeenPod>() : *seen;
}

}  // namespace capstan::readinessgate

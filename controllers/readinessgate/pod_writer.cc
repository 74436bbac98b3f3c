// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pod_writer.h"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/backoff.h"
#include "capstan/log.h"
#include "capstan/thread.h"
#include "capstan/time.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::readinessgate {

using std::chrono::milliseconds;

namespace {

// Only the identity of a patch's response is read.
const runtime::ResourceType& ResponseType() {
  static const runtime::ResourceType type = MakePodType({});
  return type;
}

// An admission webhook has at most 30 s. The API server's own limit is 60 s.
constexpr std::chrono::seconds kPatchTimeout{35};

// Certificates wait for these writes; statuses do not.
constexpr int kOpeningPriority = 1;

// A wrong header or clock must not delay a pod for longer.
constexpr std::chrono::minutes kRetryAfterMax{5};

bool Mentions(const Error& error, std::string_view text) {
  return error.message.find(text) != std::string::npos;
}

Clock::Duration Exponential(milliseconds base, milliseconds cap, int failures, double unit) {
  constexpr int kDoublingsMax = 16;
  const milliseconds grown(base.count() << std::clamp(failures - 1, 0, kDoublingsMax));
  return std::min<Clock::Duration>(cap, Jitter(std::min(grown, cap), 0.5, unit));
}

}  // namespace

WriteError Classify(const Error& error) {
  if (error.http_code == 404) return WriteError::kGone;
  if (error.http_code == 409) return WriteError::kConflict;
  if (error.http_code == 429) return WriteError::kThrottled;
  if (error.http_code == 422 && Mentions(error, "metadata.annotations") &&
      Mentions(error, "Too long")) {
    return WriteError::kTooLong;
  }
  if (error.http_code == 422 && Mentions(error, "metadata.uid") && Mentions(error, "immutable")) {
    return WriteError::kReplaced;
  }
  if (error.http_code >= 400 && error.http_code < 500 && error.http_code != 401) {
    return WriteError::kDenied;
  }
  return WriteError::kTransient;
}

std::string_view ToString(WriteError error) {
  constexpr std::array<std::string_view, 7> kNames = {"gone",   "replaced",  "conflict", "too-long",
                                                      "denied", "throttled", "error"};
  return kNames.at(static_cast<std::size_t>(error));
}

Clock::Duration RetryDelay(WriteError kind, const Error& error, int failures, double unit) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  switch (kind) {
    case WriteError::kConflict:
      // Longer than the sleep between passes: the next pass may have nothing to write.
      return Exponential(milliseconds(200), seconds(5), failures, unit);
    case WriteError::kDenied:
    case WriteError::kTooLong:
      return Exponential(seconds(1), minutes(5), failures, unit);
    case WriteError::kThrottled:
      if (error.retry_after) return std::min<Clock::Duration>(*error.retry_after, kRetryAfterMax);
      break;
    case WriteError::kGone:
    case WriteError::kReplaced:
    case WriteError::kTransient:
      break;
  }
  return Exponential(milliseconds(250), seconds(30), failures, unit);
}

bool WriteLedger::Want(const Pod& pod, PodOutput wanted) {
  const MutexLock lock(mu_);
  Entry& entry = entries_[std::string(pod.key())];
  if (entry.uid != pod.uid()) entry = {.uid = pod.uid()};
  entry.wanted = std::move(wanted);
  entry.wanted_version = pod.resource_version();
  const bool moved_on = !entry.conflict_version.empty() &&
                        IsOlderVersion(entry.conflict_version, pod.resource_version());
  // A pod that waits is in the queue. Its next try reads the latest wanted output.
  if (entry.not_before > clock_.Now() && !moved_on) return false;
  entry.not_before = {};
  // An event from before our own write needs no action.
  return entry.wanted != entry.written ||
         !IsOlderVersion(pod.resource_version(), entry.written_version);
}

void WriteLedger::Forget(std::string_view key) {
  const MutexLock lock(mu_);
  entries_.erase(std::string(key));
}

WriteLedger::Step WriteLedger::Next(const std::string& key, PodPtr pod) {
  const MutexLock lock(mu_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  Entry& entry = found->second;
  if (pod == nullptr || pod->deleting() || pod->uid() != entry.uid) {
    entries_.erase(found);
    return {};
  }
  const auto now = clock_.Now();
  if (entry.not_before > now) return {.wait = entry.not_before - now};
  return Compare(entry, std::move(pod));
}

WriteLedger::Step WriteLedger::Compare(Entry& entry, PodPtr pod) {
  Plan plan{.pod = {},
            .version = pod->resource_version(),
            .held = HeldBy(*pod, outputs_),
            .wanted = entry.wanted};
  const bool cache_is_older = IsOlderVersion(plan.version, entry.written_version);
  if (cache_is_older) {
    plan.version = entry.written_version;
    plan.held = entry.written;
  }
  if (entry.key_only) plan.wanted.status = plan.held.status;
  if (plan.held == plan.wanted) return {};
  // If this version needs an output, the next pass sets it. Our own writes need no other pass.
  const bool is_known =
      plan.version == entry.written_version || !IsOlderVersion(entry.wanted_version, plan.version);
  if (!is_known) return {};
  if (!entry.written_version.empty() && plan.wanted == entry.written) {
    // Somebody changed what we wrote: restore it more slowly each time.
    const auto wait = RetryDelay(WriteError::kDenied, {}, ++entry.restored, random_());
    entry.written = {};
    entry.written_version.clear();
    entry.not_before = clock_.Now() + wait;
    return {.wait = wait, .restores = true};
  }
  const bool same_metadata =
      plan.held.ready == plan.wanted.ready && plan.held.status == plan.wanted.status;
  plan.part = same_metadata ? PatchPart::kStatus : PatchPart::kMetadata;
  plan.pod = std::move(pod);
  return {.plan = std::move(plan)};
}

WriteLedger::Entries::iterator WriteLedger::Find(const std::string& key, const Plan& plan) {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.uid == plan.pod->uid() ? found : entries_.end();
}

void WriteLedger::Wrote(const std::string& key, const Plan& plan, std::string_view version) {
  const MutexLock lock(mu_);
  const auto found = Find(key, plan);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.written = plan.held;
  if (plan.part == PatchPart::kMetadata) {
    entry.written.ready = plan.wanted.ready;
    entry.written.status = plan.wanted.status;
  } else {
    entry.written.condition = plan.wanted.condition;
  }
  entry.written_version = version;
  entry.failures = 0;
  entry.logged = false;
  entry.conflict_version.clear();
}

WriteLedger::Failure WriteLedger::Failed(const std::string& key, const Plan& plan,
                                         const Error& error) {
  Failure failure{.kind = Classify(error)};
  const MutexLock lock(mu_);
  const auto found = Find(key, plan);
  if (found == entries_.end()) {
    failure.dropped = true;
    return failure;
  }
  Entry& entry = found->second;
  if (failure.kind == WriteError::kGone || failure.kind == WriteError::kReplaced) {
    entries_.erase(found);
    failure.dropped = true;
    return failure;
  }
  ++entry.failures;
  if (failure.kind == WriteError::kTooLong && !std::exchange(entry.key_only, true)) return failure;
  failure.wait = RetryDelay(failure.kind, error, entry.failures, random_());
  entry.not_before = clock_.Now() + failure.wait;
  entry.conflict_version = failure.kind == WriteError::kConflict ? plan.version : "";
  failure.log = failure.kind != WriteError::kConflict && !std::exchange(entry.logged, true);
  return failure;
}

api::ObjectReference ReferenceTo(const Pod& pod) {
  return {.api_version = "v1",
          .kind = "Pod",
          .namespace_ = std::string(pod.namespace_()),
          .name = std::string(pod.name()),
          .uid = pod.uid()};
}

PodWriter::PodWriter(const Collaborators& with, const AgentOptions& options)
    : with_(with),
      options_(options),
      ledger_(options_.outputs, options_.clock, RandomUnit),
      queue_({.clock = options_.clock,
              .flow_of = [](std::string_view key) { return key.substr(0, key.find('/')); },
              .workers = kWorkers,
              .share_from_priority = kOpeningPriority}) {}

void PodWriter::SetOutput(const Pod& pod, PodOutput wanted) {
  const int priority = Opens(HeldBy(pod, options_.outputs), wanted) ? kOpeningPriority : 0;
  if (!ledger_.Want(pod, std::move(wanted))) return;
  queue_.AddWithOpts(std::string(pod.key()), {.priority = priority});
}

void PodWriter::Run(std::stop_token stop) {
  const std::stop_callback shut_down(stop, [this] { queue_.ShutDown(); });
  std::vector<std::jthread> workers;
  for (int i = 1; i < kWorkers; ++i) {
    workers.push_back(
        StartThread(std::to_string(i) + "/pod-writer", [this, stop](const auto&) { Work(stop); }));
  }
  Work(stop);
}

void PodWriter::Work(const std::stop_token& stop) {
  while (const auto next = queue_.GetWithPriority()) {
    while (!stop.stop_requested() && SendNext(stop, *next)) {
    }
    queue_.Done(next->item);
  }
}

void PodWriter::Retry(const Item& next, Clock::Duration wait) {
  queue_.AddWithOpts(next.item, {.after = wait, .priority = next.priority});
}

bool PodWriter::SendNext(const std::stop_token& stop, const Item& next) {
  const std::string& key = next.item;
  const WriteLedger::Step step = ledger_.Next(key, with_.config.FindPod(key));
  if (step.wait) Retry(next, *step.wait);
  if (step.restores) {
    with_.writes.Add({"changed-by-others"});
    WarningS("Somebody changed what the agent had written to a pod", "pod", key, "nextTry",
             FormatDuration(*step.wait));
  }
  if (!step.plan) return false;
  const WriteLedger::Plan& plan = *step.plan;
  const bool metadata = plan.part == PatchPart::kMetadata;
  const std::string uid = plan.pod->uid();
  const PatchTarget target{.uid = uid, .resource_version = plan.version};
  auto body = metadata ? MetadataPatch(target, plan.held, plan.wanted)
                       : ConditionPatch(target, plan.wanted, options_.clock.WallNow());
  rest::CallOptions call(stop);
  call.answer_timeout = kPatchTimeout;
  const auto response = with_.client.Patch(
      call, ResponseType(), runtime::ObjectKey::Parse(key),
      metadata ? rest::PatchType::kMerge : rest::PatchType::kStrategicMerge, std::move(body),
      {.field_manager = options_.field_manager, .subresource = metadata ? "" : "status"});
  if (!response) {
    const bool more = HandleFailure(next, plan, response.error());
    if (!rest::IsUnreachable(response.error())) return more;
    // While the server cannot be reached, no pod can be written.
    return with_.client.availability().WaitUntilReachable(stop);
  }
  with_.writes.Add({"written"});
  ledger_.Wrote(key, plan, (*response)->resource_version());
  return true;
}

bool PodWriter::HandleFailure(const Item& next, const WriteLedger::Plan& plan, const Error& error) {
  if (IsCanceled(error)) return false;
  const WriteLedger::Failure failure = ledger_.Failed(next.item, plan, error);
  with_.writes.Add({std::string(ToString(failure.kind))});
  if (failure.dropped) return false;
  ++failures_;
  with_.ticker.Wake(WakeCause::kWrite);
  if (failure.log) {
    WarningS("Failed to write a pod, retrying", "pod", next.item, "result", ToString(failure.kind),
             "err", error);
  }
  if (failure.wait.count() > 0) {
    Retry(next, failure.wait);
    return false;
  }
  with_.events.Event(ReferenceTo(*plan.pod), record::kEventTypeWarning, "AnnotationsTooLong",
                     "The pod's annotations have no room for " + std::string(kStatusKey) +
                         "; only " + std::string(kReadyKey) + " is written");
  return true;
}

}  // namespace capstan::readinessgate

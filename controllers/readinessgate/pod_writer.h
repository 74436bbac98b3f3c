// SPDX-License-Identifier: Apache-2.0
// PodWriter patches pods so that they carry the wanted output; WriteLedger decides what to send and
// when to retry.
//
// Each pod has at most one patch in flight, and the latest wanted output is sent next. Nothing is
// sent to a pod that already has it, according to the cache or the last response, whichever is
// newer. So an event that is older than a write never undoes it. When the cached pod is newer than
// the one for which the output was computed, the next output is awaited. A patch carries the pod's
// uid and resourceVersion. A pod with a deletionTimestamp is never patched. When somebody keeps
// changing our keys, they are restored more and more slowly.
//
// Pods that open are written before statuses, and namespaces take turns. A webhook that is slow for
// the pods of one namespace delays the pods of that namespace only (workqueue/flows.h).
// The statuses of a namespace are written one after the other: nothing waits for them, and two
// patches of large pods at a time would keep the API server busy.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/metrics/metrics.h"
#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"
#include "capstan/rest/client.h"
#include "capstan/workqueue/queue.h"
#include "controllers/readinessgate/gate_config.h"
#include "controllers/readinessgate/options.h"
#include "controllers/readinessgate/pass_ticker.h"
#include "controllers/readinessgate/pod_output.h"

namespace capstan::readinessgate {

// WriteError classifies the API server's refusal of a patch.
enum class WriteError {
  kGone,       // the pod does not exist: drop the write
  kReplaced,   // another pod has the name (the uid does not match): drop the write
  kConflict,   // the pod has changed: retry with the next version in the cache
  kTooLong,    // no room for the status: write only the ready key, and an Event
  kDenied,     // an admission policy or RBAC: log once, then retry rarely
  kThrottled,  // 429: retry when the server allows it
  kTransient,  // no response, 401, 5xx: retry
};
WriteError Classify(const Error& error);
std::string_view ToString(WriteError error);  // value of the label `result`: "denied"

// Returns the wait before try number `failures` + 1, from 1 on. `unit` is in [0, 1).
//   kConflict              200 ms .. 5 s; the cache's next version ends it
//   kDenied                1 s .. 5 min
//   kThrottled             Retry-After, or as kTransient
//   kTransient             250 ms .. 30 s
Clock::Duration RetryDelay(WriteError kind, const Error& error, int failures, double unit);

// WriteLedger stores what each pod should carry, the result of our last patch, and the time of the
// next try. It sends nothing itself. Thread-safe.
class WriteLedger {
 public:
  // Plan is a patch from `held` to `wanted` for this version of the pod.
  struct Plan {
    PodPtr pod;
    std::string version;
    PodOutput held;
    PodOutput wanted;
    PatchPart part = PatchPart::kMetadata;
  };
  struct Step {
    std::optional<Plan> plan = {};
    std::optional<Clock::Duration> wait = {};  // neither: there is nothing to do
    bool restores = false;  // after the wait, because somebody changed what we had written
  };
  struct Failure {
    WriteError kind = WriteError::kTransient;
    bool dropped = false;
    bool log = false;           // the first failure in a row
    Clock::Duration wait = {};  // zero: retry at once
  };

  WriteLedger(OutputKinds outputs, Clock& clock, std::function<double()> random)
      : outputs_(outputs), clock_(clock), random_(std::move(random)) {}

  // Returns whether to call Next now. False while the pod waits for its next try, and when `pod` is
  // older than our write.
  bool Want(const Pod& pod, PodOutput wanted) CAPSTAN_EXCLUDES(mu_);
  void Forget(std::string_view key) CAPSTAN_EXCLUDES(mu_);
  // `pod` is the cached pod or null. Forgets a pod that must not be written.
  Step Next(const std::string& key, PodPtr pod) CAPSTAN_EXCLUDES(mu_);
  void Wrote(const std::string& key, const Plan& plan, std::string_view version)
      CAPSTAN_EXCLUDES(mu_);
  Failure Failed(const std::string& key, const Plan& plan, const Error& error)
      CAPSTAN_EXCLUDES(mu_);

 private:
  struct Entry {
    std::string uid;
    PodOutput wanted = {};
    std::string wanted_version = {};   // of the pod for which `wanted` was computed
    PodOutput written = {};            // the pod's output after our last patch
    std::string written_version = {};  // empty before the first patch
    bool key_only = false;             // the pod has no room for the status
    bool logged = false;               // the current row of failures
    int failures = 0;                  // in a row
    int restored = 0;                  // how often somebody changed what we had written
    Clock::TimePoint not_before = {};
    std::string conflict_version = {};  // a newer version in the cache ends the wait
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  Step Compare(Entry& entry, PodPtr pod) CAPSTAN_REQUIRES(mu_);
  // end() when `plan` is about another pod of the same name.
  Entries::iterator Find(const std::string& key, const Plan& plan) CAPSTAN_REQUIRES(mu_);

  const OutputKinds outputs_;
  Clock& clock_;
  const std::function<double()> random_;
  Mutex mu_;
  Entries entries_ CAPSTAN_GUARDED_BY(mu_);
};

// The object of Events about the pod.
api::ObjectReference ReferenceTo(const Pod& pod);

// Thread-safe.
class PodWriter final : public PodOutputSink {
 public:
  struct Collaborators {
    rest::Client& client;
    record::EventRecorder& events;
    metrics::Metrics::Counter& writes;  // {result}
    const GateConfig& config;           // has the cached pods
    PassTicker& ticker;                 // woken after a failure
  };
  // The collaborators and `options` outlive it.
  PodWriter(const Collaborators& with, const AgentOptions& options);

  void SetOutput(const Pod& pod, PodOutput wanted) override;
  void Forget(std::string_view key) override { ledger_.Forget(key); }

  // Sends patches until `stop`, and abandons those in flight then: the next run compares with what
  // the pods carry. Call once.
  void Run(std::stop_token stop);
  // The number of failed tries.
  std::uint64_t failures() const { return failures_; }

 private:
  using Item = workqueue::PrioritizedItem;
  static constexpr int kWorkers = 6;  // patches in parallel, at most two of one namespace

  void Work(const std::stop_token& stop);
  // Returns whether there may be more to send for this pod.
  bool SendNext(const std::stop_token& stop, const Item& next);
  bool HandleFailure(const Item& next, const WriteLedger::Plan& plan, const Error& error);
  void Retry(const Item& next, Clock::Duration wait);

  const Collaborators with_;
  const AgentOptions& options_;
  WriteLedger ledger_;
  workqueue::RateLimitingQueue queue_;
  std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace capstan::readinessgate

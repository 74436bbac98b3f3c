// SPDX-License-Identifier: Apache-2.0
// PodReconciler evaluates the gates of the node's pods and decides what each pod should carry. It
// reads memory only. A PodOutputSink writes the result.
//
//                    all gates are open
//   new uid --> kPending ----------------> kOpen, for as long as the uid lives
//        |                                   ^
//        +-----------------------------------+
//          the pod's ready key names the uid: an earlier run or another agent has opened it
//
// A ready key that does not name the uid (copied, set by somebody else, "False") does not count and
// is removed. One thread calls ReconcileAll and ReconcileOne. Seen is thread-safe and never waits
// for a pass.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"
#include "controllers/readinessgate/gate_metrics.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/options.h"
#include "controllers/readinessgate/pass_ticker.h"
#include "controllers/readinessgate/pod_output.h"

namespace capstan::readinessgate {

class PodReconciler {
 public:
  struct Collaborators {
    record::EventRecorder& events;
    const GateMetrics& metrics;
    // Gets the wanted output while a pod carries another one, and once more when it no longer does.
    PodOutputSink& outputs;
  };
  // The options and collaborators outlive it.
  PodReconciler(const AgentOptions& options, const Collaborators& with)
      : options_(options), with_(with) {}

  struct Inputs {
    const GateRules& rules;
    const ClusterReader& cluster;
  };
  using Pods = std::vector<PodPtr>;
  // Makes a pass over all pods of the agent. Forgets pods that are not in `pods`.
  PassResult ReconcileAll(const Pods& pods, const Inputs& in) CAPSTAN_EXCLUDES(mu_);
  // Reconciles one pod between two passes. Metrics and Seen change at the next pass.
  PassResult ReconcileOne(const Pod& pod, const Inputs& in);

  // SeenPod is a pod that waits for a gate or was opened.
  struct SeenPod {
    std::string key;
    bool open = false;
    PodStatus status = {};  // may be empty when an earlier agent opened the pod
  };
  // Returns the pods of the last complete pass, sorted by key.
  std::vector<SeenPod> Seen() const CAPSTAN_EXCLUDES(mu_);

 private:
  using TimePoint = Clock::TimePoint;
  enum class Phase { kPending, kOpen };
  struct Record {
    std::string uid = {};
    Phase phase = Phase::kPending;
    TimePoint first_seen = {};
    std::string version = {};  // resourceVersion at the last pass
    PodOutput wanted = {};
    bool sent_to_sink = false;  // in the last pass
    bool opening = false;       // open, but the cached pod does not carry it yet
    PodStatus status = {};
    std::vector<std::string> generations = {};  // of our last statuses
    std::size_t held_status = 0;                // hash of the pod's status at the last pass
    bool yields = false;                        // to the status of another agent
    std::string reported = {};                  // the reasons in the last Event
    TimePoint report_at = TimePoint::max();     // the next Event is not sent earlier
    std::uint64_t pass = 0;                     // the last pass with this pod
  };
  struct Judgment;

  PassResult Reconcile(const Pod& pod, const Inputs& in);
  Record& FindOrStart(const Pod& pod);
  void Adopt(const Pod& pod, Record& record) const;
  void AdoptPending(const PodOutput& held, const PodStatus& status, Record& record) const;
  bool YieldsTo(const PodStatus& held, const Record& record) const;
  static bool StillYields(Record& record, const PodStatus& status);
  std::string WrittenBy() const;  // the writer in a status
  static void NoteGeneration(const std::string& generation, Record& record);
  Judgment Judge(const Pod& pod, const Inputs& in);
  PassResult EvaluatePending(const Pod& pod, Record& record, const Inputs& in);
  void ReportOpened(const Pod& pod, Record& record) const;
  TimePoint ReportPending(const Pod& pod, Record& record, const Judgment& judgment) const;
  static std::string StatusJson(const Record& record, PodStatus& status);
  void SendOutput(const Pod& pod, Record& record);
  PassResult ForgetMissingPods();
  void ShowPending();
  void Publish() CAPSTAN_EXCLUDES(mu_);

  const AgentOptions& options_;
  const Collaborators with_;
  // For the thread that runs passes. It holds no lock during a pass, so it may log and call out.
  std::map<std::string, Record, std::less<>> records_;  // by key
  TimePoint now_ = {};                                  // start of the current pass
  std::uint64_t pass_ = 0;
  bool seen_changed_ = false;             // since the last Publish
  std::map<std::string, int> pending_;    // pods of the current pass by closed gate
  std::map<std::string, int> displayed_;  // the values of the metric
  mutable Mutex mu_;
  std::shared_ptr<const std::vector<SeenPod>> seen_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::readinessgate

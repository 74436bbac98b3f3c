// SPDX-License-Identifier: Apache-2.0
// GatePass: one look at all pods of the node: evaluates the gates of those that wait, says what
// each pod is to carry, and tells who waits for too long. Reads memory only; sends nothing itself.
//
// A pod whose gates were open once stays open for as long as its uid lives, also over a restart,
// and whichever of two agents opened it: the ready key's value names the uid. A value that does not
// (copied, set by somebody else, "False") does not count, and is removed. Run is for one thread.
// Seen is for any thread and never waits for a pass.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/pod.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/util/mutex.h"
#include "controllers/readinessgate/gate_metrics.h"
#include "controllers/readinessgate/gates/gate_rules.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/loop/gate_loop.h"
#include "controllers/readinessgate/options.h"
#include "controllers/readinessgate/pod_output.h"

namespace controllers::readinessgate {

class GatePass {
 public:
  struct Collaborators {
    clientgo::record::EventRecorder& events;
    const GateMetrics& metrics;
    // What a pod is to carry: while it carries something else, and once when it does not any more.
    std::function<void(const clientgo::api::Pod&, PodOutput)> set_output;
    std::function<void(std::string_view key)> forget;
  };
  using Pods = std::vector<std::shared_ptr<const clientgo::api::Pod>>;
  // All outlive it.
  GatePass(const AgentOptions& options, Collaborators with);

  // `pods`: all that the agent looks after now.
  PassResult Run(const Pods& pods, const World& world, const GateRules& rules) EXCLUDES(mu_);

  // What the last complete pass knew of the pods that wait for a gate or were opened; by key.
  struct SeenPod {
    std::string key;
    bool open = false;
    PodStatus status = {};  // of a pod that an earlier agent opened: perhaps empty
  };
  std::vector<SeenPod> Seen() const EXCLUDES(mu_);

 private:
  using TimePoint = clientgo::util::Clock::TimePoint;
  struct State {
    std::string uid = {};
    TimePoint seen = {};
    std::string version = {};  // the pod's, when it was last looked at
    bool open = false;
    PodOutput wanted = {};
    bool asked = false;  // for it, when the pod was looked at last
    PodStatus status = {};
    std::string told = {};  // the reasons in the last Event
    TimePoint tell_at = TimePoint::max();
    std::uint64_t pass = 0;  // the last that it was in
  };
  struct Look;      // what one pass knows
  struct Judgment;  // what the gates of a pod say now

  State& StateOf(const clientgo::api::Pod& pod, Look& look);
  void Adopt(const clientgo::api::Pod& pod, State& state) const;
  Judgment Judge(const clientgo::api::Pod& pod, const State& state, Look& look) const;
  void Apply(const clientgo::api::Pod& pod, State& state, Look& look, Judgment judgment);
  void Want(const clientgo::api::Pod& pod, State& state);
  void ReportClosed(const clientgo::api::Pod& pod, State& state, Look& look,
                    const Judgment& judgment);
  void ForgetGone(Look& look);
  void ShowPending(std::map<std::string, int> pending);
  void Publish() EXCLUDES(mu_);

  const AgentOptions& options_;
  const Collaborators with_;
  // Of the thread that runs passes. No lock is held during one, so it may log and call out.
  std::map<std::string, State, std::less<>> states_;  // by key
  std::map<std::string, int> pending_;                // as shown, by gate
  std::uint64_t pass_ = 0;
  mutable clientgo::util::Mutex mu_;
  std::shared_ptr<const std::vector<SeenPod>> seen_ GUARDED_BY(mu_);
};

}  // namespace controllers::readinessgate

// SPDX-License-Identifier: Apache-2.0
// WriteLedger: what each pod is to carry, what our last patch made of it, and when it may be tried
// again. Decides what PodWriter sends next; sends nothing itself. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/api/pod.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "controllers/readinessgate/pod_output.h"
#include "controllers/readinessgate/write_error.h"

namespace controllers::readinessgate {

class WriteLedger {
 public:
  // What is to be sent now: the difference of `held` and `wanted`, to this version of the pod.
  struct Plan {
    std::shared_ptr<const clientgo::api::Pod> pod;
    std::string version;
    PodOutput held;
    PodOutput wanted;
    PatchPart part = PatchPart::kMetadata;
  };
  struct Step {
    std::optional<Plan> plan = {};
    std::optional<clientgo::util::Clock::Duration> wait = {};  // neither: there is nothing to do
    bool restores = false;  // after the wait: somebody changed what we had written
  };
  struct Failure {
    WriteError kind = WriteError::kTransient;
    bool dropped = false;
    bool log = false;                           // the first in a row
    clientgo::util::Clock::Duration wait = {};  // zero: at once
  };

  WriteLedger(OutputKinds outputs, clientgo::util::Clock& clock, std::function<double()> random)
      : outputs_(outputs), clock_(clock), random_(std::move(random)) {}

  // True: look at the pod now. False: it waits for its next try, or `pod` is older than our write.
  bool Want(const clientgo::api::Pod& pod, PodOutput wanted);
  void Forget(std::string_view key);
  // `pod`: as the cache has it; null: it is not there. Forgets a pod that nobody may write to.
  Step Next(const std::string& key, std::shared_ptr<const clientgo::api::Pod> pod);
  void Wrote(const std::string& key, const Plan& plan, std::string_view version);
  Failure Failed(const std::string& key, const Plan& plan, const clientgo::util::Error& error);

 private:
  struct Entry {
    std::string uid;
    PodOutput wanted = {};
    PodOutput written = {};            // what our last patch made of it
    std::string written_version = {};  // empty: there was none
    bool key_only = false;             // there is no room for more
    bool logged = false;               // that it fails
    int failures = 0;                  // in a row
    int restored = 0;                  // how often somebody changed what we had written
    clientgo::util::Clock::TimePoint not_before = {};
    std::string conflict_version = {};  // a newer one in the cache ends the wait
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  Step Compare(Entry& entry, std::shared_ptr<const clientgo::api::Pod> pod) REQUIRES(mu_);
  // The pod's, as long as it is the one that `plan` is about.
  Entries::iterator Find(const std::string& key, const Plan& plan) REQUIRES(mu_);

  const OutputKinds outputs_;
  clientgo::util::Clock& clock_;
  const std::function<double()> random_;
  clientgo::util::Mutex mu_;
  Entries entries_ GUARDED_BY(mu_);
};

}  // namespace controllers::readinessgate

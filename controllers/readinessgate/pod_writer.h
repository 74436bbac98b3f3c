// SPDX-License-Identifier: Apache-2.0
// PodWriter: makes pods carry what the agent says about them. One patch in flight for each pod, and
// the latest wish wins; nothing is sent to a pod that has it already, as the cache or as the last
// answer says, whichever is newer. So an event that is older than a write never undoes it.
//
// A patch carries the pod's uid and resourceVersion: it never lands on a successor of the same
// name. A pod with a deletionTimestamp is never patched. What fails is tried again as write_error.h
// says; a pod that is gone or replaced is dropped. Somebody who keeps changing our keys is answered
// more and more slowly. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/api/pod.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/backoff.h"
#include "clientgo/util/clock.h"
#include "controllers/readinessgate/pod_output.h"
#include "metrics/metrics.h"

namespace controllers::readinessgate {

// Whom an Event about the pod is about.
clientgo::record::ObjectReference ReferenceTo(const clientgo::api::Pod& pod);

struct PodWriterOptions {
  OutputKinds outputs = {};
  std::string field_manager = {};
  int workers = 2;  // patches at once
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  std::function<double()> random = clientgo::util::RandomUnit;
};

class PodWriter {
 public:
  struct Collaborators {
    clientgo::rest::Client& client;
    clientgo::record::EventRecorder& events;
    metrics::Metrics::Counter* writes = nullptr;  // {result}; null: not counted
    // The pod as the cache has it now; null: there is none.
    std::function<std::shared_ptr<const clientgo::api::Pod>(std::string_view key)> find_pod;
    std::function<void()> on_failure = {};  // a try failed; on a worker's thread
  };
  // What is referred to outlives it.
  PodWriter(Collaborators with, PodWriterOptions options);
  ~PodWriter();

  // From now on `pod` is to carry `wanted`. Cheap when nothing is new; never blocks on the network.
  void SetOutput(const clientgo::api::Pod& pod, PodOutput wanted);
  void Forget(std::string_view key);

  // Sends until `stop`. A patch that is under way then is given up: its outcome is unknown, and a
  // restart compares with what the pod holds. Call once.
  void Run(std::stop_token stop);
  // Tries that failed so far.
  std::uint64_t failures() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace controllers::readinessgate

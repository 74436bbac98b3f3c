// SPDX-License-Identifier: Apache-2.0
// EndpointReporter keeps the last result of each server, and reports it: as metrics, as a table
// for /statusz, and as an Event when the outcome of a target changes. It also writes the Events of
// rotations. Thread-safe. Has no upstream.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/metrics/metrics.h"
#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"
#include "controllers/cainjector/endpoints/rotations.h"
#include "controllers/cainjector/endpoints/server_answers.h"

namespace capstan::cainjector {

class EndpointReporter {
 public:
  // All outlive the reporter.
  struct Collaborators {
    record::EventRecorder& events;
    metrics::Metrics& metrics;
    Clock& clock;
  };
  explicit EndpointReporter(const Collaborators& with);

  // Counts one verification.
  void Count(EndpointOutcome outcome);
  // Records the results of all servers of a target, and returns the one to Report, if any. With an
  // unknown one, metrics and Events stay as they are.
  [[nodiscard]] std::optional<EndpointResult> Put(const api::ObjectReference& target,
                                                  std::vector<EndpointResult> results);
  // Writes an Event and a log line.
  void Report(const api::ObjectReference& target, const EndpointResult& worst);
  void Forget(const std::string& kind, const std::string& name);

  // NeededCa is a server that is trusted only with a former CA.
  struct NeededCa {
    EndpointResult result;    // with the CA of the source alone
    CertificateTime expires;  // of the last former CA that it is trusted with
  };
  // Writes the Event of a step; of kNone and kDue there is none.
  void Rotation(const api::ObjectReference& target, RotationEvent event,
                std::size_t former_cas = 0);
  // Records the server whose former CA expires first, or that no former CA is needed. With
  // kStillNeeded it also writes the Event.
  void Needed(const api::ObjectReference& target, const NeededCa* needed, RotationEvent event);

  struct Status {
    std::string kind;  // of the target
    std::string name;
    EndpointResult result;
  };
  // Returns the last result of each server, by kind and name of its target.
  std::vector<Status> All() const;

 private:
  struct State {
    std::vector<EndpointResult> results = {};
    // The last one that was reported.
    EndpointOutcome outcome = EndpointOutcome::kVerified;
    Clock::TimePoint reported = {};
  };
  using Key = std::pair<std::string, std::string>;  // kind, name

  void SetGauges(const Key& key, const State& state);
  void WriteStep(const api::ObjectReference& target, bool warning, std::string_view reason,
                 const std::string& message);

  const Collaborators with_;
  const std::unique_ptr<metrics::Metrics::Gauge> verified_;    // {kind,name}
  const std::unique_ptr<metrics::Metrics::Gauge> expiration_;  // {kind,name}
  const std::unique_ptr<metrics::Metrics::Gauge> needed_;      // {kind,name}
  const std::unique_ptr<metrics::Metrics::Counter> outcomes_;  // {outcome}
  mutable Mutex mu_;
  std::map<Key, State> states_ CAPSTAN_GUARDED_BY(mu_);
};

// Returns the first server that is not verified, or else the first one; nullptr without a server.
// A server about which nothing is known does not hide a bad one.
const EndpointResult* WorstOf(const std::vector<EndpointResult>& results);

}  // namespace capstan::cainjector

// SPDX-License-Identifier: Apache-2.0
// EndpointVerifier verifies the servers of all targets that hold their bundle: soon after each
// write, and then in every period. It reports as metrics, on /statusz, and as an Event when the
// outcome of a target changes. It verifies at most kVerifyWorkers targets at a time, at random
// moments.
//
// Run it in the leader. The calls that observe targets are thread-safe at any time. Has no
// upstream.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clientgo/record/event_recorder.h"
#include "capstan/clientgo/runtime/object.h"
#include "capstan/clientgo/runtime/resource_type.h"
#include "capstan/clientgo/util/clock.h"
#include "capstan/clientgo/util/mutex.h"
#include "capstan/clientgo/workqueue/queue.h"
#include "capstan/controller_runtime/manager.h"
#include "capstan/metrics/metrics.h"
#include "controllers/cainjector/endpoints/endpoint_check.h"
#include "controllers/cainjector/endpoints/rotations.h"

namespace capstan::controllers::cainjector {

// The time from a write to the verification: kube-apiserver has read the target by then.
inline constexpr std::chrono::seconds kVerifyAfterWrite{5};
// A server that stays bad is reported again after this time.
inline constexpr std::chrono::minutes kReportBadServerAgain{45};
// The targets that are verified at a time.
inline constexpr int kVerifyWorkers = 4;

class EndpointVerifier final : public controller_runtime::Runnable {
 public:
  // Verifies the servers of a target, as EndpointCheck::Run.
  using Check = std::function<clientgo::util::Expected<std::vector<EndpointResult>>(
      std::stop_token stop, const std::string& resource, const std::string& name,
      const std::string* trial)>;
  // All outlive the verifier.
  struct Collaborators {
    clientgo::record::EventRecorder& events;
    metrics::Metrics& metrics;
    clientgo::util::Clock& clock;
  };
  struct Options {
    // Each target is verified once in a period, more or less a tenth of it.
    std::chrono::nanoseconds period = std::chrono::minutes(10);
    std::optional<std::chrono::nanoseconds> retire_after = {};  // as of Rotations
  };
  EndpointVerifier(const Collaborators& with, const Options& options, Check check);

  // Sets what reconciles a target ("apiservices", "v1.example.com") whose former CA may leave.
  // Before Start.
  void set_reconcile(
      std::function<void(const std::string& resource, const std::string& key)> call) {
    reconcile_ = std::move(call);
  }

  // Records that a target of `type` holds its bundle, which was `written` just now, or not.
  void Observe(const clientgo::runtime::ResourceType& type, const clientgo::runtime::Object& target,
               bool written);
  // Records the certificates of the target's source, and the former ones that only the target still
  // holds. Reports the steps of its rotation (Rotations).
  void ObserveCas(const clientgo::runtime::ResourceType& type,
                  const clientgo::runtime::Object& target, const Certificates& source,
                  Certificates former);
  // Returns the former certificates that may leave the target now.
  Certificates Retired(const clientgo::runtime::ResourceType& type, std::string_view key) const;

  // The target was deleted, or requests no bundle any more.
  void Forget(const clientgo::runtime::ResourceType& type, std::string_view key);

  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "endpoints"; }

  struct Status {
    std::string kind;  // of the target
    std::string name;
    EndpointResult result;
  };
  // Returns the last result of each server, by kind and name of its target. Thread-safe.
  std::vector<Status> All() const;

 private:
  struct State {
    clientgo::record::ObjectReference reference;
    std::vector<EndpointResult> results = {};
    // The last one that was reported.
    EndpointOutcome outcome = EndpointOutcome::kVerified;
    clientgo::util::Clock::TimePoint reported = {};
  };

  void Work(const std::stop_token& stop);
  void Verify(const std::stop_token& stop, const std::string& item);
  void Report(const State& state, EndpointOutcome before);
  // Verifies the target with the new CA alone, if it holds a former one.
  void TryWithoutFormer(const std::stop_token& stop, const std::string& item, const State& state);
  void ReportRotation(const clientgo::record::ObjectReference& target, RotationEvent event,
                      const std::string& message);
  void SetGauges(const State& state);
  std::chrono::nanoseconds Jittered(double least, double most) const;

  const Collaborators with_;
  const Options options_;
  const Check check_;
  const std::unique_ptr<metrics::Metrics::Gauge> verified_;    // {kind,name}
  const std::unique_ptr<metrics::Metrics::Gauge> expiration_;  // {kind,name}
  const std::unique_ptr<metrics::Metrics::Counter> outcomes_;  // {outcome}
  clientgo::workqueue::RateLimitingQueue queue_;               // "apiservices/v1.example.com"
  Rotations rotations_;                                        // by resource and key
  std::function<void(const std::string& resource, const std::string& key)> reconcile_;
  mutable clientgo::util::Mutex mu_;
  std::map<std::string, State, std::less<>> states_ CAPSTAN_GUARDED_BY(mu_);  // by item
};

}  // namespace capstan::controllers::cainjector

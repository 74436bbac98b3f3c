// SPDX-License-Identifier: Apache-2.0
// EndpointVerifier verifies the servers of all targets that hold their bundle: soon after each
// write, and then in every period.
//
// A target is read when it has changed. A server is asked once in a period, at a random moment, for
// all targets that refer to it. EndpointReporter reports the results, Rotations follows what they
// say about former CAs.
//
// Run it in the leader. When it ends it forgets all targets, because others may change them until
// it leads again. The calls that observe targets are thread-safe at any time. Has no upstream.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/manager.h"
#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/workqueue/queue.h"
#include "controllers/cainjector/endpoints/endpoint_reporter.h"
#include "controllers/cainjector/endpoints/rotations.h"
#include "controllers/cainjector/endpoints/server_answers.h"
#include "controllers/cainjector/endpoints/target_servers.h"

namespace capstan::cainjector {

// The time from a write to the verification: kube-apiserver has read the target by then.
inline constexpr std::chrono::seconds kVerifyAfterWrite{5};
// The servers that are asked at a time.
inline constexpr int kVerifyWorkers = 4;

class EndpointVerifier final : public Runnable {
 public:
  // As the functions of EndpointCheck.
  struct Check {
    std::function<Expected<std::vector<TargetServersPtr>>(
        std::stop_token stop, const std::string& resource, const std::vector<std::string>& names)>
        read;
    std::function<ServerAnswers(const std::stop_token& stop, const ServerReference& server,
                                std::size_t replicas_max)>
        ask;
  };
  struct Options {
    // Each server is asked once in a period, more or less a tenth of it.
    std::chrono::nanoseconds period = std::chrono::minutes(10);
    std::optional<std::chrono::nanoseconds> retire_after = {};  // as of Rotations
  };
  EndpointVerifier(const EndpointReporter::Collaborators& with, const Options& options,
                   Check check);

  // Sets what reconciles a target ("apiservices", "v1.example.com") whose former CA may leave.
  // Before Start.
  void set_reconcile(
      std::function<void(const std::string& resource, const std::string& key)> call) {
    reconcile_ = std::move(call);
  }

  // Records that a target of `type` holds its bundle, which was `written` just now, or not.
  void Observe(const runtime::ResourceType& type, const runtime::Object& target, bool written);
  // Records that the source of a target has failed. The target may have changed, and its servers
  // are verified as before if it held its bundle before.
  void ObserveFailed(const runtime::ResourceType& type, const runtime::Object& target);
  // Records the certificates of the target's source, and the former ones that only the target still
  // holds. Reports the steps of its rotation (Rotations).
  void ObserveCas(const runtime::ResourceType& type, const runtime::Object& target,
                  const Certificates& source, Certificates former);
  // Returns the former certificates that may leave this version of the target now.
  Certificates Retired(const runtime::ResourceType& type, const runtime::Object& target) const;

  // The target was deleted, or requests no bundle any more.
  void Forget(const runtime::ResourceType& type, std::string_view key);

  Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "endpoints"; }

  // Returns the last result of each server, by kind and name of its target. Thread-safe.
  using Status = EndpointReporter::Status;
  std::vector<Status> All() const { return reporter_.All(); }

 private:
  using TargetKey = std::pair<std::string, std::string>;  // resource, key
  // ReadState is whether the last version of a target was read. A target that changes while it is
  // read is read again.
  enum class ReadState { kOutdated, kReading, kReadingOutdated, kCurrent };
  enum class ReadEvent { kChanged, kBegun, kEnded, kFailed };
  // Trial is a verification with the CA of the source alone.
  struct Trial {
    std::string bundle;
    EndpointResult result;
    // When a server that needs a former CA is no longer trusted. nullopt: it needs none, or is not
    // trusted with the target's bundle either.
    std::optional<CertificateTime> needs_until = {};
  };
  // What a verification found for one server of a target.
  struct Found {
    EndpointResult result;  // with the target's bundle
    // nullopt: the target holds no former CA, or Rotations knows this trial already.
    std::optional<Trial> trial = {};
    bool all_replicas = false;  // as of ServerAnswers
  };
  struct Target {
    api::ObjectReference reference;
    TargetServersPtr servers = nullptr;  // nullptr: not read yet
    std::string version = {};            // the resourceVersion that was read
    ReadState state = ReadState::kOutdated;
    bool written = false;  // since it was read
    // By server, of servers->servers(); nullopt: not verified yet.
    std::vector<std::optional<Found>> found = {};
  };
  struct Server {
    ServerReference reference;
    std::set<TargetKey> targets = {};
  };
  // One server of a target that is verified.
  struct Job {
    TargetKey key;
    std::size_t index;  // of the server
    TargetServersPtr servers;
    std::optional<RotationTrial> trial;
  };

  // What is known about a target when all its servers are verified.
  struct Conclusion {
    api::ObjectReference target;
    std::vector<Found> found = {};
    std::optional<EndpointResult> news = {};  // to report
    bool tried = true;                        // each server with a trial
  };

  static bool IsOutdated(ReadState state);
  // Returns the next state. Pure function.
  static ReadState Transition(ReadState state, ReadEvent event);

  // These read targets, ask servers and write Events. They must be called without mu_,
  // and do not keep it.
  void Work(const std::stop_token& stop);
  void ReadTargets(const std::stop_token& stop);
  void Verify(const std::stop_token& stop, const std::string& item);
  // Reports a target when all its servers are verified, and its rotation when all are once more.
  void Conclude(const TargetKey& key);
  void FollowRotation(const TargetKey& key, const Conclusion& conclusion);

  // These lock mu_, and do no I/O.
  std::map<std::string, std::vector<std::string>> TakeOutdated();  // keys by resource
  void ReadFailed(const std::string& resource, const std::vector<std::string>& keys);
  void SetServers(const TargetKey& key, const TargetServersPtr& servers);
  std::pair<ServerReference, std::vector<Job>> JobsOf(const std::string& item) const;
  void Record(const Job& job, Found found);
  std::optional<Conclusion> ConclusionOf(const TargetKey& key);
  void ForgetAll();
  // Asks the servers of a target now, or at `spread` moments.
  void AskServers(const TargetKey& key, const Target& target, bool spread) CAPSTAN_REQUIRES(mu_);
  void Unlink(const TargetKey& key, const Target& target) CAPSTAN_REQUIRES(mu_);
  std::chrono::nanoseconds Jittered(double least, double most) const;

  const Options options_;
  const Check check_;
  Clock& clock_;
  EndpointReporter reporter_;
  Rotations rotations_;  // by resource and key
  std::function<void(const std::string& resource, const std::string& key)> reconcile_;
  mutable Mutex mu_;
  std::map<TargetKey, Target> targets_ CAPSTAN_GUARDED_BY(mu_);
  std::map<std::string, Server> servers_ CAPSTAN_GUARDED_BY(mu_);  // by the queue's key
  // The servers to ask, and kReadTargets.
  workqueue::RateLimitingQueue queue_;
};

}  // namespace capstan::cainjector

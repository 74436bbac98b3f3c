// SPDX-License-Identifier: Apache-2.0
// Candidate is one process's part in the election for one Lease. It acquires, renews and releases
// the Lease, and knows until when this process safely holds it. LeaderElector has the callbacks and
// loops.
//
// The safety argument: other candidates count lease_duration from when they *see* our write, which
// is after we sent it. So until lease_duration after we sent a successful write, nobody else may
// hold the Lease. A Lease that was deleted, cleared or edited proves nothing about its holder.
// Candidates therefore also count from such a change, with the longest duration that the holder can
// have meant. Only an exact release ends the wait.
//
// One thread calls TryAcquireOrRenew and Release; the rest is thread-safe. Mirrors
// tryAcquireOrRenew and release of client-go's leaderelection.go, and resourcelock.LeaseLock.
// Differs: client-go counts from the response, believes every edit at once, and leads for a while
// after it has read another holder's name.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "capstan/api/lease.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/mutex.h"
#include "capstan/rest/client.h"

namespace capstan::leaderelection {

class Candidate {
 public:
  // `client` and `config` must outlive it.
  Candidate(rest::Client& client, const LeaderElectionConfig& config);

  enum class Outcome {
    kHeld,     // this process holds the Lease until HeldUntil()
    kNotHeld,  // another process holds it, or the API did not respond; try again later
    kLost,     // this process held it, and now the server names another, or it was released
  };
  // Each request ends by `deadline`. It also ends after half of the time until then or of
  // renew_deadline, whichever is less, but not before 1 s.
  Outcome TryAcquireOrRenew(const std::stop_token& stop, Clock::TimePoint deadline);
  // Clears the holder if the server has what this process wrote. Takes at most renew_deadline.
  // There is no stop token, because it runs after a stop. Sends nothing when the Lease cannot be
  // ours.
  void Release();
  // Ends leadership, whether or not the Lease was released.
  void GiveUp() {
    if (claim_ == Claim::kHeld) claim_ = Claim::kWritten;
  }
  // Returns the holder last seen in the Lease.
  std::string Holder() const;
  // Returns when the last successful write no longer protects us; TimePoint::min() before any.
  Clock::TimePoint HeldUntil() const;
  std::string Describe() const { return key_.String(); }

 private:
  // Claim is what this process's own writes may have done to the Lease.
  enum class Claim {
    kNone,     // nothing: no write, only refused ones, or another holder was seen since
    kWritten,  // a write may have succeeded, or leadership was given up; term_ identifies the write
    kHeld,     // a write succeeded, and no other holder was seen since
  };

  Expected<api::LeasePtr> Get(const rest::CallOptions& call) const;
  Expected<api::LeasePtr> Create(const rest::CallOptions& call, const api::LeaseSpec& spec) const;
  // Fails with a Conflict when the Lease has changed since it was last seen.
  Expected<api::LeasePtr> Update(const rest::CallOptions& call, const api::LeaseSpec& spec) const;
  Expected<api::LeasePtr> ToLease(Expected<runtime::ObjectPtr> response, const char* verb) const;

  rest::CallOptions Limits(const std::stop_token& stop, Clock::TimePoint deadline) const;
  // Creates or updates the Lease with `spec`, which names us.
  Expected<api::LeasePtr> Write(const rest::CallOptions& call, const api::LeaseSpec& spec,
                                bool create);
  Outcome AfterWrite(const Expected<api::LeasePtr>& written, const char* failure);
  void Observe(const api::LeasePtr& lease);
  void Replace(const std::stop_token& stop, Clock::TimePoint deadline);
  void Defer(std::chrono::seconds duration);
  bool NamesUs() const { return lease_ != nullptr && lease_->spec.holder_identity == identity_; }
  bool IsOurs() const;
  bool IsLeading() const { return claim_ == Claim::kHeld && config_.clock.Now() < HeldUntil(); }
  api::LeaseSpec NewSpec() const;

  rest::Client& client_;
  const LeaderElectionConfig& config_;
  const std::string& identity_;
  const runtime::ObjectKey key_;

  // These belong to the thread that calls TryAcquireOrRenew.
  api::LeasePtr lease_;  // as last seen
  Claim claim_ = Claim::kNone;
  // The acquireTime of our last write; empty with kNone. It distinguishes our writes, including
  // those without a response, from a Lease that only has our name.
  std::string term_;
  // Another process may act until then, by our clock.
  Clock::TimePoint others_until_ = Clock::TimePoint::min();

  // These are for Holder and HeldUntil, which any thread may call.
  mutable Mutex mu_;
  std::string holder_ CAPSTAN_GUARDED_BY(mu_);
  Clock::TimePoint held_until_ CAPSTAN_GUARDED_BY(mu_) = Clock::TimePoint::min();
};

}  // namespace capstan::leaderelection

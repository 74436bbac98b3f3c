// SPDX-License-Identifier: Apache-2.0
// Candidate: one process's dealings with the Lease: try to take or renew it, give it back, and know
// until when it is safely ours. It knows nothing of callbacks and loops; LeaderElector has those.
//
// The safety argument: others count lease_duration from when they *see* our write, which is after
// we sent it. So until lease_duration after we sent a write that succeeded, nobody else may hold
// it. A Lease that vanished, was cleared or was edited proves nothing about its holder, so others
// count from then as well, with the longest duration that the holder can have meant; only what
// looks exactly like a release ends the wait.
//
// One thread calls TryAcquireOrRenew and Release; the rest is thread-safe. Mirrors
// tryAcquireOrRenew and release of client-go's leaderelection.go. Differs: client-go counts from
// the answer, believes every edit at once, and goes on leading for a while after it has read
// another holder's name.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "clientgo/api/lease.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/leaderelection/lease_lock.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::leaderelection {

class Candidate {
 public:
  // `config` outlives it.
  Candidate(rest::Client& client, const LeaderElectionConfig& config);

  enum class Outcome {
    kHeld,     // ours, until HeldUntil()
    kNotHeld,  // not ours, or the API did not answer; try again later
    kLost,     // it was ours, and now the server names another, or it was released
  };
  // Every request ends by `deadline`, and after half of the time until then or of renew_deadline,
  // whichever is less, but not before 1 s.
  Outcome TryAcquireOrRenew(const std::stop_token& stop, util::Clock::TimePoint deadline);
  // Clears the holder, if the server has what we wrote. Takes at most renew_deadline; not stopped
  // by anything else, because it is what one does when stopped. Without a chance that the Lease is
  // ours it sends nothing.
  void Release();
  // What was written no longer counts as held: leadership was given up, released or not.
  void GiveUp() { holding_ = false; }
  // The holder last seen in the Lease.
  std::string Holder() const;
  // The time at which the last successful write stops to protect us; TimePoint::min() before.
  util::Clock::TimePoint HeldUntil() const;
  std::string Describe() const { return lock_.Describe(); }

 private:
  using LeasePtr = LeaseLock::LeasePtr;
  using Call = std::function<util::Expected<LeasePtr>(const rest::CallOptions&)>;

  util::Expected<LeasePtr> Request(const std::stop_token& stop, util::Clock::TimePoint deadline,
                                   const Call& call);
  util::Expected<LeasePtr> Write(const std::stop_token& stop, util::Clock::TimePoint deadline,
                                 const api::LeaseSpec& spec, const Call& call);
  Outcome AfterWrite(const util::Expected<LeasePtr>& written, const char* failure);
  void Observe(const LeasePtr& lease);
  void Replace(const std::stop_token& stop, util::Clock::TimePoint deadline);
  void Defer(std::chrono::seconds duration);
  bool NamesUs() const { return lease_ != nullptr && lease_->spec().holder_identity == identity_; }
  bool IsOurs() const;
  bool IsLeading() const { return holding_ && config_.clock.Now() < HeldUntil(); }
  api::LeaseSpec NewSpec() const;

  const LeaderElectionConfig& config_;
  const std::string& identity_;
  LeaseLock lock_;

  // Of the thread that tries.
  LeasePtr lease_;  // as last seen
  // The acquireTime of what we wrote last, unless the server refused it or named another since. It
  // tells our writes, also those whose answer was lost, from a Lease that merely names us.
  std::string term_;
  bool holding_ = false;  // a write succeeded, and the server named nobody else since
  // Another may act until then, for all we have seen; on our clock.
  util::Clock::TimePoint others_until_ = util::Clock::TimePoint::min();

  mutable util::Mutex mu_;
  std::string holder_ GUARDED_BY(mu_);
  util::Clock::TimePoint held_until_ GUARDED_BY(mu_) = util::Clock::TimePoint::min();
};

}  // namespace clientgo::leaderelection

// SPDX-License-Identifier: Apache-2.0
// LeaderElector makes at most one of several processes act, with a Lease of coordination.k8s.io/v1.
//
// Clock offsets are harmless, because each process counts on its own monotonic clock from when it
// saw the Lease change. Only clock *rates* matter. Run blocks; the other methods are thread-safe.
// Mirrors client-go's tools/leaderelection (v0.36). The class comment lists the differences, which
// are all safer, the duties of users, and how long a takeover takes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"

namespace capstan::leaderelection {

class CAPSTAN_EXPORT MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  virtual void SetMaster(std::string_view name, bool leading) = 0;  // leader_election_master_status
  virtual void OnSlowPath(std::string_view name) = 0;
};

struct CAPSTAN_EXPORT Callbacks {
  // Called on its own thread. The token stops when leadership is lost or Run is stopped. The Lease
  // is held until then, even when the callback returns earlier.
  std::function<void(std::stop_token)> on_started_leading;
  // Called on every exit of Run, even if it never led.
  std::function<void()> on_stopped_leading;
  // Called for every new leader, including this process. This and on_stopped_leading run on the
  // thread of Run and must not block. Optional.
  std::function<void(const std::string& identity)> on_new_leader = {};
};

struct CAPSTAN_EXPORT LeaderElectionConfig {
  std::string lease_namespace = {};
  std::string lease_name = {};
  std::string identity = {};  // hostname_uuid; unique among the candidates
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  bool release_on_cancel = true;
  // The label app.kubernetes.io/managed-by of a Lease that this process creates. Optional.
  std::string managed_by = {};
  Clock& clock = Clock::Real();
  std::function<double()> random = {};  // in [0, 1); tests pass a constant
  MetricsProvider* metrics = nullptr;
  // Receives "<identity> became leader" and "<identity> stopped leading". Optional.
  std::function<void(const std::string& message)> on_event = {};
};

// Users must call IsLeader() right before each act, and end their work when the stop token of
// on_started_leading is stopped. A thread stops the token, and a paused process runs no thread.
// IsLeader() compares with the clock, so it is correct in the first instruction after a pause. An
// act that began before the pause continues. If acts must never overlap, the server must check a
// precondition, too (resourceVersion). The same applies to a suspended machine, whose clock stops.
//
// The longest time without a leader follows. Requests add their own time, and one without a
// response adds up to max(1 s, renew_deadline / 2). With the defaults:
// - 4.4 s (2.2 * retry_period) after a release, which means after Run was stopped;
// - 23.8 s (lease_duration + 2 * 2.2 * retry_period) after a leader died, was cut off, or a user
//   wrote another holder: standbys see the last renewal or the edit, wait, and read again;
// - none when the Lease is deleted or cleared: its leader writes it again when it renews. If the
//   leader is dead, too, 23.8 s.
// A leader stops retry_period + renew_deadline after its last renewal (12 s). It stops at once when
// it reads another holder, and always lease_duration after it sent that renewal.
//
// Differs from client-go:
// - It counts from when it *sent* the last renewal, not from the response. IsLeader() ends then.
// - It stops at once when it reads another holder; client-go may continue until renew_deadline.
// - Deleting, clearing or editing the Lease does not shorten the leader's time. From that change, a
//   standby waits for the longest of its own lease_duration and those in the Lease before and
//   after. client-go creates a deleted Lease, and takes a cleared, shortened or renamed one, at
//   once. So `kubectl delete lease` does not speed up a takeover.
// - A Lease with our name is ours only if this process wrote it. A restarted process with the same
//   identity waits like any other.
// - It continues to renew while the stopped work is draining.
// - Release reads the Lease first, so it never clears another holder's Lease.
//
// One limit remains: a process that finds no Lease at its first read creates it and leads, as on a
// new cluster. If the Lease was deleted under a leader, that leader stops at its next renewal, or,
// when it is cut off, at the end of its lease_duration.
class CAPSTAN_EXPORT LeaderElector {
 public:
  // Returns kInvalidArgument with client-go's text for an invalid config. `client` must outlive it.
  static Expected<std::unique_ptr<LeaderElector>> New(rest::Client& client,
                                                      LeaderElectionConfig config,
                                                      Callbacks callbacks);
  ~LeaderElector();
  // Acquires the Lease and leads. Returns when leadership is lost or `stop` is requested. The Lease
  // is released after the thread of on_started_leading has returned.
  void Run(std::stop_token stop);
  bool IsLeader() const;          // thread-safe
  std::string GetLeader() const;  // returns the identity last seen in the Lease; thread-safe
  // Returns an error when this process is stuck: it leads or its work still runs, and the last
  // renewal is longer ago than lease_duration + tolerance. For /livez. Thread-safe.
  Expected<void> Check(std::chrono::nanoseconds tolerance) const;

 private:
  struct Rep;
  explicit LeaderElector(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

// Returns "<hostname>_<uuid>".
CAPSTAN_EXPORT std::string DefaultIdentity();

}  // namespace capstan::leaderelection

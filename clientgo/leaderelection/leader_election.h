// SPDX-License-Identifier: Apache-2.0
// LeaderElector: at most one of several processes acts, by a Lease of coordination.k8s.io/v1.
//
// A clock offset is harmless (a record is judged by when it last changed for us, on our monotonic
// clock); only clock *rate* matters. Run blocks; the other methods are thread-safe.
// Mirrors client-go's tools/leaderelection (v0.36). What differs, each time to the safe side, what
// its users must do, and how long a takeover takes, is said at the class.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/rest/client.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace clientgo::leaderelection {

class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  virtual void SetMaster(std::string_view name, bool leading) = 0;  // leader_election_master_status
  virtual void OnSlowPath(std::string_view name) = 0;
};

struct Callbacks {
  // On a thread of its own; the token stops when leadership is lost or Run is stopped. When it
  // returns earlier, the Lease is still held until then.
  std::function<void(std::stop_token)> on_started_leading;
  // On every exit of Run, also when it never led.
  std::function<void()> on_stopped_leading;
  // Also for ourselves. On the thread of Run, as the next one: they must not block. May be empty.
  std::function<void(const std::string& identity)> on_new_leader = {};
};

struct LeaderElectionConfig {
  std::string lease_namespace = {};
  std::string lease_name = {};
  std::string identity = {};  // hostname_uuid; no two candidates may share one
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  bool release_on_cancel = true;
  // Label app.kubernetes.io/managed-by of a Lease that we create; may be empty.
  std::string managed_by = {};
  util::Clock& clock = util::Clock::Real();
  std::function<double()> random = {};  // in [0, 1); tests pass a constant
  MetricsProvider* metrics = nullptr;
  // "<identity> became leader", "<identity> stopped leading"; may be empty.
  std::function<void(const std::string& message)> on_event = {};
};

// What users must do: ask IsLeader() right before each act, and end what runs when the stop token
// of on_started_leading says so. The token comes from a thread, which a paused process does not
// run; IsLeader() compares with the clock, so it is right in the first instruction after a pause.
// An act that was begun before goes on: what must never overlap needs a precondition on the server
// too (resourceVersion), and so does a machine that is suspended whole, whose clock stood still.
//
// How long nobody leads, at most; a request adds its own time, and one that is never answered up to
// max(1 s, renew_deadline / 2). With the defaults:
// - 4.4 s (2.2 * retry_period) after a release, that is, after Run was stopped;
// - 23.8 s (lease_duration + 2 * 2.2 * retry_period) after a leader died, was cut off, or another
//   holder was written by hand: others see the last renewal or the edit, wait, and look again;
// - not at all when the Lease is deleted or cleared: its leader writes it again when it
//   renews. If that is dead too, 23.8 s.
// A leader stops by itself retry_period + renew_deadline after its last renewal (12 s), at once
// when it reads another holder, and in any case lease_duration after it sent that renewal.
//
// Differs from client-go:
// - it counts from when it *sent* the last renewal, not from the answer, and IsLeader() ends then;
// - it stops at once when it reads another holder; client-go may go on until renew_deadline;
// - nobody gets into the leader's time by deleting, clearing or editing the Lease: a standby waits
//   from then for the longest of its own lease_duration and those in the record before and after.
//   client-go creates a deleted Lease, and takes a cleared, shortened or renamed one, at once. So
//   `kubectl delete lease` does not hasten a takeover;
// - a record that names us counts as ours only if this process wrote it: with a fixed identity, a
//   restarted process waits as any other does;
// - it goes on renewing while the work that it stopped is still draining;
// - release checks the record that the server just told, so it never clears another's Lease.
//
// One limit is left: a process that looks for the first time while there is no Lease creates it and
// leads, as on a new cluster. If it was deleted under a leader, that one stops at its next renewal,
// or, when it is cut off too, at the end of its lease_duration.
class LeaderElector {
 public:
  // kInvalidArgument with client-go's text when the config is not valid. `client` outlives it.
  static util::Expected<std::unique_ptr<LeaderElector>> New(rest::Client& client,
                                                            LeaderElectionConfig config,
                                                            Callbacks callbacks);
  ~LeaderElector();
  // Blocks: acquires, leads, returns when leadership is lost or `stop` is requested. The thread of
  // on_started_leading has returned, and only then is the Lease released.
  void Run(std::stop_token stop);
  bool IsLeader() const;          // thread-safe
  std::string GetLeader() const;  // the identity last seen in the Lease; thread-safe
  // An error when we lead, or the work still runs, and the last renewal is longer ago than
  // lease_duration + tolerance: the process is stuck. For /livez. Thread-safe.
  util::Expected<void> Check(std::chrono::nanoseconds tolerance) const;

 private:
  struct Rep;
  explicit LeaderElector(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

// "<hostname>_<uuid>"
std::string DefaultIdentity();

}  // namespace clientgo::leaderelection

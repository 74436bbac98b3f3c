// SPDX-License-Identifier: Apache-2.0
// LeaderElector: at most one of several processes acts, by a Lease of coordination.k8s.io/v1.
//
// A clock offset is harmless (a record is judged by when it last changed for us, on our monotonic
// clock); only clock *rate* matters. Mirrors client-go's tools/leaderelection (v0.36). Differs,
// each time to the safe side:
// - it stops leading at once when it reads another holder, and when its lease_duration has passed
//   since it *sent* the last renewal: a process that was paused stops before it asks anybody;
// - it goes on renewing while the work that it stopped is still draining;
// - release checks the holder that the server just told, so it never clears another's Lease.
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

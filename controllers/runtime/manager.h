// SPDX-License-Identifier: Apache-2.0
// Manager: starts and stops what a program is made of, in controller-runtime's order: servers,
// caches, Runnables without election, then, once leading, the rest. It stops those without election
// first, then the elected ones, caches, servers, and the Lease last: released only when nothing
// that it guards runs any more.
//
// Mirrors controller-runtime's pkg/manager. Differs: it does not wait for the caches. Each
// Controller waits for its own, so that one kind that cannot be listed stops one controller and not
// the process. A thread cannot be given up on as a goroutine can: see Start.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/clock.h"
#include "controllers/runtime/health.h"
#include "controllers/runtime/runnable.h"

namespace controllers::runtime {

struct ManagerOptions {
  // nullopt: no election, everything starts.
  std::optional<clientgo::leaderelection::LeaderElectionConfig> leader_election = {};
  // For all that has to stop, together. Negative: for ever.
  std::chrono::nanoseconds graceful_shutdown_timeout = std::chrono::seconds(30);
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
};

class Manager {
 public:
  // References outlive the manager. `election_client` has its own short timeout and user agent.
  Manager(clientgo::cache::SharedInformerFactory& informers,
          clientgo::rest::Client& election_client, ManagerOptions options);
  // Blocks until every Runnable has ended, also those that Start did not wait for any more.
  ~Manager();

  // Before Start. Not owned. Added with election: starts when this process leads, and again when it
  // leads again after an outage.
  enum class Group { kServer, kWithoutElection, kWithElection };
  void Add(Runnable& runnable, Group group = Group::kWithElection);
  // With an election, healthz has the check "leaderElection": we lead, but could not renew in time.
  HealthChecks& healthz();
  HealthChecks& readyz();

  // Blocks until `stop` (then success), a Runnable's error, or the Lease is lost: "leader election
  // lost". A Lease that is lost because the API server is away ends nothing: the Runnables with
  // election are stopped, and started again when it is acquired again. Every Runnable has returned,
  // or the error says which did not in time; those of later groups were then told to stop, and not
  // waited for. The program should exit (std::quick_exit) and not destroy the manager, which would
  // wait on. Call once.
  clientgo::util::Expected<void> Start(std::stop_token stop);
  // Without election: true from Start on.
  bool IsLeader() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace controllers::runtime

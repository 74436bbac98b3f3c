// SPDX-License-Identifier: Apache-2.0
// Manager starts and stops the parts of a program, in controller-runtime's order: servers, caches,
// Runnables without election and, once it leads, Runnables with election. It stops Runnables
// without election first, then those with election, caches and servers. It releases the Lease last,
// when nothing that the Lease guards runs any more.
//
// Mirrors controller-runtime's pkg/manager. Differs: it does not wait for the caches. Each
// Controller waits for its own, so that a kind that cannot be listed stops one controller and not
// the process. A thread, unlike a goroutine, cannot be abandoned: see Start.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "capstan/clientgo/cache/informer_factory.h"
#include "capstan/clientgo/leaderelection/leader_election.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/util/clock.h"
#include "capstan/controller_runtime/health.h"
#include "capstan/controller_runtime/runnable.h"
#include "capstan/export.h"

namespace capstan::controller_runtime {

struct CAPSTAN_EXPORT ManagerOptions {
  // nullopt: there is no election, and everything starts.
  std::optional<clientgo::leaderelection::LeaderElectionConfig> leader_election = {};
  // The time for everything to stop. Negative: no limit.
  std::chrono::nanoseconds graceful_shutdown_timeout = std::chrono::seconds(30);
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
};

class CAPSTAN_EXPORT Manager {
 public:
  // References outlive the manager. `election_client` has its own short timeout and user agent.
  Manager(clientgo::cache::SharedInformerFactory& informers,
          clientgo::rest::Client& election_client, ManagerOptions options);
  // Blocks until every Runnable has ended, also those that Start stopped waiting for.
  ~Manager();

  // Adds a Runnable, which is not owned. Before Start. A Runnable with election starts when this
  // process leads, and again when it leads again after an outage.
  enum class Group { kServer, kWithoutElection, kWithElection };
  void Add(Runnable& runnable, Group group = Group::kWithElection);
  // With an election, healthz has the check "leaderElection". It fails when this process leads and
  // could not renew in time.
  HealthChecks& healthz();
  HealthChecks& readyz();

  // Blocks until `stop` (then returns success), until a Runnable fails, or until the Lease is lost
  // ("leader election lost"). A Lease that is lost because the API server cannot be reached ends
  // nothing: the Runnables with election stop, and start again when the Lease is acquired again.
  //
  // When it returns, every Runnable has returned, or the error names those that did not in time. In
  // that case later groups were stopped without a wait, and the program should exit
  // (std::quick_exit): the destructor would wait for them. Call once.
  clientgo::util::Expected<void> Start(std::stop_token stop);
  // Without an election it returns true from Start on.
  bool IsLeader() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::controller_runtime

// SPDX-License-Identifier: Apache-2.0
// Manager: starts and stops what a program is made of, in controller-runtime's order: servers,
// caches, runnables without election, then, once leading, the rest; and backwards on stop, with a
// deadline, the Lease last. Mirrors controller-runtime's pkg/manager.
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
#include "controllers/runtime/health.h"
#include "controllers/runtime/runnable.h"

namespace controllers::runtime {

struct ManagerOptions {
  // nullopt: no election, everything starts.
  std::optional<clientgo::leaderelection::LeaderElectionConfig> leader_election;
  std::chrono::nanoseconds graceful_shutdown_timeout = std::chrono::seconds(30);
};

class Manager {
 public:
  // References outlive the manager. `election_client` has its own short timeout and user agent.
  Manager(clientgo::cache::SharedInformerFactory& informers,
          clientgo::rest::Client& election_client, ManagerOptions options);
  ~Manager();

  // Before Start. Not owned. Added with election: starts when this process leads.
  enum class Group { kServer, kWithoutElection, kWithElection };
  void Add(Runnable& runnable, Group group = Group::kWithElection);
  HealthChecks& healthz();
  HealthChecks& readyz();

  // Blocks until `stop` (then success), a Runnable's error, or the Lease is lost: "leader election
  // lost". Every Runnable has returned, or the error says which did not in time.
  clientgo::util::Expected<void> Start(std::stop_token stop);
  bool IsLeader() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace controllers::runtime

// SPDX-License-Identifier: Apache-2.0
// Manager is a Cluster that starts and stops the parts of a program. The order is that of
// controller-runtime: servers, caches, Runnables without election and, once it leads, Runnables
// with election. It stops Runnables without election first, then those with election, caches and
// servers. It releases the Lease last, when nothing that the Lease guards runs any more.
//
// Mirrors controller-runtime's pkg/manager. Differs: it does not wait for the caches. Each
// Controller waits for its own, so that a kind that cannot be listed stops one controller and not
// the process. A thread, unlike a goroutine, cannot be abandoned: see Start.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cluster.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/health.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/rest/client.h"
#include "capstan/rest/config.h"
#include "capstan/runnable.h"
#include "capstan/serving.h"

namespace capstan {

class Controller;

struct CAPSTAN_EXPORT ManagerOptions {
  std::string name = {};  // the program; required
  // The Manager's own Cluster, which has no name. Its component is by default `name`.
  ClusterOptions cluster = {};
  // nullopt: there is no election, and everything starts. New replaces an empty identity, and
  // records the changes of the leader as Events of the Lease.
  std::optional<leaderelection::LeaderElectionConfig> leader_election = {};
  // The time for everything to stop. Negative: no limit.
  std::chrono::nanoseconds graceful_shutdown_timeout = std::chrono::seconds(30);
  // Serves /metrics, /healthz, /livez, /readyz and the program's pages. nullopt: nothing. Its
  // checks are those of the Manager, and its metrics are those of `cluster` unless they are set.
  std::optional<EndpointServerOptions> endpoints = {};
  // Serves only the health endpoints, without TLS, for probes that cannot reach `endpoints`.
  std::optional<BindAddress> health_probe_bind_address = {};
};

class CAPSTAN_EXPORT Manager final : public Cluster {
 public:
  // Sends no request. Fails when the options or the Config cannot be used: a missing name, a file
  // that cannot be read. A Config without a user agent gets one from the component. Mirrors
  // manager.New.
  static Expected<std::unique_ptr<Manager>> New(rest::Config config, ManagerOptions options);
  // Blocks until every Runnable has ended, also those that Start stopped waiting for.
  ~Manager() override;

  const ManagerOptions& options() const;

  // Adds a Runnable, which is not owned. Before Start. A Runnable with election starts when this
  // process leads, and again when it leads again after an outage. By default the group depends on
  // NeedLeaderElection.
  enum class Group { kServer, kWithoutElection, kWithElection };
  void Add(Runnable& runnable, std::optional<Group> group = {});
  // The same for a Runnable that lives as long as the Manager.
  void Add(std::unique_ptr<Runnable> runnable, std::optional<Group> group = {});
  // The same for a Controller, whose keys QueueLength counts.
  void Add(std::unique_ptr<Controller> controller, std::optional<Group> group = {});

  // Adds another Cluster, before Start or while the Manager runs. It starts with the caches, and
  // Controllers that engage Clusters watch it. An unreachable Cluster fails nothing: its caches
  // retry. Fails if the name is in use, after the stop, and for a Cluster that was in a Manager
  // before (kInvalidArgument): it does not start again. Mirrors Manager.Add of a Cluster, and
  // multicluster-runtime's Engage.
  Expected<void> AddCluster(std::shared_ptr<Cluster> cluster);
  // The same for a Cluster with these options. Its component, event_host, clock and metrics are
  // those of the Manager unless they are set.
  Expected<void> AddCluster(std::string name, rest::Config config, ClusterOptions options = {});
  // Removes a Cluster. When it returns, no reconciliation runs for it, its watches are closed, and
  // its threads have ended; its connections and memory are released when GetCluster's last caller
  // has released it. Blocks until its reconciliations have ended, whose stop tokens are requested,
  // so none of them may call this. Fails if it is unknown, or if a Controller was declared for it.
  Expected<void> RemoveCluster(const std::string& name);
  // Returns the Cluster of this name, such as Request::cluster. The empty name is the Manager
  // itself, which the pointer does not own. Returns nullptr for an unknown name. Mirrors GetCluster
  // of multicluster-runtime.
  std::shared_ptr<Cluster> GetCluster(std::string_view name);
  // Returns the names of the other Clusters, in alphabetical order.
  std::vector<std::string> ClusterNames() const;

  // With an election, healthz has the check "leaderElection". It fails when this process leads and
  // could not renew in time.
  HealthChecks& healthz();
  HealthChecks& readyz();

  // Serves the endpoints from now on, so that a port in use is reported before the first request to
  // the API server. Optional: Start calls it. The error names the address, the cause and the fix.
  Expected<void> Listen();
  // The port of ManagerOptions::endpoints after Listen, else that of the health endpoints. 0: none.
  std::uint16_t endpoints_port() const;
  // Sends a first request to the API server, if there is an election: it reads the Lease. Fails
  // only when the server's certificate is not trusted, because no retry can fix that. Any other
  // error (no answer within 5 s, no rights) is logged once with the fix, and what needs the server
  // retries.
  Expected<void> CheckServer(const std::stop_token& stop);

  // Blocks until `stop` (then returns success), until a Runnable fails, or until the Lease is lost
  // ("leader election lost"). A Lease that is lost because the API server cannot be reached ends
  // nothing: the Runnables with election stop, and start again when the Lease is acquired again.
  //
  // When it returns, every Runnable has returned, or the error names those that did not in time. In
  // that case later groups were stopped without a wait, and the program should exit
  // (std::quick_exit): the destructor would wait for them. Call once.
  Expected<void> Start(std::stop_token stop) override;
  // True from the call of Start on.
  bool started() const;
  // Returns the Runnable of this name that the Manager owns, or nullptr.
  Runnable* FindRunnable(std::string_view name) const;
  // The number of keys that wait in the queues of the Controllers that the Manager owns.
  std::size_t QueueLength() const;
  // Without an election it returns true from Start on.
  bool IsLeader() const;

 private:
  friend class ControllerBuilder;
  struct Rep;
  // `election_client` is null without an election.
  Manager(Cluster&& own, std::unique_ptr<rest::Client> election_client, ManagerOptions options);
  // For ControllerBuilder. Calls `engage` for each Cluster, and for those that are added later.
  void EngageClusters(std::function<void(Cluster&)> engage,
                      std::function<void(const std::string&)> disengage);
  // Keeps a Cluster until the end. Returns false if it is not one of this Manager.
  bool PinCluster(const Cluster& cluster);

  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan

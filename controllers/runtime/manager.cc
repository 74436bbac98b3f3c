// SPDX-License-Identifier: Apache-2.0
#include "capstan/manager.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "capstan/api/lease.h"
#include "capstan/controller.h"
#include "capstan/log.h"
#include "capstan/mutex.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "controllers/runtime/cluster_set.h"
#include "controllers/runtime/runnable_group.h"

namespace capstan {
namespace {

// As in Kubernetes' components. A leader that renews later than this is stuck.
constexpr std::chrono::seconds kRenewTolerance(20);

// The longest delay of a start by CheckServer.
constexpr std::chrono::seconds kFirstLookTimeout(5);

class Election final : public Runnable {
 public:
  void set_elector(leaderelection::LeaderElector* elector) { elector_ = elector; }
  // Makes the elector run once more, after an outage in which the Lease was lost.
  void CampaignAgain() { again_ = true; }
  Expected<void> Start(std::stop_token stop) override {
    do {
      elector_->Run(stop);
    } while (!stop.stop_requested() && again_.exchange(false));
    return {};
  }
  std::string name() const override { return "leader-election"; }

 private:
  leaderelection::LeaderElector* elector_ = nullptr;
  std::atomic<bool> again_ = false;
};

// WarmupRunnable runs the Warmup of a Runnable that waits for the Lease.
class WarmupRunnable final : public Runnable {
 public:
  explicit WarmupRunnable(Runnable& runnable) : runnable_(runnable) {}
  Expected<void> Start(std::stop_token stop) override { return runnable_.Warmup(std::move(stop)); }
  std::string name() const override { return runnable_.name() + "/warmup"; }

 private:
  Runnable& runnable_;
};

std::string StillRunning(std::chrono::nanoseconds grace, const std::vector<std::string>& names) {
  return "failed waiting for all runnables to end within grace period of " + FormatDuration(grace) +
         ": context deadline exceeded; still running: " + Join(names, ", ");
}

void CompleteElection(const Cluster& cluster, MetricsProvider* metrics,
                      leaderelection::LeaderElectionConfig& election) {
  if (election.identity.empty()) election.identity = leaderelection::DefaultIdentity();
  if (election.metrics == nullptr && metrics != nullptr) {
    election.metrics = &metrics->leader_election();
  }
  if (election.on_event) return;
  const api::ObjectReference lease{.api_version = TypeOf<api::Lease>().gvr.ApiVersion(),
                                   .kind = "Lease",
                                   .namespace_ = election.lease_namespace,
                                   .name = election.lease_name};
  election.on_event = [&events = cluster.events(), lease](const std::string& message) {
    events.Event(lease, record::kEventTypeNormal, "LeaderElection", message);
  };
}

}  // namespace

struct Manager::Rep {
  Rep(Manager& own, std::unique_ptr<rest::Client> the_election_client, ManagerOptions the_options);

  void Add(Runnable& runnable, Group group);
  // Adds the servers of the options.
  void AddServers();
  Expected<void> NewElector();
  const leaderelection::LeaderElector* Elector() const;  // nullptr before Start
  Expected<void> CheckElection() const;
  void Lead(std::stop_token leading);
  // Returns true when the Lease was lost because the API server cannot be reached, and the
  // Runnables with election have ended in time.
  bool SurvivesOutage();
  void Fail(Error error);
  std::chrono::nanoseconds LostGrace() const;
  std::chrono::nanoseconds Grace() const;
  Expected<void> Stop();

  const ManagerOptions options;
  Clock& clock;
  rest::ServerAvailability& availability;               // of the own client, and of the election's
  const std::unique_ptr<rest::Client> election_client;  // null without an election
  ClusterSet clusters;                                  // before the Controllers that watch them
  std::vector<std::unique_ptr<Runnable>> owned;
  std::vector<const Controller*> controllers;  // of `owned`
  HealthChecks healthz{"healthz"};
  HealthChecks readyz{"readyz"};
  Election election;

  mutable Mutex mu;
  CondVar changed;
  bool start_called CAPSTAN_GUARDED_BY(mu) = false;
  std::optional<Error> error CAPSTAN_GUARDED_BY(mu);  // the first one, which stops everything
  std::unique_ptr<leaderelection::LeaderElector> elector
      CAPSTAN_GUARDED_BY(mu);  // set once, by Start
  std::atomic<bool> lost = false;
  // Before the groups, and after the checks that they show.
  std::vector<std::unique_ptr<EndpointServer>> endpoint_servers;

  // Last, so that they are destroyed first: their threads use everything above. The election is
  // destroyed before the others because it starts and awaits the Runnables with election.
  const std::function<void(Error)> fail = [this](Error failure) { Fail(std::move(failure)); };
  RunnableGroup servers{clock, fail};
  RunnableGroup cache_group{clock, fail};
  RunnableGroup without_election{clock, fail};
  RunnableGroup with_election{clock, fail};
  RunnableGroup election_group{clock, fail};
};

Manager::Rep::Rep(Manager& own, std::unique_ptr<rest::Client> the_election_client,
                  ManagerOptions the_options)
    : options(std::move(the_options)),
      clock(own.clock()),
      availability(own.client().availability()),
      election_client(std::move(the_election_client)) {
  cache_group.Add(own.caches());
  cache_group.Add(clusters);
  without_election.Add(own.event_sender());
  readyz.AddNote("apiserver", [this] { return availability.Describe(); });
  if (options.leader_election) healthz.Add("leaderElection", [this] { return CheckElection(); });
  AddServers();
}

void Manager::Rep::Add(Runnable& runnable, Group group) {
  switch (group) {
    case Group::kServer:
      return servers.Add(runnable);
    case Group::kWithoutElection:
      return without_election.Add(runnable);
    case Group::kWithElection:
      with_election.Add(runnable);
  }
  if (!options.leader_election || !runnable.EnableWarmup()) return;
  owned.push_back(std::make_unique<WarmupRunnable>(runnable));
  without_election.Add(*owned.back());
}

void Manager::Rep::AddServers() {
  std::vector<EndpointServerOptions> all;
  if (options.endpoints) {
    EndpointServerOptions serving = *options.endpoints;
    if (serving.name.empty()) serving.name = "metrics";
    if (serving.metrics == nullptr) serving.metrics = options.cluster.metrics;
    all.push_back(std::move(serving));
  }
  if (options.health_probe_bind_address) {
    all.push_back({.name = "health probe", .address = *options.health_probe_bind_address});
  }
  for (EndpointServerOptions& serving : all) {
    serving.healthz = serving.livez = &healthz;
    serving.readyz = &readyz;
    endpoint_servers.push_back(std::make_unique<EndpointServer>(std::move(serving)));
    servers.Add(*endpoint_servers.back());
  }
}

Expected<void> Manager::Rep::NewElector() {
  auto made = leaderelection::LeaderElector::New(
      *election_client, *options.leader_election,
      {.on_started_leading = [this](std::stop_token leading) { Lead(std::move(leading)); },
       .on_stopped_leading = [] {}});
  if (!made) return tl::unexpected(std::move(made.error()));
  election.set_elector(made->get());
  election_group.Add(election);
  MutexLock lock(mu);
  elector = std::move(*made);
  return {};
}

const leaderelection::LeaderElector* Manager::Rep::Elector() const {
  MutexLock lock(mu);
  return elector.get();
}

Expected<void> Manager::Rep::CheckElection() const {
  const leaderelection::LeaderElector* made = Elector();
  if (made == nullptr) return {};
  return made->Check(kRenewTolerance);
}

// Runs on a thread of the elector. The elector releases the Lease only after this has returned,
// when nothing that the Lease guards runs any more.
void Manager::Rep::Lead(std::stop_token leading) {
  with_election.Start();
  WaitForStop(std::move(leading));
  with_election.Pause();
  if (!election_group.stop_requested() && !SurvivesOutage()) {
    lost = true;
    Fail({.reason = ErrorReason::kUnknown, .message = "leader election lost"});
  }
  with_election.WaitUntilEnded(Clock::TimePoint::max());
}

// In an outage every leader loses its Lease. A process that exited would come back with another
// identity, and would have to wait until its own Lease expires.
bool Manager::Rep::SurvivesOutage() {
  if (availability.IsReachable()) return false;
  if (!with_election.WaitUntilEnded(clock.Now() + LostGrace())) return false;
  WarningS(
      "Lost the lease in an outage of the API server, stopped what "
      "needs it until it is acquired again");
  election.CampaignAgain();
  return true;
}

void Manager::Rep::Fail(Error failure) {
  {
    MutexLock lock(mu);
    if (!error) {
      error = std::move(failure);
      changed.NotifyAll();
      return;
    }
  }
  ErrorS(failure, "Error after the stop had begun");
}

// A process that lost the Lease must end before another one may hold it, lease_duration after the
// last renewal. Of that time renew_deadline has passed. Half of the rest is for an orderly stop.
std::chrono::nanoseconds Manager::Rep::LostGrace() const {
  const auto& lease = *options.leader_election;
  return (lease.lease_duration - lease.renew_deadline) / 2;
}

std::chrono::nanoseconds Manager::Rep::Grace() const {
  const auto configured = options.graceful_shutdown_timeout;
  if (!lost) return configured;
  const auto left = LostGrace();
  return configured.count() < 0 ? left : std::min(configured, left);
}

Expected<void> Manager::Rep::Stop() {
  const std::chrono::nanoseconds grace = Grace();
  const Clock::TimePoint deadline =
      grace.count() < 0 ? Clock::TimePoint::max() : clock.Now() + grace;
  std::vector<std::string> running;
  const std::array<RunnableGroup*, 5> groups = {&without_election, &with_election, &cache_group,
                                                &servers, &election_group};
  for (RunnableGroup* group : groups) {
    group->RequestStop();
    // Once one group is late, the others have no time left and are not reported.
    if (running.empty() && !group->WaitUntilEnded(deadline)) running = group->Running();
  }
  MutexLock lock(mu);
  if (running.empty()) {
    if (error) return Err(*error);
    return {};
  }
  const std::string late = StillRunning(grace, running);
  if (!error) return Err(ErrorReason::kDeadlineExceeded, late);
  Error both = *error;
  both.message += "; " + late;
  return Err(std::move(both));
}

Manager::Manager(Cluster&& own, std::unique_ptr<rest::Client> election_client,
                 ManagerOptions options)
    : Cluster(std::move(own)),
      rep_(std::make_unique<Rep>(*this, std::move(election_client), std::move(options))) {}

Manager::~Manager() = default;

Expected<std::unique_ptr<Manager>> Manager::New(rest::Config config, ManagerOptions options) {
  if (options.name.empty()) {
    return Err(ErrorReason::kInvalidArgument, "a Manager needs a name; set ManagerOptions::name");
  }
  ClusterOptions& own = options.cluster;
  own.name.clear();
  if (own.component.empty()) own.component = options.name;
  if (own.clock == nullptr) own.clock = &Clock::Real();
  rest::MetricsProvider* const metrics = own.metrics == nullptr ? nullptr : &own.metrics->rest();
  // Shared, so that an exec plugin runs once for both clients.
  if (own.credentials == nullptr) {
    own.credentials = rest::NewCredentials(config, *own.clock, metrics);
  }
  auto cluster = Cluster::New(std::move(config), own);
  if (!cluster) return Err(std::move(cluster.error()));
  std::unique_ptr<rest::Client> election_client;
  if (options.leader_election) {
    rest::Client& client = (*cluster)->client();
    rest::Config election_config = client.config();
    election_config.user_agent += "/leader-election";
    auto made =
        own.new_client(std::move(election_config), {.clock = *own.clock,
                                                    .metrics = metrics,
                                                    .credentials = own.credentials,
                                                    .availability = &client.availability()});
    if (!made) return Err(std::move(made.error()));
    election_client = *std::move(made);
    CompleteElection(**cluster, own.metrics, *options.leader_election);
  }
  return std::unique_ptr<Manager>(
      new Manager(std::move(**cluster), std::move(election_client), std::move(options)));
}

void Manager::Add(Runnable& runnable, std::optional<Group> group) {
  const Group by_default =
      runnable.NeedLeaderElection() ? Group::kWithElection : Group::kWithoutElection;
  rep_->Add(runnable, group.value_or(by_default));
}

void Manager::Add(std::unique_ptr<Runnable> runnable, std::optional<Group> group) {
  rep_->owned.push_back(std::move(runnable));
  Add(*rep_->owned.back(), group);
}

void Manager::Add(std::unique_ptr<Controller> controller, std::optional<Group> group) {
  rep_->controllers.push_back(controller.get());
  Add(std::unique_ptr<Runnable>(std::move(controller)), group);
}

HealthChecks& Manager::healthz() { return rep_->healthz; }
HealthChecks& Manager::readyz() { return rep_->readyz; }
const ManagerOptions& Manager::options() const { return rep_->options; }

Expected<void> Manager::AddCluster(std::shared_ptr<Cluster> cluster) {
  return rep_->clusters.Add(std::move(cluster));
}

Expected<void> Manager::AddCluster(std::string name, rest::Config config, ClusterOptions options) {
  const ClusterOptions& own = rep_->options.cluster;
  options.name = std::move(name);
  if (options.component.empty()) options.component = own.component;
  if (options.event_host.empty()) options.event_host = own.event_host;
  if (options.clock == nullptr) options.clock = own.clock;
  if (options.metrics == nullptr) options.metrics = own.metrics;
  auto cluster = Cluster::New(std::move(config), std::move(options));
  if (!cluster) return Err(std::move(cluster.error()));
  return AddCluster(std::shared_ptr<Cluster>(*std::move(cluster)));
}

Expected<void> Manager::RemoveCluster(const std::string& name) {
  return rep_->clusters.Remove(name);
}

std::shared_ptr<Cluster> Manager::GetCluster(std::string_view name) {
  if (name.empty()) return {std::shared_ptr<void>(), this};
  return rep_->clusters.Get(name);
}

std::vector<std::string> Manager::ClusterNames() const { return rep_->clusters.Names(); }

void Manager::EngageClusters(std::function<void(Cluster&)> engage,
                             std::function<void(const std::string&)> disengage) {
  rep_->clusters.AddAware({.engage = std::move(engage), .disengage = std::move(disengage)});
}

bool Manager::PinCluster(const Cluster& cluster) {
  return &cluster == this || rep_->clusters.Pin(cluster);
}

Expected<void> Manager::Listen() {
  for (const auto& server : rep_->endpoint_servers) {
    if (auto listening = server->Listen(); !listening) return listening;
  }
  return {};
}

std::uint16_t Manager::endpoints_port() const {
  return rep_->endpoint_servers.empty() ? 0 : rep_->endpoint_servers.front()->port();
}

Expected<void> Manager::CheckServer(const std::stop_token& stop) {
  const auto& election = rep_->options.leader_election;
  if (!election) return {};
  const auto lease = rep_->election_client->Get(
      {stop, rep_->clock.Now() + kFirstLookTimeout}, TypeOf<api::Lease>(),
      {.namespace_ = election->lease_namespace, .name = election->lease_name});
  if (lease || IsNotFound(lease.error()) || stop.stop_requested()) return {};
  const Error& error = lease.error();
  const rest::Config& config = client().config();
  const std::string remedy = rest::Remedy(error, config);
  if (IsCertificateRefused(error)) {
    return Err(Error{.reason = error.reason,
                     .message = "the API server " + config.host +
                                " is not trusted: " + error.message + "; " + remedy});
  }
  WarningS("The API server cannot be used yet, trying again", "server", config.host, "config",
           config.source, "err", error, "fix", remedy);
  return {};
}

Expected<void> Manager::Start(std::stop_token stop) {
  {
    MutexLock lock(rep_->mu);
    if (std::exchange(rep_->start_called, true)) {
      return Err(ErrorReason::kInvalidArgument, "manager already started");
    }
  }
  if (rep_->options.leader_election) {
    if (auto made = rep_->NewElector(); !made) return made;
  }
  rep_->servers.Start();
  rep_->cache_group.Start();
  rep_->without_election.Start();
  if (rep_->options.leader_election) {
    rep_->election_group.Start();
  } else {
    rep_->with_election.Start();
  }
  {
    MutexLock lock(rep_->mu);
    rep_->changed.Wait(rep_->mu, std::move(stop),
                       [&]() CAPSTAN_REQUIRES(rep_->mu) { return rep_->error.has_value(); });
  }
  return rep_->Stop();
}

bool Manager::started() const {
  MutexLock lock(rep_->mu);
  return rep_->start_called;
}

Runnable* Manager::FindRunnable(std::string_view name) const {
  const auto found = std::find_if(rep_->owned.begin(), rep_->owned.end(),
                                  [&](const auto& runnable) { return runnable->name() == name; });
  return found == rep_->owned.end() ? nullptr : found->get();
}

std::size_t Manager::QueueLength() const {
  std::size_t length = 0;
  for (const Controller* controller : rep_->controllers) length += controller->QueueLength();
  return length;
}

bool Manager::IsLeader() const {
  if (!rep_->options.leader_election) return started();
  const leaderelection::LeaderElector* elector = rep_->Elector();
  return elector != nullptr && elector->IsLeader();
}

}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/manager.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "clientgo/util/mutex.h"
#include "clientgo/util/time_format.h"
#include "controllers/runtime/runnable_group.h"

namespace controllers::runtime {
namespace {

using clientgo::leaderelection::LeaderElector;
using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::MutexLock;

// Kubernetes' components use the same: a leader that is this late is stuck.
constexpr std::chrono::seconds kRenewTolerance(20);

class Caches final : public Runnable {
 public:
  explicit Caches(clientgo::cache::SharedInformerFactory& informers) : informers_(informers) {}
  Expected<void> Start(std::stop_token stop) override {
    informers_.Start(stop);
    WaitForStop(std::move(stop));
    informers_.Shutdown();
    return {};
  }
  std::string name() const override { return "caches"; }

 private:
  clientgo::cache::SharedInformerFactory& informers_;
};

class Election final : public Runnable {
 public:
  void set_elector(LeaderElector* elector) { elector_ = elector; }
  // After an outage that cost the Lease: one more Run.
  void CampaignAgain() { again_ = true; }
  Expected<void> Start(std::stop_token stop) override {
    do {
      elector_->Run(stop);
    } while (!stop.stop_requested() && again_.exchange(false));
    return {};
  }
  std::string name() const override { return "leader-election"; }

 private:
  LeaderElector* elector_ = nullptr;
  std::atomic<bool> again_ = false;
};

std::string StillRunning(std::chrono::nanoseconds grace, const std::vector<std::string>& names) {
  std::string text = "failed waiting for all runnables to end within grace period of " +
                     clientgo::util::FormatDuration(grace) +
                     ": context deadline exceeded; still running: ";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text;
}

}  // namespace

struct Manager::Rep {
  Rep(clientgo::cache::SharedInformerFactory& informers, clientgo::rest::Client& the_client,
      ManagerOptions the_options)
      : client(the_client), options(std::move(the_options)), caches(informers) {
    cache_group.Add(caches);
    readyz.AddNote("apiserver", [this] { return client.availability().Describe(); });
    if (!options.leader_election) return;
    healthz.Add("leaderElection", [this] { return CheckElection(); });
  }

  Expected<void> NewElector();
  const LeaderElector* Elector() const;  // nullptr before Start
  Expected<void> CheckElection() const;
  void Lead(std::stop_token leading);
  // The Lease was lost because the API server is away, and what it guards has ended in time.
  bool SurvivesOutage();
  void Fail(Error error);
  std::chrono::nanoseconds LostGrace() const;
  std::chrono::nanoseconds Grace() const;
  Expected<void> Stop();

  clientgo::rest::Client& client;
  const ManagerOptions options;
  HealthChecks healthz{"healthz"};
  HealthChecks readyz{"readyz"};
  Caches caches;
  Election election;

  mutable clientgo::util::Mutex mu;
  clientgo::util::CondVar changed;
  bool start_called GUARDED_BY(mu) = false;
  std::optional<Error> error GUARDED_BY(mu);              // the first: why everything stops
  std::unique_ptr<LeaderElector> elector GUARDED_BY(mu);  // set once, by Start
  std::atomic<bool> lost = false;

  // Last, so first to go: their threads use everything above. Of these, the election goes first,
  // since it starts and awaits the elected ones.
  const std::function<void(Error)> fail = [this](Error failure) { Fail(std::move(failure)); };
  RunnableGroup servers{options.clock, fail};
  RunnableGroup cache_group{options.clock, fail};
  RunnableGroup without_election{options.clock, fail};
  RunnableGroup with_election{options.clock, fail};
  RunnableGroup election_group{options.clock, fail};
};

Expected<void> Manager::Rep::NewElector() {
  auto made = LeaderElector::New(
      client, *options.leader_election,
      {.on_started_leading = [this](std::stop_token leading) { Lead(std::move(leading)); },
       .on_stopped_leading = [] {}});
  if (!made) return tl::unexpected(std::move(made.error()));
  election.set_elector(made->get());
  election_group.Add(election);
  MutexLock lock(mu);
  elector = std::move(*made);
  return {};
}

const LeaderElector* Manager::Rep::Elector() const {
  MutexLock lock(mu);
  return elector.get();
}

Expected<void> Manager::Rep::CheckElection() const {
  const LeaderElector* made = Elector();
  if (made == nullptr) return {};
  return made->Check(kRenewTolerance);
}

// On a thread of the elector. It returns when nothing that the Lease guards runs any more, so the
// elector cannot release the Lease before.
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

// An outage takes the Lease from whoever holds it. A process that ended for that would come back
// with another identity, and wait for its own Lease to expire.
bool Manager::Rep::SurvivesOutage() {
  if (client.availability().IsReachable()) return false;
  if (!with_election.WaitUntilEnded(options.clock.Now() + LostGrace())) return false;
  LOG(WARNING) << clientgo::util::Kv(
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
  LOG(ERROR) << clientgo::util::Kv("Error after the stop had begun", "err", failure);
}

// Whoever lost the Lease must be gone before another may hold it, which is lease_duration after the
// last renewal; renew_deadline of that has passed. Half of the rest is for stopping in order.
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
      grace.count() < 0 ? Clock::TimePoint::max() : options.clock.Now() + grace;
  std::vector<std::string> running;
  const std::array<RunnableGroup*, 5> groups = {&without_election, &with_election, &cache_group,
                                                &servers, &election_group};
  for (RunnableGroup* group : groups) {
    group->RequestStop();
    // Once one is late, the others have no time left: naming them would hide who it was.
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

Manager::Manager(clientgo::cache::SharedInformerFactory& informers,
                 clientgo::rest::Client& election_client, ManagerOptions options)
    : rep_(std::make_unique<Rep>(informers, election_client, std::move(options))) {}

Manager::~Manager() = default;

void Manager::Add(Runnable& runnable, Group group) {
  switch (group) {
    case Group::kServer:
      return rep_->servers.Add(runnable);
    case Group::kWithoutElection:
      return rep_->without_election.Add(runnable);
    case Group::kWithElection:
      return rep_->with_election.Add(runnable);
  }
}

HealthChecks& Manager::healthz() { return rep_->healthz; }
HealthChecks& Manager::readyz() { return rep_->readyz; }

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
                       [&]() REQUIRES(rep_->mu) { return rep_->error.has_value(); });
  }
  return rep_->Stop();
}

bool Manager::IsLeader() const {
  if (!rep_->options.leader_election) return rep_->with_election.started();
  const LeaderElector* elector = rep_->Elector();
  return elector != nullptr && elector->IsLeader();
}

}  // namespace controllers::runtime

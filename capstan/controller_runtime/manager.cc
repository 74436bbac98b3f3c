// SPDX-License-Identifier: Apache-2.0
#include "capstan/controller_runtime/manager.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/mutex.h"
#include "capstan/clientgo/util/thread.h"
#include "capstan/clientgo/util/time_format.h"

namespace capstan::controller_runtime {
namespace {

using clientgo::leaderelection::LeaderElector;
using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::MutexLock;

// As in Kubernetes' components. A leader that renews later than this is stuck.
constexpr std::chrono::seconds kRenewTolerance(20);

// RunnableGroup is a set of Runnables that start together and stop together. Each runs on a thread
// with its name, but a BackgroundRunnable has one only for its End. Mirrors controller-runtime's
// runnable_group.go. Thread-safe, except for Add.
class RunnableGroup {
 public:
  // `on_error` runs on the thread of the Runnable that failed.
  RunnableGroup(Clock& clock, std::function<void(Error error)> on_error)
      : clock_(clock), on_error_(std::move(on_error)) {}
  // Blocks until all have ended, because their threads are joined.
  ~RunnableGroup() { RequestStop(); }
  RunnableGroup(const RunnableGroup&) = delete;
  RunnableGroup& operator=(const RunnableGroup&) = delete;

  // Before Start.
  void Add(Runnable& runnable);
  // Starts the Runnables, also again after Pause once all have ended. Does nothing after
  // RequestStop: a group that is stopped before its turn never runs.
  void Start();
  // Stops the Runnables until the next Start.
  void Pause();
  // Stops the Runnables for good.
  void RequestStop();
  bool started() const;
  bool stop_requested() const;
  // Returns true when all have ended, false when `deadline` came first.
  bool WaitUntilEnded(Clock::TimePoint deadline);
  // Returns the names of those that have not ended, in the order of Add.
  std::vector<std::string> Running() const;

 private:
  void Run(std::size_t index, std::stop_token stop);
  void SetEnded(std::size_t index);
  void StartThread(std::size_t index, std::function<void()> run) CAPSTAN_REQUIRES(mu_);

  Clock& clock_;
  const std::function<void(Error error)> on_error_;
  std::vector<Runnable*> runnables_;
  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar ended_;
  std::stop_source stop_ CAPSTAN_GUARDED_BY(mu_);  // of the Runnables since the last Start
  bool stop_requested_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::vector<bool> running_ CAPSTAN_GUARDED_BY(mu_);  // by index of runnables_
  std::vector<BackgroundRunnable*> in_background_
      CAPSTAN_GUARDED_BY(mu_);  // by index; null: does not run
  bool started_ CAPSTAN_GUARDED_BY(mu_) = false;
  // Last, so that they are joined while everything above exists.
  std::vector<std::jthread> threads_ CAPSTAN_GUARDED_BY(mu_);
};

void RunnableGroup::Add(Runnable& runnable) {
  CHECK(!started()) << runnable.name() << " was added after the start";
  runnables_.push_back(&runnable);
}

void RunnableGroup::Start() {
  MutexLock lock(mu_);
  const bool is_running =
      std::any_of(running_.begin(), running_.end(), [](bool running) { return running; });
  if (stop_requested_ || is_running || (started_ && !stop_.stop_requested())) return;
  started_ = true;
  threads_.clear();  // joins the threads of an earlier Start, which have ended
  stop_ = std::stop_source();
  running_.assign(runnables_.size(), true);
  in_background_.assign(runnables_.size(), nullptr);
  for (std::size_t i = 0; i < runnables_.size(); ++i) {
    auto* const background = dynamic_cast<BackgroundRunnable*>(runnables_[i]);
    if (background == nullptr) {
      StartThread(i, [this, i, stop = stop_.get_token()] { Run(i, stop); });
    } else if (auto begun = background->Begin(stop_.get_token()); begun) {
      in_background_[i] = background;
    } else {
      StartThread(i, [this, i, error = std::move(begun.error())] {
        on_error_(error);
        SetEnded(i);
      });
    }
  }
}

void RunnableGroup::StartThread(std::size_t index, std::function<void()> run) {
  threads_.push_back(clientgo::util::StartThread(
      runnables_[index]->name(), [run = std::move(run)](const std::stop_token&) { run(); }));
}

void RunnableGroup::Run(std::size_t index, std::stop_token stop) {
  auto ended = runnables_[index]->Start(std::move(stop));
  if (!ended) on_error_(std::move(ended.error()));
  SetEnded(index);
}

void RunnableGroup::SetEnded(std::size_t index) {
  MutexLock lock(mu_);
  running_[index] = false;
  ended_.NotifyAll();
}

void RunnableGroup::Pause() {
  std::stop_source stop;
  {
    MutexLock lock(mu_);
    stop = stop_;
  }
  stop.request_stop();  // without the lock, because it runs stop callbacks
  MutexLock lock(mu_);
  if (!stop_.stop_requested()) return;  // there was another Start meanwhile
  for (std::size_t i = 0; i < in_background_.size(); ++i) {
    auto* const background = std::exchange(in_background_[i], nullptr);
    if (background == nullptr) continue;
    StartThread(i, [this, i, background] {
      background->End();
      SetEnded(i);
    });
  }
}

void RunnableGroup::RequestStop() {
  {
    MutexLock lock(mu_);
    stop_requested_ = true;
  }
  Pause();
}

bool RunnableGroup::stop_requested() const {
  MutexLock lock(mu_);
  return stop_requested_;
}

bool RunnableGroup::started() const {
  MutexLock lock(mu_);
  return started_;
}

bool RunnableGroup::WaitUntilEnded(Clock::TimePoint deadline) {
  MutexLock lock(mu_);
  return clock_.WaitUntil(mu_, ended_, std::stop_token(), deadline, [&]() CAPSTAN_REQUIRES(mu_) {
    return std::none_of(running_.begin(), running_.end(), [](bool running) { return running; });
  });
}

std::vector<std::string> RunnableGroup::Running() const {
  MutexLock lock(mu_);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (running_[i]) names.push_back(runnables_[i]->name());
  }
  return names;
}

class Caches final : public BackgroundRunnable {
 public:
  explicit Caches(clientgo::cache::SharedInformerFactory& informers) : informers_(informers) {}
  Expected<void> Begin(std::stop_token stop) override {
    informers_.Start(std::move(stop));
    return {};
  }
  void End() override { informers_.Shutdown(); }
  std::string name() const override { return "caches"; }

 private:
  clientgo::cache::SharedInformerFactory& informers_;
};

class Election final : public Runnable {
 public:
  void set_elector(LeaderElector* elector) { elector_ = elector; }
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
  // Returns true when the Lease was lost because the API server cannot be reached, and the
  // Runnables with election have ended in time.
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
  bool start_called CAPSTAN_GUARDED_BY(mu) = false;
  std::optional<Error> error CAPSTAN_GUARDED_BY(mu);  // the first one, which stops everything
  std::unique_ptr<LeaderElector> elector CAPSTAN_GUARDED_BY(mu);  // set once, by Start
  std::atomic<bool> lost = false;

  // Last, so that they are destroyed first: their threads use everything above. The election is
  // destroyed before the others because it starts and awaits the Runnables with election.
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
      grace.count() < 0 ? Clock::TimePoint::max() : options.clock.Now() + grace;
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
                       [&]() CAPSTAN_REQUIRES(rep_->mu) { return rep_->error.has_value(); });
  }
  return rep_->Stop();
}

bool Manager::IsLeader() const {
  if (!rep_->options.leader_election) return rep_->with_election.started();
  const LeaderElector* elector = rep_->Elector();
  return elector != nullptr && elector->IsLeader();
}

}  // namespace capstan::controller_runtime

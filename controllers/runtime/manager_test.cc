// SPDX-License-Identifier: Apache-2.0
#include "capstan/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;

// FakeLeaseServer is an API server with one Lease. It accepts every write until it is unplugged.
class FakeLeaseServer {
 public:
  explicit FakeLeaseServer(Journal& journal) : journal_(journal) {}

  testing::FakeResponse Answer(const transport::HttpRequest& request) {
    if (broken) return {.status = 500, .chunks = {"no"}};
    if (unplugged) {
      return {.fail = Error{.reason = ErrorReason::kConnectionRefused,
                            .message = "connection refused"}};
    }
    if (request.target.find("/events") != std::string::npos) {
      return {.status = 201, .chunks = {request.body}};
    }
    MutexLock lock(mu_);
    if (request.method != "GET") {
      lease_ = request.body;
      const std::string metadata = R"("metadata":{)";
      lease_.insert(lease_.find(metadata) + metadata.size(),
                    R"("uid":"u","resourceVersion":")" + std::to_string(++version_) + "\",");
      journal_.Write(lease_.find(R"("holderIdentity":"")") == std::string::npos ? "lease held"
                                                                                : "lease released");
    }
    if (lease_.empty()) {
      return {.status = 404,
              .chunks = {R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})"}};
    }
    return {.status = request.method == "POST" ? 201 : 200, .chunks = {lease_}};
  }

  std::atomic<bool> unplugged = false;
  std::atomic<bool> broken = false;  // it answers with an error

 private:
  Journal& journal_;
  Mutex mu_;
  std::string lease_ CAPSTAN_GUARDED_BY(mu_);
  int version_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

class ManagerTest : public ::testing::Test {
 protected:
  void NewManager(ManagerOptions options) {
    options.name = "test";
    options.cluster.new_client =
        [this](rest::Config config,
               rest::ClientOptions client) -> Expected<std::unique_ptr<rest::Client>> {
      return std::make_unique<rest::Client>(
          std::move(config),
          std::make_unique<testing::FakeTransport>([this](const transport::HttpRequest& request) {
            return lease_server_.Answer(request);
          }),
          std::move(client));
    };
    manager_ = Manager::New({.host = "https://test"}, std::move(options)).value();
    manager_->Add(server_, Manager::Group::kServer);
    manager_->Add(other_, Manager::Group::kWithoutElection);
    manager_->Add(leading_);
  }
  void Start() { running_.emplace(*manager_); }
  // Stops the manager and returns the result of its Start.
  Expected<void> Stop() {
    running_->RequestStop();
    return WaitUntilEnded();
  }
  Expected<void> WaitUntilEnded() {
    auto ended = running_->WaitUntilEnded();
    journal_.Write("manager ends");
    return ended;
  }
  void WaitForStart() {
    for (const char* line : {"server starts", "other starts", "leading starts"}) {
      ASSERT_TRUE(journal_.WaitFor(line)) << line;
    }
  }
  static leaderelection::LeaderElectionConfig Election() {
    return {.lease_namespace = "kube-system", .lease_name = "capstan", .identity = "me"};
  }
  // Gives up the Lease 0.1 s after the last successful renewal, long before it expires.
  static leaderelection::LeaderElectionConfig ElectionThatGivesUpSoon() {
    auto election = Election();
    election.lease_duration = seconds(60);
    election.renew_deadline = milliseconds(100);
    election.retry_period = milliseconds(10);
    return election;
  }

  Journal journal_;
  FakeLeaseServer lease_server_{journal_};
  FakeRunnable server_{"server", journal_};
  FakeRunnable other_{"other", journal_};
  FakeRunnable leading_{"leading", journal_};
  std::unique_ptr<Manager> manager_;
  std::optional<RunningRunnable> running_;
};

TEST_F(ManagerTest, StopsGroupsInOrder) {
  NewManager({});
  Start();
  WaitForStart();

  EXPECT_TRUE(Stop().has_value());

  const auto lines = journal_.lines();
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 3, lines.end()),
              ElementsAre("other ends", "leading ends", "server ends", "manager ends"));
}

TEST_F(ManagerTest, StopsAGroupAfterThePreviousOneHasEnded) {
  other_.BeStubborn();
  NewManager({});
  Start();
  WaitForStart();
  running_->RequestStop();
  EXPECT_FALSE(journal_.Has("leading ends"));

  other_.Release();

  ASSERT_TRUE(WaitUntilEnded().has_value());
  const auto lines = journal_.lines();
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 3, lines.end()),
              ElementsAre("other ends", "leading ends", "server ends", "manager ends"));
}

TEST_F(ManagerTest, StopsAndReturnsTheErrorOfARunnable) {
  NewManager({});
  Start();
  WaitForStart();

  other_.Fail("cannot listen on :9402");
  const auto ended = WaitUntilEnded();

  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().message, "cannot listen on :9402");
  EXPECT_TRUE(journal_.Has("leading ends"));
  EXPECT_TRUE(journal_.Has("server ends"));
}

TEST_F(ManagerTest, ContinuesWhenARunnableReturns) {
  NewManager({});
  Start();
  WaitForStart();

  other_.Release();
  ASSERT_TRUE(journal_.WaitFor("other ends"));

  EXPECT_FALSE(journal_.Has("leading ends"));
  EXPECT_TRUE(Stop().has_value());
}

TEST_F(ManagerTest, NamesLateRunnablesAfterTheGracePeriod) {
  testing::FakeClock clock;
  leading_.BeStubborn();
  NewManager({.cluster = {.clock = &clock}, .graceful_shutdown_timeout = seconds(30)});
  Start();
  WaitForStart();
  running_->RequestStop();
  leading_.WaitForStop();  // the groups before it have ended
  ASSERT_TRUE(clock.BlockUntilWaiters());

  clock.Step(seconds(30));
  const auto ended = WaitUntilEnded();

  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message,
              Eq("failed waiting for all runnables to end within grace period of 30s: "
                 "context deadline exceeded; still running: leading"));
  leading_.Release();
  manager_.reset();
  EXPECT_TRUE(journal_.Has("server ends")) << "it was stopped without a wait";
}

TEST_F(ManagerTest, RejectsASecondStart) {
  NewManager({});
  Start();
  WaitForStart();
  EXPECT_TRUE(Stop().has_value());

  const auto again = manager_->Start(std::stop_token());

  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().message, "manager already started");
}

TEST_F(ManagerTest, LeadsFromTheStartWithoutElection) {
  NewManager({});
  EXPECT_FALSE(manager_->IsLeader());
  Start();
  WaitForStart();

  EXPECT_TRUE(manager_->IsLeader());
  EXPECT_EQ(manager_->healthz().Handle("/leaderElection").status, 404);
}

// Otherwise what leads could seem to be idle, and /readyz ready, before it has begun.
TEST_F(ManagerTest, LeadsWithoutElectionBeforeAnyRunnableStarts) {
  struct Asking final : Runnable {
    Expected<void> Start(std::stop_token /*stop*/) override {
      leads.set_value(manager->IsLeader());
      return {};
    }
    std::string name() const override { return "asking"; }
    Manager* manager = nullptr;
    std::promise<bool> leads;
  } asking;
  NewManager({});
  asking.manager = manager_.get();
  manager_->Add(asking, Manager::Group::kServer);
  Start();

  EXPECT_TRUE(asking.leads.get_future().get());
  WaitForStart();
}

TEST_F(ManagerTest, StartsNothingWithAnInvalidElectionConfig) {
  auto election = Election();
  election.renew_deadline = election.lease_duration;
  NewManager({.leader_election = election});

  const auto ended = manager_->Start(std::stop_token());

  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("leaseDuration must be greater than renewDeadline"));
  EXPECT_THAT(journal_.lines(), ElementsAre());
}

TEST_F(ManagerTest, StartsElectedRunnablesWhenItLeads) {
  lease_server_.unplugged = true;
  NewManager({.leader_election = Election()});
  Start();

  EXPECT_TRUE(journal_.WaitFor("server starts"));
  EXPECT_TRUE(journal_.WaitFor("other starts"));
  EXPECT_FALSE(manager_->IsLeader());
  EXPECT_EQ(manager_->healthz().Handle("/leaderElection").status, 200) << "not leading is healthy";
  EXPECT_TRUE(Stop().has_value());
  EXPECT_FALSE(journal_.Has("leading starts"));
}

TEST_F(ManagerTest, ReleasesTheLeaseLast) {
  NewManager({.leader_election = Election()});
  Start();
  WaitForStart();
  EXPECT_TRUE(manager_->IsLeader());

  EXPECT_TRUE(Stop().has_value());

  const auto lines = journal_.lines();
  ASSERT_GE(lines.size(), 5U);
  EXPECT_THAT(
      std::vector<std::string>(lines.end() - 5, lines.end()),
      ElementsAre("other ends", "leading ends", "server ends", "lease released", "manager ends"));
  EXPECT_FALSE(manager_->IsLeader());
}

TEST_F(ManagerTest, ReturnsAnErrorWhenTheLeaseIsLost) {
  NewManager({.leader_election = ElectionThatGivesUpSoon()});
  Start();
  WaitForStart();

  lease_server_.broken = true;
  const auto ended = WaitUntilEnded();

  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().message, "leader election lost");
  EXPECT_TRUE(journal_.Has("leading ends"));
  EXPECT_TRUE(journal_.Has("server ends"));
}

TEST_F(ManagerTest, LeadsAgainAfterAnOutage) {
  NewManager({.leader_election = ElectionThatGivesUpSoon()});
  Start();
  WaitForStart();

  lease_server_.unplugged = true;
  ASSERT_TRUE(journal_.WaitFor("leading ends"));
  EXPECT_FALSE(manager_->IsLeader());
  EXPECT_THAT(manager_->readyz().Handle("", {{"verbose", ""}}).body,
              HasSubstr("[i]apiserver: unreachable for 0s"));
  lease_server_.unplugged = false;

  // It leads at once: the Lease of 60 s has not expired and still belongs to this process.
  ASSERT_TRUE(journal_.WaitFor("leading starts", 2));
  EXPECT_TRUE(manager_->IsLeader());
  EXPECT_TRUE(Stop().has_value());
  EXPECT_FALSE(journal_.Has("other starts", 2));
}

TEST_F(ManagerTest, KeepsTheLeaseWhileElectedRunnablesRun) {
  leading_.BeStubborn();
  // The groups that stop first, among them the sender of Events, need some of this time.
  NewManager({.leader_election = Election(), .graceful_shutdown_timeout = seconds(2)});
  Start();
  WaitForStart();

  const auto ended = Stop();

  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("still running: leading"));
  EXPECT_FALSE(journal_.Has("lease released"));
  leading_.Release();
  manager_.reset();
  EXPECT_TRUE(journal_.Has("lease released")) << "when it has ended at last";
}

}  // namespace
}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
#include "capstan/leaderelection/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/leaderelection/testing/lease_fixture.h"

namespace capstan::leaderelection {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class ContendersFixture : public LeaseFixture {
 protected:
  Contender a_{server_, clock_, "a"};
  Contender b_{server_, clock_, "b"};
};

using LeaderElectionTest = ContendersFixture;

TEST_F(LeaderElectionTest, CreatesLeaseAndRenewsItWithoutReading) {
  Contender a(server_, clock_, "a", {.configure = [](LeaderElectionConfig& config) {
                config.managed_by = "cert-manager-cainjector";
              }});

  ASSERT_TRUE(a.Lead());
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(5)));

  EXPECT_THAT(a.Methods(), ElementsAre("GET", "POST", "PUT", "PUT"));
  EXPECT_TRUE(a.elector().IsLeader());
  EXPECT_EQ(a.elector().GetLeader(), "a");
  EXPECT_EQ(server_.spec(), (api::LeaseSpec{.holder_identity = "a",
                                            .lease_duration_seconds = 15,
                                            .acquire_time = "2026-01-02T00:00:00.000000Z",
                                            .renew_time = "2026-01-02T00:00:04.000000Z",
                                            .lease_transitions = 0,
                                            .strategy = "",
                                            .preferred_holder = ""}));
  EXPECT_THAT(server_.json(),
              HasSubstr(R"("app.kubernetes.io/managed-by":"cert-manager-cainjector")"));
  EXPECT_THAT(a.events(), ElementsAre("a became leader"));
  EXPECT_THAT(a.leaders_seen(), ElementsAre("a"));
}

TEST_F(LeaderElectionTest, AcquiresLeaseWithoutHolderAtOnce) {
  server_.Put({.holder_identity = "", .lease_duration_seconds = 3600, .lease_transitions = 7});

  ASSERT_TRUE(a_.Lead());

  EXPECT_EQ(server_.spec()->lease_transitions, 8);
}

TEST_F(LeaderElectionTest, WaitsForLongerLeaseDurationOfHolder) {
  server_.Put({.holder_identity = "dead", .lease_duration_seconds = 60, .lease_transitions = 1});

  a_.Start();
  const auto took = AdvanceUntil(clock_, {&a_}, seconds(100),
                                 [&] { return server_.spec()->holder_identity == "a"; });

  ASSERT_TRUE(took.has_value());
  EXPECT_GE(*took, seconds(60));
  EXPECT_LE(*took, seconds(60) + milliseconds(4400));
  EXPECT_EQ(server_.spec()->lease_transitions, 2);
  EXPECT_EQ(server_.spec()->lease_duration_seconds, 15);
  EXPECT_THAT(a_.leaders_seen(), ElementsAre("dead", "a"));
}

TEST_F(LeaderElectionTest, RetriesAfterOneToTwoPointTwoRetryPeriods) {
  for (const auto& [random, tries] : {std::pair(0.0, 11U), std::pair(0.999, 5U)}) {
    server_.Put({.holder_identity = "other", .lease_duration_seconds = 3600});
    Contender a(server_, clock_, "a", {.configure = [unit = random](LeaderElectionConfig& config) {
                  config.random = [unit] { return unit; };
                }});
    a.Start();
    ASSERT_TRUE(Advance(clock_, {&a}, seconds(21)));
    EXPECT_EQ(a.Methods().size(), tries);
  }
}

TEST_F(LeaderElectionTest, HungRequestTakesOnlyHalfOfDeadline) {
  ASSERT_TRUE(a_.Lead());

  a_.SetNetwork(Network::kHang);
  ASSERT_TRUE(AdvanceUntil(clock_, {&a_}, seconds(3), [&] { return a_.Methods().size() == 3; }));
  a_.SetNetwork(Network::kUp);
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(10)));

  // The write hangs for half the deadline. The slow path follows.
  std::vector<std::string> methods = a_.Methods();
  methods.resize(5);
  EXPECT_THAT(methods, ElementsAre("GET", "POST", "PUT", "GET", "PUT"));
  EXPECT_TRUE(a_.working());
  EXPECT_EQ(a_.started(), 1);
}

TEST_F(LeaderElectionTest, StopEndsWorkThenReleasesLease) {
  ASSERT_TRUE(a_.Lead());
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));

  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_EQ(server_.spec()->holder_identity, "");
  EXPECT_EQ(server_.spec()->lease_duration_seconds, 1);
  EXPECT_EQ(server_.spec()->lease_transitions, 0);
  EXPECT_FALSE(a_.elector().IsLeader());
  EXPECT_EQ(a_.stopped(), 1);
  EXPECT_THAT(a_.events(), ElementsAre("a became leader", "a stopped leading"));
}

TEST_F(LeaderElectionTest, StandbyAcquiresReleasedLeaseWithinOneRetry) {
  ASSERT_TRUE(a_.Lead());
  b_.Start();
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, seconds(1)));

  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, milliseconds(4400)));

  EXPECT_TRUE(b_.BlockUntilWorking());
  EXPECT_EQ(server_.spec()->lease_transitions, 1);
}

TEST_F(LeaderElectionTest, KeepsLeaseWhileStoppedWorkDrains) {
  std::latch drained(1);
  Contender a(server_, clock_, "a", {.drain = [&] { drained.wait(); }});
  ASSERT_TRUE(a.Lead());
  b_.Start();

  a.RequestStop();
  ASSERT_TRUE(Advance(clock_, {&a, &b_}, seconds(60)));
  EXPECT_EQ(server_.spec()->holder_identity, "a");
  EXPECT_EQ(b_.started(), 0);

  drained.count_down();
  ASSERT_TRUE(a.BlockUntilReturned());
  EXPECT_EQ(server_.spec()->holder_identity, "");
}

TEST_F(LeaderElectionTest, LeavesLeaseToExpireWithoutReleaseOnCancel) {
  Contender a(server_, clock_, "a", {.configure = [](LeaderElectionConfig& config) {
                config.release_on_cancel = false;
              }});
  ASSERT_TRUE(a.Lead());

  a.RequestStop();
  ASSERT_TRUE(a.BlockUntilReturned());

  EXPECT_EQ(server_.spec()->holder_identity, "a");
}

TEST_F(LeaderElectionTest, StoppedStandbySendsNothingMore) {
  server_.Put({.holder_identity = "other", .lease_duration_seconds = 3600});
  a_.Start();
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));

  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_THAT(a_.Methods(), ElementsAre("GET"));
  EXPECT_EQ(a_.started(), 0);
  EXPECT_EQ(a_.stopped(), 1);
}

TEST_F(LeaderElectionTest, CheckFailsOnlyWhileWorkRunsLongAfterLastRenewal) {
  EXPECT_TRUE(a_.elector().Check(seconds(20)).has_value());
  ASSERT_TRUE(a_.Lead());
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));

  a_.clock().Pause();  // the elector's thread is stuck, but the work is not
  clock_.Step(seconds(15 + 20 - 1));
  EXPECT_TRUE(a_.elector().Check(seconds(20)).has_value());
  clock_.Step(milliseconds(1));
  const auto check = a_.elector().Check(seconds(20));

  ASSERT_FALSE(check.has_value());
  EXPECT_EQ(check.error().message, "failed election to renew leadership on lease the-lease");
}

class RecordingMetrics final : public MetricsProvider {
 public:
  void SetMaster(std::string_view name, bool leading) override {
    calls.push_back(std::string(name) + (leading ? "=1" : "=0"));
  }
  void OnSlowPath(std::string_view) override { ++slow_paths; }
  std::vector<std::string> calls;
  int slow_paths = 0;
};

TEST_F(LeaderElectionTest, ReportsMasterStatusFromStart) {
  RecordingMetrics metrics;
  Contender a(server_, clock_, "a",
              {.configure = [&](LeaderElectionConfig& config) { config.metrics = &metrics; }});
  EXPECT_THAT(metrics.calls, ElementsAre("the-lease=0"));

  ASSERT_TRUE(a.Lead());
  a.SetNetwork(Network::kServerError);
  ASSERT_TRUE(Advance(clock_, {&a}, milliseconds(2500)));
  a.SetNetwork(Network::kUp);
  server_.Put(*server_.spec());  // a new version: the fast path fails, the slow path works
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(2)));
  a.RequestStop();
  ASSERT_TRUE(a.BlockUntilReturned());

  EXPECT_THAT(metrics.calls, ElementsAre("the-lease=0", "the-lease=1", "the-lease=0"));
  EXPECT_EQ(metrics.slow_paths, 1);
}

struct InvalidCase {
  std::function<void(LeaderElectionConfig&, Callbacks&)> spoil;
  std::string text;
};

TEST_F(LeaderElectionTest, RejectsInvalidConfig) {
  const std::vector<InvalidCase> cases = {
      {[](auto& config, auto&) { config.lease_duration = config.renew_deadline; },
       "leaseDuration must be greater than renewDeadline"},
      {[](auto& config, auto&) { config.renew_deadline = milliseconds(2400); },
       "renewDeadline must be greater than retryPeriod*JitterFactor"},
      {[](auto& config, auto&) { config.retry_period = seconds(0); },
       "retryPeriod must be greater than zero"},
      {[](auto&, auto& callbacks) { callbacks.on_started_leading = nullptr; },
       "OnStartedLeading callback must not be nil"},
      {[](auto&, auto& callbacks) { callbacks.on_stopped_leading = nullptr; },
       "OnStoppedLeading callback must not be nil"},
      {[](auto& config, auto&) { config.identity.clear(); }, "Lock identity is empty"},
      {[](auto& config, auto&) { config.lease_name.clear(); }, "Lock name is empty"},
      {[](auto& config, auto&) { config.lease_namespace.clear(); }, "Lock namespace is empty"},
  };
  rest::Client client({}, std::make_unique<testing::FakeTransport>());
  for (const InvalidCase& invalid : cases) {
    LeaderElectionConfig config{.lease_namespace = "ns", .lease_name = "n", .identity = "a"};
    Callbacks callbacks{.on_started_leading = [](const std::stop_token&) {},
                        .on_stopped_leading = [] {}};
    invalid.spoil(config, callbacks);
    const auto elector = LeaderElector::New(client, config, callbacks);
    ASSERT_FALSE(elector.has_value()) << invalid.text;
    EXPECT_EQ(elector.error().message, invalid.text);
    EXPECT_EQ(elector.error().reason, ErrorReason::kInvalidArgument);
  }
}

TEST(DefaultIdentityTest, IsHostNameAndRandomUuid) {
  const std::string identity = DefaultIdentity();

  EXPECT_THAT(identity, MatchesRegex(".+_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                     "[0-9a-f]{12}"));
  EXPECT_NE(identity, DefaultIdentity());
}

// Each of these tests breaks something around a Lease. There are never two leaders, and soon one
// again.
using LeaderElectionScenarioTest = ContendersFixture;

TEST_F(LeaderElectionScenarioTest, PausedLeaderIsReplacedAndNeverActsAgain) {
  ASSERT_TRUE(a_.Lead());
  b_.Start();
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, seconds(1)));

  a_.clock().Pause();
  const auto took = UntilHeldBy("b", {&a_, &b_});
  ASSERT_TRUE(took.has_value());
  EXPECT_LE(*took, seconds(20));
  // This is what the first instruction of `a` after the pause sees.
  EXPECT_FALSE(a_.elector().IsLeader());
  EXPECT_TRUE(b_.elector().IsLeader());

  const std::size_t requests_before = a_.Methods().size();
  a_.clock().Resume();
  ASSERT_TRUE(a_.BlockUntilReturned());
  EXPECT_FALSE(a_.working());
  EXPECT_EQ(a_.stopped(), 1);
  // Its only request is the read before a release.
  EXPECT_EQ(a_.Methods().size(), requests_before + 1);
  EXPECT_EQ(a_.Methods().back(), "GET");
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectionScenarioTest, LeaderPausedDuringRenewalIgnoresLateResponse) {
  ASSERT_TRUE(a_.Lead());
  b_.Start();
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, seconds(1)));
  std::latch in_renewal(1);
  a_.SetHook([&](const transport::HttpRequest& request) {
    if (request.method != "PUT") return;
    a_.clock().Pause();
    in_renewal.count_down();
    a_.clock().BlockWhilePaused();
  });

  for (int i = 0; i < 100 && !in_renewal.try_wait(); ++i)
    ASSERT_TRUE(Advance(clock_, {&a_, &b_}, milliseconds(100)));
  ASSERT_TRUE(UntilHeldBy("b", {&a_, &b_}));
  a_.SetHook({});
  a_.clock().Resume();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_FALSE(a_.elector().IsLeader());
  EXPECT_EQ(a_.started(), 1);
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectionScenarioTest, WrongWallClocksCauseNoSecondLeaderAndNoEarlyTakeover) {
  a_.clock().SetWallOffset(hours(-1));
  b_.clock().SetWallOffset(hours(1));
  ASSERT_TRUE(a_.Lead());
  b_.Start();

  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, minutes(1)));
  b_.clock().SetWallOffset(hours(24));
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, minutes(1)));
  a_.clock().SetWallOffset(hours(5));
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, minutes(1)));
  EXPECT_EQ(b_.started(), 0);
  EXPECT_TRUE(a_.working());

  a_.clock().Pause();
  const auto took = UntilHeldBy("b", {&a_, &b_});
  ASSERT_TRUE(took.has_value());
  EXPECT_GE(*took, seconds(13));  // 15 s from the last renewal, at most 2 s ago
  EXPECT_LE(*took, milliseconds(19500));
}

TEST_F(LeaderElectionScenarioTest, NewcomerWaitsFullLeaseForOldRecord) {
  server_.Put({.holder_identity = "gone",
               .lease_duration_seconds = 15,
               .acquire_time = "2020-01-01T00:00:00.000000Z",
               .renew_time = "2020-01-01T00:00:00.000000Z"});

  a_.Start();
  const auto took = UntilHeldBy("a", {&a_});

  ASSERT_TRUE(took.has_value());
  EXPECT_GE(*took, seconds(15));
}

TEST_F(LeaderElectionScenarioTest, SurvivesOutageOfNineSeconds) {
  for (const Network outage : {Network::kServerError, Network::kDown, Network::kHang}) {
    LeaseServer server;
    Contender a(server, clock_, "a");
    ASSERT_TRUE(a.Lead());
    ASSERT_TRUE(Advance(clock_, {&a}, seconds(4)));

    a.SetNetwork(outage);
    ASSERT_TRUE(Advance(clock_, {&a}, seconds(9)));
    a.SetNetwork(Network::kUp);
    ASSERT_TRUE(Advance(clock_, {&a}, seconds(20)));

    EXPECT_TRUE(a.working()) << static_cast<int>(outage);
    EXPECT_EQ(a.started(), 1);
    EXPECT_EQ(a.stopped(), 0);
  }
}

TEST_F(LeaderElectionScenarioTest, LongerOutageEndsLeadershipBeforeAnotherCanLead) {
  for (const Network outage : {Network::kServerError, Network::kDown, Network::kHang}) {
    LeaseServer server;
    Contender a(server, clock_, "a");
    ASSERT_TRUE(a.Lead());
    ASSERT_TRUE(Advance(clock_, {&a}, seconds(4)));  // the last renewal is now

    a.SetNetwork(outage);
    const auto took = AdvanceUntil(clock_, {&a}, seconds(60), [&] { return !a.working(); });

    ASSERT_TRUE(took.has_value());
    EXPECT_GE(*took, seconds(10)) << static_cast<int>(outage);
    EXPECT_LE(*took, seconds(12)) << static_cast<int>(outage);
    EXPECT_FALSE(a.elector().IsLeader());
    ASSERT_TRUE(AdvanceUntil(clock_, {&a}, seconds(60), [&] { return a.stopped() == 1; }));
  }
}

TEST_F(LeaderElectionScenarioTest, ReleaseSucceedsDuringRenewal) {
  ASSERT_TRUE(a_.Lead());
  a_.SetNetwork(Network::kHangAfterWrites);
  const std::string before = server_.spec()->renew_time;
  ASSERT_TRUE(AdvanceUntil(clock_, {&a_}, seconds(5),
                           [&] { return server_.spec()->renew_time != before; }));

  a_.SetNetwork(Network::kUp);
  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectionScenarioTest, ReleaseRetriesAfterConflict) {
  ASSERT_TRUE(a_.Lead());
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));
  std::atomic<bool> landed = false;
  a_.SetHook([&](const transport::HttpRequest& request) {
    // Its own canceled renewal arrives between the release's read and its write.
    if (request.method == "PUT" && !landed.exchange(true)) server_.Put(*server_.spec());
  });

  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_TRUE(landed);
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectionScenarioTest, ReleaseNeverClearsLeaseOfAnother) {
  ASSERT_TRUE(a_.Lead());
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));

  api::LeaseSpec taken = *server_.spec();
  taken.holder_identity = "b";
  server_.Put(taken);
  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_EQ(Holder(), "b");
  EXPECT_EQ(a_.Methods().back(), "GET");
}

TEST_F(LeaderElectionScenarioTest, LeaderRecreatesDeletedLease) {
  server_.Put({.holder_identity = "", .lease_duration_seconds = 15, .lease_transitions = 4});
  ASSERT_TRUE(a_.Lead());
  const std::string acquired = server_.spec()->acquire_time;
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(5)));

  server_.Delete();
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(3)));

  EXPECT_EQ(Holder(), "a");
  EXPECT_EQ(server_.spec()->acquire_time, acquired);
  EXPECT_EQ(server_.spec()->lease_transitions, 5);
  EXPECT_TRUE(a_.working());
  EXPECT_EQ(a_.started(), 1);
}

TEST_F(LeaderElectionScenarioTest, LeaderStopsAtOnceWhenItReadsAnotherHolder) {
  ASSERT_TRUE(a_.Lead());
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));

  api::LeaseSpec spec = *server_.spec();
  spec.holder_identity = "b";
  server_.Put(spec);
  const auto took = AdvanceUntil(clock_, {&a_}, seconds(30), [&] { return a_.stopped() == 1; });

  ASSERT_TRUE(took.has_value());
  EXPECT_LE(*took, seconds(2));
  EXPECT_FALSE(a_.working());
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectionScenarioTest, RenewalKeepsLabelsOfUsers) {
  ASSERT_TRUE(a_.Lead());
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));

  server_.PutJson(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{
      "namespace":"kube-system","name":"the-lease","labels":{"team":"blue"}},"spec":{
      "holderIdentity":"a","leaseDurationSeconds":15}})");
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(20)));

  EXPECT_THAT(server_.json(), HasSubstr(R"("labels":{"team":"blue"})"));
  EXPECT_TRUE(a_.working());
}

TEST_F(LeaderElectionScenarioTest, OneLeadsWhenTwoCreateLeaseAtOnce) {
  std::atomic<bool> b_first = false;
  a_.SetHook([&](const transport::HttpRequest& request) {
    // `a` has found no Lease. `b` creates one before `a` does.
    if (request.method != "POST" || b_first.exchange(true)) return;
    b_.Start();
    EXPECT_TRUE(b_.BlockUntilWorking());
  });

  a_.Start();
  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, minutes(1)));

  EXPECT_TRUE(b_first);
  EXPECT_EQ(Holder(), "b");
  EXPECT_EQ(a_.started(), 0);
  EXPECT_EQ(b_.started(), 1);
  EXPECT_THAT(a_.Methods(), Not(Contains("PUT")));
}

TEST_F(LeaderElectionScenarioTest, OneLeadsWhenTwoFindExpiredLease) {
  server_.Put({.holder_identity = "dead", .lease_duration_seconds = 15});
  a_.Start();
  b_.Start();

  ASSERT_TRUE(Advance(clock_, {&a_, &b_}, minutes(1)));

  EXPECT_TRUE((Holder() == "a" ? a_ : b_).BlockUntilWorking());
  EXPECT_EQ(a_.started() + b_.started(), 1);
  EXPECT_EQ(server_.spec()->lease_transitions, 1);
}

TEST_F(LeaderElectionScenarioTest, NextRunIsElectedAfterLongPartition) {
  ASSERT_TRUE(a_.Lead());
  a_.SetNetwork(Network::kDown);
  ASSERT_TRUE(AdvanceUntil(clock_, {&a_}, seconds(60), [&] { return a_.stopped() == 1; }));
  ASSERT_TRUE(a_.BlockUntilReturned());

  a_.Start();
  ASSERT_TRUE(Advance(clock_, {&a_}, minutes(15)));
  EXPECT_EQ(a_.started(), 1);
  a_.SetNetwork(Network::kUp);
  ASSERT_TRUE(Advance(clock_, {&a_}, seconds(20)));

  EXPECT_TRUE(a_.BlockUntilWorking());
  EXPECT_EQ(a_.started(), 2);
  EXPECT_EQ(Holder(), "a");
}

}  // namespace
}  // namespace capstan::leaderelection

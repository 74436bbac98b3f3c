// SPDX-License-Identifier: Apache-2.0
// What goes wrong around a Lease, and who may act then. Each test is a story with an outcome: at no
// time two leaders, and soon one again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <vector>

#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/leaderelection/leader_election_testing.h"

namespace clientgo::leaderelection {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class LeaderElectionScenarioTest : public LeaseFixture {};

TEST_F(LeaderElectionScenarioTest, APausedLeaderIsReplacedAndNeverActsAgain) {
  Contender a(server_, clock_, "a");
  Contender b(server_, clock_, "b");
  ASSERT_TRUE(a.Lead());
  b.Start();
  ASSERT_TRUE(Advance(clock_, {&a, &b}, seconds(1)));

  a.clock().Pause();
  const auto took = UntilHeldBy("b", {&a, &b});
  ASSERT_TRUE(took.has_value());
  EXPECT_LE(*took, seconds(20));
  // The first instruction that `a` runs again may already ask.
  EXPECT_FALSE(a.elector().IsLeader());
  EXPECT_TRUE(b.elector().IsLeader());

  const std::size_t requests_before = a.Methods().size();
  a.clock().Resume();
  ASSERT_TRUE(a.BlockUntilReturned());
  EXPECT_FALSE(a.working());
  EXPECT_EQ(a.stopped(), 1);
  // All it sends is the question whether there is something to release.
  EXPECT_EQ(a.Methods().size(), requests_before + 1);
  EXPECT_EQ(a.Methods().back(), "GET");
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectionScenarioTest, ALeaderPausedDuringARenewalDoesNotTrustItsLateAnswer) {
  Contender a(server_, clock_, "a");
  Contender b(server_, clock_, "b");
  ASSERT_TRUE(a.Lead());
  b.Start();
  ASSERT_TRUE(Advance(clock_, {&a, &b}, seconds(1)));
  std::latch in_renewal(1);
  a.SetHook([&](const transport::HttpRequest& request) {
    if (request.method != "PUT") return;
    a.clock().Pause();
    in_renewal.count_down();
    a.clock().BlockWhilePaused();
  });

  for (int i = 0; i < 100 && !in_renewal.try_wait(); ++i)
    ASSERT_TRUE(Advance(clock_, {&a, &b}, milliseconds(100)));
  ASSERT_TRUE(UntilHeldBy("b", {&a, &b}));
  a.SetHook({});
  a.clock().Resume();
  ASSERT_TRUE(a.BlockUntilReturned());

  EXPECT_FALSE(a.elector().IsLeader());
  EXPECT_EQ(a.started(), 1);
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectionScenarioTest, WrongWallClocksMakeNoSecondLeaderAndNoEarlyTakeover) {
  Contender a(server_, clock_, "a");
  Contender b(server_, clock_, "b");
  a.clock().SetWallOffset(hours(-1));
  b.clock().SetWallOffset(hours(1));
  ASSERT_TRUE(a.Lead());
  b.Start();

  ASSERT_TRUE(Advance(clock_, {&a, &b}, minutes(1)));
  b.clock().SetWallOffset(hours(24));
  ASSERT_TRUE(Advance(clock_, {&a, &b}, minutes(1)));
  a.clock().SetWallOffset(hours(5));
  ASSERT_TRUE(Advance(clock_, {&a, &b}, minutes(1)));
  EXPECT_EQ(b.started(), 0);
  EXPECT_TRUE(a.working());

  a.clock().Pause();
  const auto took = UntilHeldBy("b", {&a, &b});
  ASSERT_TRUE(took.has_value());
  EXPECT_GE(*took, seconds(13));  // 15 s from the last renewal, at most 2 s ago
  EXPECT_LE(*took, milliseconds(19500));
}

TEST_F(LeaderElectionScenarioTest, ANewcomerWaitsAFullLeaseHoweverOldTheRecordLooks) {
  server_.Put({.holder_identity = "gone",
               .lease_duration_seconds = 15,
               .acquire_time = "2020-01-01T00:00:00.000000Z",
               .renew_time = "2020-01-01T00:00:00.000000Z"});
  Contender a(server_, clock_, "a");

  a.Start();
  const auto took = UntilHeldBy("a", {&a});

  ASSERT_TRUE(took.has_value());
  EXPECT_GE(*took, seconds(15));
}

TEST_F(LeaderElectionScenarioTest, AnOutageOfNineSecondsIsSurvived) {
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

TEST_F(LeaderElectionScenarioTest, ALongerOutageEndsLeadershipBeforeAnotherCanLead) {
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

TEST_F(LeaderElectionScenarioTest, AReleaseThatRacesARenewalReleases) {
  Contender a(server_, clock_, "a");
  ASSERT_TRUE(a.Lead());
  a.SetNetwork(Network::kHangAfterWrites);
  const std::string before = server_.spec()->renew_time;
  ASSERT_TRUE(
      AdvanceUntil(clock_, {&a}, seconds(5), [&] { return server_.spec()->renew_time != before; }));

  a.SetNetwork(Network::kUp);
  a.RequestStop();
  ASSERT_TRUE(a.BlockUntilReturned());

  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectionScenarioTest, AReleaseThatMeetsAConflictLooksAgainAndReleases) {
  Contender a(server_, clock_, "a");
  ASSERT_TRUE(a.Lead());
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(1)));
  std::atomic<bool> landed = false;
  a.SetHook([&](const transport::HttpRequest& request) {
    // Our own renewal, canceled on this side, arrives between the release's read and its write.
    if (request.method == "PUT" && !landed.exchange(true)) server_.Put(*server_.spec());
  });

  a.RequestStop();
  ASSERT_TRUE(a.BlockUntilReturned());

  EXPECT_TRUE(landed);
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectionScenarioTest, AReleaseNeverClearsALeaseThatIsAnothersByNow) {
  Contender a(server_, clock_, "a");
  ASSERT_TRUE(a.Lead());
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(1)));

  api::LeaseSpec taken = *server_.spec();
  taken.holder_identity = "b";
  server_.Put(taken);
  a.RequestStop();
  ASSERT_TRUE(a.BlockUntilReturned());

  EXPECT_EQ(Holder(), "b");
  EXPECT_EQ(a.Methods().back(), "GET");
}

TEST_F(LeaderElectionScenarioTest, ADeletedLeaseIsMadeAgainByItsLeader) {
  Contender a(server_, clock_, "a");
  server_.Put({.holder_identity = "", .lease_duration_seconds = 15, .lease_transitions = 4});
  ASSERT_TRUE(a.Lead());
  const std::string acquired = server_.spec()->acquire_time;
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(5)));

  server_.Delete();
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(3)));

  EXPECT_EQ(Holder(), "a");
  EXPECT_EQ(server_.spec()->acquire_time, acquired);
  EXPECT_EQ(server_.spec()->lease_transitions, 5);
  EXPECT_TRUE(a.working());
  EXPECT_EQ(a.started(), 1);
}

TEST_F(LeaderElectionScenarioTest, ALeaderThatReadsAnotherHolderStepsDownAtOnce) {
  Contender a(server_, clock_, "a");
  ASSERT_TRUE(a.Lead());
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(1)));

  api::LeaseSpec spec = *server_.spec();
  spec.holder_identity = "b";
  server_.Put(spec);
  const auto took = AdvanceUntil(clock_, {&a}, seconds(30), [&] { return a.stopped() == 1; });

  ASSERT_TRUE(took.has_value());
  EXPECT_LE(*took, seconds(2));
  EXPECT_FALSE(a.working());
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectionScenarioTest, LabelsThatSomebodyPutOnTheLeaseSurviveRenewals) {
  Contender a(server_, clock_, "a");
  ASSERT_TRUE(a.Lead());
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(1)));

  server_.PutJson(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{
      "namespace":"kube-system","name":"the-lease","labels":{"team":"blue"}},"spec":{
      "holderIdentity":"a","leaseDurationSeconds":15}})");
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(20)));

  EXPECT_THAT(server_.json(), HasSubstr(R"("labels":{"team":"blue"})"));
  EXPECT_TRUE(a.working());
}

TEST_F(LeaderElectionScenarioTest, OfTwoThatCreateTheLeaseAtOnceOneLeads) {
  Contender a(server_, clock_, "a");
  Contender b(server_, clock_, "b");
  std::atomic<bool> b_first = false;
  a.SetHook([&](const transport::HttpRequest& request) {
    // `a` has read that there is no Lease; before it creates one, `b` does.
    if (request.method != "POST" || b_first.exchange(true)) return;
    b.Start();
    EXPECT_TRUE(b.BlockUntilWorking());
  });

  a.Start();
  ASSERT_TRUE(Advance(clock_, {&a, &b}, minutes(1)));

  EXPECT_TRUE(b_first);
  EXPECT_EQ(Holder(), "b");
  EXPECT_EQ(a.started(), 0);
  EXPECT_EQ(b.started(), 1);
  EXPECT_THAT(a.Methods(), Not(Contains("PUT")));
}

TEST_F(LeaderElectionScenarioTest, OfTwoThatFindAnExpiredLeaseOneLeads) {
  server_.Put({.holder_identity = "dead", .lease_duration_seconds = 15});
  Contender a(server_, clock_, "a");
  Contender b(server_, clock_, "b");
  a.Start();
  b.Start();

  ASSERT_TRUE(Advance(clock_, {&a, &b}, minutes(1)));

  EXPECT_EQ(a.started() + b.started(), 1);
  EXPECT_EQ(server_.spec()->lease_transitions, 1);
}

TEST_F(LeaderElectionScenarioTest, AfterALongPartitionAnotherRunIsElectedAgain) {
  Contender a(server_, clock_, "a");
  ASSERT_TRUE(a.Lead());
  a.SetNetwork(Network::kDown);
  ASSERT_TRUE(AdvanceUntil(clock_, {&a}, seconds(60), [&] { return a.stopped() == 1; }));
  ASSERT_TRUE(a.BlockUntilReturned());

  a.Start();
  ASSERT_TRUE(Advance(clock_, {&a}, minutes(15)));
  EXPECT_EQ(a.started(), 1);
  a.SetNetwork(Network::kUp);
  ASSERT_TRUE(Advance(clock_, {&a}, seconds(20)));

  EXPECT_TRUE(a.BlockUntilWorking());
  EXPECT_EQ(a.started(), 2);
  EXPECT_EQ(Holder(), "a");
}

}  // namespace
}  // namespace clientgo::leaderelection

// SPDX-License-Identifier: Apache-2.0
// A user deletes or edits the Lease. No candidate may take such a change for the holder's: the
// holder may act until the end of its last lease, and may be unreachable.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "capstan/leaderelection/leader_election.h"
#include "clientgo/leaderelection/testing/lease_fixture.h"

namespace capstan::leaderelection {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The longest takeover after the last change of the Lease, with the defaults of leader_election.h.
constexpr auto kTakeoverMax = seconds(15) + 2 * milliseconds(4400);

class LeaseTamperingTest : public LeaseFixture {
 protected:
  // `a` leads and renews at even seconds. `b` is a standby and reads at odd seconds. The time is
  // then 4.5 s.
  void SetUp() override {
    ASSERT_TRUE(a_.Lead());
    ASSERT_TRUE(Advance(clock_, {&a_}, seconds(1)));
    b_.Start();
    ASSERT_TRUE(Advance(clock_, {&a_, &b_}, milliseconds(3500)));
  }

  // Changes the Lease like kubectl edit. The other fields stay as `a` wrote them.
  void Edit(const std::function<void(api::LeaseSpec&)>& edit) {
    api::LeaseSpec spec = *server_.spec();
    edit(spec);
    server_.Put(spec);
  }

  Contender a_{server_, clock_, "a"};
  Contender b_{server_, clock_, "b"};
  const std::vector<Contender*> both_ = {&a_, &b_};
};

TEST_F(LeaseTamperingTest, LeaderKeepsDeletedLeaseWhenStandbyReadsFirst) {
  server_.Delete();

  EXPECT_FALSE(EverLead(2, both_, minutes(1)));
  EXPECT_TRUE(a_.working());
  EXPECT_EQ(Holder(), "a");
  EXPECT_EQ(a_.started(), 1);
  EXPECT_EQ(b_.started(), 0);
}

TEST_F(LeaseTamperingTest, StandbyTakesDeletedLeaseAfterCutOffLeaderHasStopped) {
  a_.SetNetwork(Network::kDown);
  server_.Delete();

  const auto took = AdvanceUntil(clock_, both_, minutes(1), [&] {
    return a_.elector().IsLeader() == b_.elector().IsLeader();
  });
  ASSERT_TRUE(took.has_value());
  EXPECT_EQ(CountLeaders(both_), 0);
  ASSERT_TRUE(EverLead(1, both_, kTakeoverMax - *took));
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaseTamperingTest, EditedHolderEndsLeaderBeforeAnotherLeads) {
  for (const char* named : {"b", "nobody-we-know"}) {
    LeaseServer server;
    Contender a(server, clock_, "a");
    Contender b(server, clock_, "b");
    ASSERT_TRUE(a.Lead());
    ASSERT_TRUE(Advance(clock_, {&a}, seconds(1)));
    b.Start();
    ASSERT_TRUE(Advance(clock_, {&a, &b}, milliseconds(3500)));

    api::LeaseSpec spec = *server.spec();
    spec.holder_identity = named;
    server.Put(spec);
    const auto stopped =
        AdvanceUntil(clock_, {&a, &b}, seconds(5), [&] { return !a.elector().IsLeader(); });
    ASSERT_TRUE(stopped.has_value()) << named;
    EXPECT_LE(*stopped, seconds(2)) << named;
    EXPECT_FALSE(b.elector().IsLeader()) << named;

    EXPECT_TRUE(EverLead(1, {&a, &b}, kTakeoverMax - *stopped)) << named;
    EXPECT_TRUE(b.elector().IsLeader()) << named;
  }
}

TEST_F(LeaseTamperingTest, LeaderKeepsClearedLease) {
  const api::LeaseSpec before = *server_.spec();
  Edit([](api::LeaseSpec& spec) { spec.holder_identity.clear(); });

  EXPECT_FALSE(EverLead(2, both_, minutes(1)));
  EXPECT_EQ(Holder(), "a");
  EXPECT_EQ(a_.started(), 1);
  EXPECT_TRUE(a_.working());
  EXPECT_EQ(server_.spec()->acquire_time, before.acquire_time);
}

TEST_F(LeaseTamperingTest, StandbyWaitsWhenLeaseIsDeletedTwice) {
  Contender c(server_, clock_, "c");
  c.Start();
  ASSERT_TRUE(Advance(clock_, {&a_, &b_, &c}, milliseconds(100)));
  a_.SetNetwork(Network::kDown);
  server_.Delete();
  ASSERT_TRUE(Advance(clock_, {&a_, &b_, &c}, seconds(3)));  // both have seen the deletion
  b_.SetNetwork(Network::kDown);
  ASSERT_TRUE(UntilHeldBy("c", {&a_, &b_, &c}));

  c.SetNetwork(Network::kDown);
  server_.Delete();
  b_.SetNetwork(Network::kUp);

  EXPECT_FALSE(EverLead(2, {&b_, &c}, kTakeoverMax));
  EXPECT_TRUE(b_.elector().IsLeader());
}

TEST_F(LeaseTamperingTest, NextRunDoesNotClaimLeaseOfEarlierRun) {
  a_.SetNetwork(Network::kDown);
  a_.RequestStop();
  ASSERT_TRUE(a_.BlockUntilReturned());
  server_.Delete();
  Contender c(server_, clock_, "c");
  ASSERT_TRUE(c.Lead());

  Edit([](api::LeaseSpec& spec) { spec.holder_identity.clear(); });
  a_.SetNetwork(Network::kUp);
  a_.Start();

  EXPECT_FALSE(EverLead(2, {&a_, &b_, &c}, seconds(20)));
  EXPECT_TRUE(c.elector().IsLeader());
}

TEST_F(LeaseTamperingTest, EditedDurationDoesNotShortenTimeOfCutOffLeader) {
  for (const char* duration : {R"("leaseDurationSeconds":1,)", R"("leaseDurationSeconds":0,)",
                               R"("leaseDurationSeconds":-5,)", ""}) {
    LeaseServer server;
    Contender a(server, clock_, "a");
    Contender b(server, clock_, "b");
    ASSERT_TRUE(a.Lead());
    b.Start();
    ASSERT_TRUE(Advance(clock_, {&a, &b}, seconds(4)));

    a.SetNetwork(Network::kDown);
    server.PutJson(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{
        "namespace":"kube-system","name":"the-lease"},"spec":{)" +
                   std::string(duration) + R"("holderIdentity":"a"}})");

    EXPECT_FALSE(EverLead(2, {&a, &b}, kTakeoverMax)) << duration;
    EXPECT_TRUE(b.elector().IsLeader()) << duration;
  }
}

TEST_F(LeaseTamperingTest, NewcomerWaitsAtLeastItsOwnDuration) {
  for (const int duration : {1, 0, -5}) {
    LeaseServer server;
    server.Put({.holder_identity = "other", .lease_duration_seconds = duration});
    Contender c(server, clock_, "c");
    c.Start();

    const auto took =
        AdvanceUntil(clock_, {&c}, minutes(1), [&] { return c.elector().IsLeader(); });

    ASSERT_TRUE(took.has_value()) << duration;
    EXPECT_GE(*took, seconds(15)) << duration;
    EXPECT_LE(*took, seconds(15) + milliseconds(4400)) << duration;
  }
}

TEST_F(LeaseTamperingTest, NewcomerWaitsForLeaseThatUserCleared) {
  a_.SetNetwork(Network::kDown);
  Edit([](api::LeaseSpec& spec) { spec.holder_identity.clear(); });
  Contender c(server_, clock_, "c");
  c.Start();

  EXPECT_FALSE(EverLead(2, {&a_, &b_, &c}, kTakeoverMax));
  EXPECT_EQ(CountLeaders({&b_, &c}), 1);
}

TEST_F(LeaseTamperingTest, LeaderRepairsEditedLeaseWithItsName) {
  const api::LeaseSpec before = *server_.spec();
  Edit([](api::LeaseSpec& spec) {
    spec.lease_duration_seconds = 1;
    spec.acquire_time.clear();
    spec.renew_time.clear();
    spec.lease_transitions = 70;
  });

  ASSERT_FALSE(EverLead(2, both_, seconds(30)));
  EXPECT_EQ(a_.started(), 1);
  EXPECT_TRUE(a_.working());
  EXPECT_EQ(server_.spec()->acquire_time, before.acquire_time);
  EXPECT_EQ(server_.spec()->lease_duration_seconds, 15);
  EXPECT_EQ(server_.spec()->lease_transitions, before.lease_transitions);
}

TEST_F(LeaseTamperingTest, FormerLeaderDoesNotReleaseLeaseThatUserGaveIt) {
  a_.clock().Pause();
  ASSERT_TRUE(UntilHeldBy("b", both_));
  Edit([](api::LeaseSpec& spec) { spec.holder_identity = "a"; });

  a_.clock().Resume();
  ASSERT_TRUE(a_.BlockUntilReturned());

  EXPECT_EQ(Holder(), "a");
  EXPECT_TRUE(b_.elector().IsLeader());
}

TEST_F(LeaseTamperingTest, LeaseWithItsNameFromAnotherProcessIsNotOurs) {
  // A former process with the same name, or kubectl, wrote it. In both cases another may act.
  server_.Put({.holder_identity = "c", .lease_duration_seconds = 15, .renew_time = "now"});
  Contender c(server_, clock_, "c");
  c.Start();

  EXPECT_FALSE(EverLead(2, {&a_, &b_, &c}, seconds(15)));
  EXPECT_EQ(c.started(), 0);
}

TEST_F(LeaseTamperingTest, StandbyLeadsAtNextTryAfterTakeoverWithoutResponse) {
  a_.clock().Pause();
  b_.SetNetwork(Network::kCutAfterWrites);
  ASSERT_TRUE(UntilHeldBy("b", both_));
  EXPECT_FALSE(b_.elector().IsLeader());

  b_.SetNetwork(Network::kUp);

  EXPECT_TRUE(EverLead(1, both_, milliseconds(4400)));
  EXPECT_EQ(server_.spec()->lease_transitions, 1);
}

}  // namespace
}  // namespace capstan::leaderelection

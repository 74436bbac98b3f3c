// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/write_ledger.h"

#include <gtest/gtest.h>

#include "clientgo/testing/fake_clock.h"
#include "controllers/readinessgate/agent_fakes_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using clientgo::util::Error;

constexpr char kKey[] = "ns/n";
const PodOutput kOpen{.ready = "v1.0f1e2d3c.1", .status = "{}"};
const CachedPod kOpenPod{.version = "9",
                         .annotations = R"("readiness.capstan.dev/ready":"v1.0f1e2d3c.1",)"
                                        R"("readiness.capstan.dev/status":"{}")"};

Error Status(int code, std::string message = "") {
  return {.http_code = code, .message = std::move(message)};
}

class WriteLedgerTest : public ::testing::Test {
 protected:
  // Wants kOpen for `pod`, which is what the cache holds.
  WriteLedger::Step WantOpen(const CachedPod& pod = {}) {
    ledger_.Want(*MakeCachedPod(pod), kOpen);
    return ledger_.Next(kKey, MakeCachedPod(pod));
  }
  static bool IsNothing(const WriteLedger::Step& step) { return !step.plan && !step.wait; }

  clientgo::testing::FakeClock clock_;
  WriteLedger ledger_{{.annotation = true, .condition = false}, clock_, [] { return 0.0; }};
};

TEST_F(WriteLedgerTest, WhatThePodCarriesIsNotSent) { EXPECT_TRUE(IsNothing(WantOpen(kOpenPod))); }

TEST_F(WriteLedgerTest, PlansADifferenceForTheVersionOfTheCache) {
  const auto step = WantOpen();

  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->version, "7");
  EXPECT_EQ(step.plan->wanted, kOpen);
}

TEST_F(WriteLedgerTest, EventOlderThanOurWriteSendsNothing) {
  const auto step = WantOpen();
  ledger_.Wrote(kKey, *step.plan, "9");

  EXPECT_FALSE(ledger_.Want(*MakeCachedPod({.version = "8"}), kOpen));
  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({.version = "8"}))));
}

TEST_F(WriteLedgerTest, TheLatestWishCountsAfterAWrite) {
  const auto step = WantOpen();
  ledger_.Wrote(kKey, *step.plan, "9");
  const PodOutput other{.ready = kOpen.ready, .status = R"({"v":1})"};

  EXPECT_TRUE(ledger_.Want(*MakeCachedPod({.version = "8"}), other));
  const auto next = ledger_.Next(kKey, MakeCachedPod({.version = "8"}));

  ASSERT_TRUE(next.plan);
  EXPECT_EQ(next.plan->version, "9") << "the version that our own patch made";
  EXPECT_EQ(next.plan->held, kOpen);
}

TEST_F(WriteLedgerTest, WishThatIsTakenBackWhileItWaitsIsNotSent) {
  const auto step = WantOpen();
  ledger_.Failed(kKey, *step.plan, Status(500));

  ledger_.Want(*MakeCachedPod({}), {});
  clock_.Step(1min);

  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({}))));
}

TEST_F(WriteLedgerTest, PodThatIsGoneReplacedOrBeingDeletedIsForgotten) {
  const auto gone = [&](const std::shared_ptr<const clientgo::api::Pod>& pod) {
    ledger_.Want(*MakeCachedPod({}), kOpen);
    const bool nothing = IsNothing(ledger_.Next(kKey, pod));
    return nothing && IsNothing(ledger_.Next(kKey, MakeCachedPod({})));
  };

  EXPECT_TRUE(gone(nullptr));
  EXPECT_TRUE(gone(MakeCachedPod({.uid = "another-uid"})));
  EXPECT_TRUE(gone(MakeCachedPod({.metadata = R"(,"deletionTimestamp":"2026-01-02T00:00:00Z")"})));
}

TEST_F(WriteLedgerTest, SuccessorOfTheSameNameStartsAfresh) {
  const auto step = WantOpen();
  ledger_.Wrote(kKey, *step.plan, "9");
  const CachedPod successor{.version = "12", .uid = "ffffffff-0000"};

  ledger_.Want(*MakeCachedPod(successor), {.status = "{}"});
  const auto next = ledger_.Next(kKey, MakeCachedPod(successor));

  ASSERT_TRUE(next.plan);
  EXPECT_EQ(next.plan->wanted.ready, std::nullopt);
  EXPECT_EQ(next.plan->held.ready, std::nullopt);
}

TEST_F(WriteLedgerTest, GoneAndReplacedAreDropped) {
  for (const Error& error :
       {Status(404), Status(422, "metadata.uid: Invalid value: field is immutable")}) {
    const auto step = WantOpen();

    EXPECT_TRUE(ledger_.Failed(kKey, *step.plan, error).dropped);
    EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({}))));
  }
}

TEST_F(WriteLedgerTest, ConflictWaitsForTheCacheAndNoLonger) {
  const auto step = WantOpen();
  const auto failure = ledger_.Failed(kKey, *step.plan, Status(409));

  EXPECT_EQ(failure.wait, 200ms);
  EXPECT_FALSE(failure.log);
  EXPECT_EQ(ledger_.Next(kKey, MakeCachedPod({})).wait, 200ms);
  EXPECT_TRUE(ledger_.Want(*MakeCachedPod({.version = "8"}), kOpen)) << "the cache has moved on";
  EXPECT_EQ(ledger_.Next(kKey, MakeCachedPod({.version = "8"})).plan->version, "8");
}

TEST_F(WriteLedgerTest, DenialIsLoggedOnceAndTriedMoreAndMoreRarely) {
  auto step = WantOpen();
  const auto first = ledger_.Failed(kKey, *step.plan, Status(422, "denied request"));
  EXPECT_TRUE(first.log);
  EXPECT_EQ(first.wait, 1s);

  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(ledger_.Want(*MakeCachedPod({.version = "8"}), kOpen)) << "it has to wait";
    clock_.Step(5min);
    step = ledger_.Next(kKey, MakeCachedPod({}));
    ASSERT_TRUE(step.plan);
    const auto again = ledger_.Failed(kKey, *step.plan, Status(422, "denied request"));
    EXPECT_FALSE(again.log);
    EXPECT_LE(again.wait, 5min);
  }
}

TEST_F(WriteLedgerTest, WithoutRoomOnlyTheKeyIsWrittenOnce) {
  auto step = WantOpen();
  const Error too_long = Status(422, "metadata.annotations: Too long: may not be more than 262144");

  const auto first = ledger_.Failed(kKey, *step.plan, too_long);
  step = ledger_.Next(kKey, MakeCachedPod({}));

  EXPECT_EQ(first.wait, 0s);
  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->wanted.ready, kOpen.ready);
  EXPECT_EQ(step.plan->wanted.status, std::nullopt) << "as the pod has it";
  EXPECT_GE(ledger_.Failed(kKey, *step.plan, too_long).wait, 1s);
}

TEST_F(WriteLedgerTest, PendingPodWithoutRoomIsLeftAlone) {
  ledger_.Want(*MakeCachedPod({}), {.status = "{}"});
  const auto step = ledger_.Next(kKey, MakeCachedPod({}));
  ledger_.Failed(kKey, *step.plan, Status(422, "metadata.annotations: Too long"));

  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({}))));
}

// Somebody removes the key ten times a second.
TEST_F(WriteLedgerTest, WhoFightsWithUsIsAnsweredMoreAndMoreSlowly) {
  int writes = 0;
  int version = 10;
  for (int tenth = 0; tenth < 10 * 60 * 10; ++tenth) {
    const CachedPod without{.version = std::to_string(++version)};
    ledger_.Want(*MakeCachedPod(without), kOpen);
    const auto step = ledger_.Next(kKey, MakeCachedPod(without));
    if (step.plan) {
      ++writes;
      ledger_.Wrote(kKey, *step.plan, std::to_string(++version));
    }
    clock_.Step(100ms);
  }

  EXPECT_GT(writes, 5);
  EXPECT_LE(writes, 12) << "in ten minutes";
}

TEST_F(WriteLedgerTest, ConditionIsAPatchOfItsOwn) {
  WriteLedger ledger({.annotation = true, .condition = true}, clock_, [] { return 0.0; });
  PodOutput wanted = kOpen;
  wanted.condition = "True";
  ledger.Want(*MakeCachedPod({}), wanted);

  auto step = ledger.Next(kKey, MakeCachedPod({}));
  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->part, PatchPart::kMetadata);
  ledger.Wrote(kKey, *step.plan, "8");
  step = ledger.Next(kKey, MakeCachedPod({}));
  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->part, PatchPart::kStatus);
  EXPECT_EQ(step.plan->version, "8");
  ledger.Wrote(kKey, *step.plan, "9");

  EXPECT_TRUE(IsNothing(ledger.Next(kKey, MakeCachedPod({}))));
}

TEST(PodOutputTest, PatchesNameThePodAndOnlyWhatDiffers) {
  const PatchTarget target{.uid = "u", .resource_version = "7"};

  EXPECT_EQ(MetadataPatch(target, {.ready = "False", .status = "{}"}, {.status = "{}"}),
            R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":)"
            R"({"readiness.capstan.dev/ready":null}}})");
  EXPECT_EQ(MetadataPatch(target, {}, kOpen),
            R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":)"
            R"({"readiness.capstan.dev/ready":"v1.0f1e2d3c.1",)"
            R"("readiness.capstan.dev/status":"{}"}}})");
  EXPECT_EQ(ConditionPatch(target, {.condition = "True"}, {}),
            R"({"metadata":{"uid":"u","resourceVersion":"7"},"status":{"conditions":[)"
            R"({"type":"readiness.capstan.dev/CertGates","status":"True","reason":"GatesOpen",)"
            R"("lastTransitionTime":"1970-01-01T00:00:00Z"}]}})");
}

TEST(PodOutputTest, VersionsThatAreNoNumbersAreNeverOlder) {
  EXPECT_TRUE(IsOlderVersion("9", "10"));
  EXPECT_FALSE(IsOlderVersion("10", "9"));
  EXPECT_FALSE(IsOlderVersion("9", "9"));
  EXPECT_FALSE(IsOlderVersion("a", "10"));
  EXPECT_FALSE(IsOlderVersion("9", ""));
}

}  // namespace
}  // namespace controllers::readinessgate

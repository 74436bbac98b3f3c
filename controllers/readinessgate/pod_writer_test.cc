// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pod_writer.h"

#include <gtest/gtest.h>

#include "capstan/testing/fake_clock.h"
#include "controllers/readinessgate/testing/fakes.h"

namespace capstan::readinessgate {
namespace {

using namespace std::chrono_literals;

Error Status(int code, std::string message = "") {
  return {.reason = ReasonFromHttpCode(code), .http_code = code, .message = std::move(message)};
}

TEST(WriteErrorTest, ClassifiesResponses) {
  EXPECT_EQ(Classify(Status(404)), WriteError::kGone);
  EXPECT_EQ(Classify(Status(409, "the object has been modified")), WriteError::kConflict);
  EXPECT_EQ(Classify(Status(422,
                            "Pod \"n\" is invalid: metadata.uid: Invalid value: \"x\": field "
                            "is immutable")),
            WriteError::kReplaced);
  EXPECT_EQ(Classify(Status(422,
                            "Pod \"n\" is invalid: metadata.annotations: Too long: may not be "
                            "more than 262144 bytes")),
            WriteError::kTooLong);
  EXPECT_EQ(Classify(Status(422,
                            "pods \"n\" is forbidden: ValidatingAdmissionPolicy 'p' denied "
                            "request: not on this node")),
            WriteError::kDenied);
  EXPECT_EQ(Classify(Status(403)), WriteError::kDenied);
  EXPECT_EQ(Classify(Status(415)), WriteError::kDenied);
  EXPECT_EQ(Classify(Status(429)), WriteError::kThrottled);
  EXPECT_EQ(Classify(Status(401, "the token was rotated")), WriteError::kTransient);
  EXPECT_EQ(Classify(Status(500)), WriteError::kTransient);
  EXPECT_EQ(Classify(Status(503)), WriteError::kTransient);
  EXPECT_EQ(Classify({.reason = ErrorReason::kUnexpectedEof}), WriteError::kTransient);
}

TEST(WriteErrorTest, DelaysGrowWithinBounds) {
  EXPECT_EQ(RetryDelay(WriteError::kTransient, {}, 1, 0), 250ms);
  EXPECT_EQ(RetryDelay(WriteError::kTransient, {}, 3, 0), 1s);
  EXPECT_EQ(RetryDelay(WriteError::kTransient, {}, 1000, 0.9), 30s);
  EXPECT_EQ(RetryDelay(WriteError::kDenied, {}, 1, 0), 1s);
  EXPECT_EQ(RetryDelay(WriteError::kDenied, {}, 1000, 0), 5min);
  EXPECT_EQ(RetryDelay(WriteError::kConflict, {}, 1, 0), 200ms);
  EXPECT_EQ(RetryDelay(WriteError::kConflict, {}, 1000, 0.5), 5s);
}

TEST(WriteErrorTest, DelaysAreJittered) {
  EXPECT_GT(RetryDelay(WriteError::kTransient, {}, 1, 0.9), 300ms);
  EXPECT_LT(RetryDelay(WriteError::kTransient, {}, 1, 0.99), 375ms);
}

TEST(WriteErrorTest, RespectsRetryAfterUpToFiveMinutes) {
  EXPECT_EQ(RetryDelay(WriteError::kThrottled, {.retry_after = 7s}, 1, 0), 7s);
  EXPECT_EQ(RetryDelay(WriteError::kThrottled, {.retry_after = 24h}, 1, 0), 5min);
  EXPECT_EQ(RetryDelay(WriteError::kThrottled, {}, 1, 0), 250ms);
}

constexpr char kKey[] = "ns/n";
const PodOutput kOpenOutput{.ready = "v1.0f1e2d3c.1", .status = "{}"};
const CachedPod kOpenPod{.version = "9",
                         .annotations = R"("readiness.capstan.dev/ready":"v1.0f1e2d3c.1",)"
                                        R"("readiness.capstan.dev/status":"{}")"};

class WriteLedgerTest : public ::testing::Test {
 protected:
  // Wants kOpenOutput for the cached `pod`.
  WriteLedger::Step WantOpen(const CachedPod& pod = {}) {
    ledger_.Want(*MakeCachedPod(pod), kOpenOutput);
    return ledger_.Next(kKey, MakeCachedPod(pod));
  }
  WriteLedger::Step WantPending() {
    ledger_.Want(*MakeCachedPod({}), {.status = R"({"state":"Pending"})"});
    return ledger_.Next(kKey, MakeCachedPod({}));
  }
  static bool IsNothing(const WriteLedger::Step& step) { return !step.plan && !step.wait; }

  testing::FakeClock clock_;
  WriteLedger ledger_{{.annotation = true, .condition = false}, clock_, [] { return 0.0; }};
};

TEST_F(WriteLedgerTest, PlansNothingWhenPodHasTheOutput) {
  EXPECT_TRUE(IsNothing(WantOpen(kOpenPod)));
}

TEST_F(WriteLedgerTest, PlansDifferenceForTheCachedVersion) {
  const auto step = WantOpen();

  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->version, "7");
  EXPECT_EQ(step.plan->wanted, kOpenOutput);
}

TEST_F(WriteLedgerTest, PlansNothingForEventOlderThanOurWrite) {
  const auto step = WantOpen();
  ledger_.Wrote(kKey, *step.plan, "9");

  EXPECT_FALSE(ledger_.Want(*MakeCachedPod({.version = "8"}), kOpenOutput));
  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({.version = "8"}))));
}

// During a rolling update another agent may be faster.
TEST_F(WriteLedgerTest, LeavesAVersionForWhichNoOutputIsKnown) {
  const CachedPod opened{.version = "12", .annotations = kOpenPod.annotations};
  const auto step = WantPending();
  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod(opened)))) << "it would close the gates";
  ledger_.Wrote(kKey, *step.plan, "9");
  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod(opened)))) << "nobody undid our write";

  EXPECT_TRUE(IsNothing(WantOpen(opened)));
}

TEST_F(WriteLedgerTest, PlansLatestOutputAfterAWrite) {
  const auto step = WantOpen();
  ledger_.Wrote(kKey, *step.plan, "9");
  const PodOutput other{.ready = kOpenOutput.ready, .status = R"({"v":1})"};

  EXPECT_TRUE(ledger_.Want(*MakeCachedPod({.version = "8"}), other));
  const auto next = ledger_.Next(kKey, MakeCachedPod({.version = "8"}));

  ASSERT_TRUE(next.plan);
  EXPECT_EQ(next.plan->version, "9") << "the version that our own patch made";
  EXPECT_EQ(next.plan->held, kOpenOutput);
}

TEST_F(WriteLedgerTest, PlansNothingWhenOutputIsTakenBackDuringAWait) {
  const auto step = WantOpen();
  ledger_.Failed(kKey, *step.plan, Status(500));

  ledger_.Want(*MakeCachedPod({}), {});
  clock_.Step(1min);

  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({}))));
}

TEST_F(WriteLedgerTest, ForgetsPodThatIsGoneReplacedOrBeingDeleted) {
  const auto gone = [&](const PodPtr& pod) {
    ledger_.Want(*MakeCachedPod({}), kOpenOutput);
    const bool nothing = IsNothing(ledger_.Next(kKey, pod));
    return nothing && IsNothing(ledger_.Next(kKey, MakeCachedPod({})));
  };

  EXPECT_TRUE(gone(nullptr));
  EXPECT_TRUE(gone(MakeCachedPod({.uid = "another-uid"})));
  EXPECT_TRUE(gone(MakeCachedPod({.metadata = R"(,"deletionTimestamp":"2026-01-02T00:00:00Z")"})));
}

TEST_F(WriteLedgerTest, StartsAfreshForSuccessorOfTheSameName) {
  const auto step = WantOpen();
  ledger_.Wrote(kKey, *step.plan, "9");
  const CachedPod successor{.version = "12", .uid = "ffffffff-0000"};

  ledger_.Want(*MakeCachedPod(successor), {.status = "{}"});
  const auto next = ledger_.Next(kKey, MakeCachedPod(successor));

  ASSERT_TRUE(next.plan);
  EXPECT_EQ(next.plan->wanted.ready, std::nullopt);
  EXPECT_EQ(next.plan->held.ready, std::nullopt);
}

TEST_F(WriteLedgerTest, DropsWriteWhenPodIsGoneOrReplaced) {
  for (const Error& error :
       {Status(404), Status(422, "metadata.uid: Invalid value: field is immutable")}) {
    const auto step = WantOpen();

    EXPECT_TRUE(ledger_.Failed(kKey, *step.plan, error).dropped);
    EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({}))));
  }
}

TEST_F(WriteLedgerTest, WaitsForTheCacheAfterConflict) {
  const auto step = WantOpen();
  const auto failure = ledger_.Failed(kKey, *step.plan, Status(409));

  EXPECT_EQ(failure.wait, 200ms);
  EXPECT_FALSE(failure.log);
  EXPECT_EQ(ledger_.Next(kKey, MakeCachedPod({})).wait, 200ms);
  EXPECT_TRUE(ledger_.Want(*MakeCachedPod({.version = "8"}), kOpenOutput))
      << "the cache has moved on";
  EXPECT_EQ(ledger_.Next(kKey, MakeCachedPod({.version = "8"})).plan->version, "8");
}

TEST_F(WriteLedgerTest, LogsDenialOnceAndRetriesMoreAndMoreSlowly) {
  auto step = WantOpen();
  const auto first = ledger_.Failed(kKey, *step.plan, Status(422, "denied request"));
  EXPECT_TRUE(first.log);
  EXPECT_EQ(first.wait, 1s);

  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(ledger_.Want(*MakeCachedPod({.version = "8"}), kOpenOutput)) << "it has to wait";
    clock_.Step(5min);
    step = ledger_.Next(kKey, MakeCachedPod({}));
    ASSERT_TRUE(step.plan);
    const auto again = ledger_.Failed(kKey, *step.plan, Status(422, "denied request"));
    EXPECT_FALSE(again.log);
    EXPECT_LE(again.wait, 5min);
  }
}

TEST_F(WriteLedgerTest, WritesOnlyTheReadyKeyWhenThereIsNoRoom) {
  auto step = WantOpen();
  const Error too_long = Status(422, "metadata.annotations: Too long: may not be more than 262144");

  const auto first = ledger_.Failed(kKey, *step.plan, too_long);
  step = ledger_.Next(kKey, MakeCachedPod({}));

  EXPECT_EQ(first.wait, 0s);
  ASSERT_TRUE(step.plan);
  EXPECT_EQ(step.plan->wanted.ready, kOpenOutput.ready);
  EXPECT_EQ(step.plan->wanted.status, std::nullopt) << "as the pod has it";
  EXPECT_GE(ledger_.Failed(kKey, *step.plan, too_long).wait, 1s);
}

TEST_F(WriteLedgerTest, WritesNothingToPendingPodWithoutRoom) {
  ledger_.Want(*MakeCachedPod({}), {.status = "{}"});
  const auto step = ledger_.Next(kKey, MakeCachedPod({}));
  ledger_.Failed(kKey, *step.plan, Status(422, "metadata.annotations: Too long"));

  EXPECT_TRUE(IsNothing(ledger_.Next(kKey, MakeCachedPod({}))));
}

// Another client removes the key ten times a second.
TEST_F(WriteLedgerTest, BacksOffWhenAnotherClientKeepsChangingKeys) {
  int writes = 0;
  int version = 10;
  for (int tenth = 0; tenth < 10 * 60 * 10; ++tenth) {
    const CachedPod without{.version = std::to_string(++version)};
    ledger_.Want(*MakeCachedPod(without), kOpenOutput);
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

TEST_F(WriteLedgerTest, WritesConditionInItsOwnPatch) {
  WriteLedger ledger({.annotation = true, .condition = true}, clock_, [] { return 0.0; });
  PodOutput wanted = kOpenOutput;
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

TEST(PodOutputTest, PatchesContainTheIdentityAndTheDifferences) {
  const PatchTarget target{.uid = "u", .resource_version = "7"};

  EXPECT_EQ(MetadataPatch(target, {.ready = "False", .status = "{}"}, {.status = "{}"}),
            R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":)"
            R"({"readiness.capstan.dev/ready":null}}})");
  EXPECT_EQ(MetadataPatch(target, {}, kOpenOutput),
            R"({"metadata":{"uid":"u","resourceVersion":"7","annotations":)"
            R"({"readiness.capstan.dev/ready":"v1.0f1e2d3c.1",)"
            R"("readiness.capstan.dev/status":"{}"}}})");
  EXPECT_EQ(ConditionPatch(target, {.condition = "True"}, {}),
            R"({"metadata":{"uid":"u","resourceVersion":"7"},"status":{"conditions":[)"
            R"({"type":"readiness.capstan.dev/CertGates","status":"True","reason":"GatesOpen",)"
            R"("lastTransitionTime":"1970-01-01T00:00:00Z"}]}})");
}

TEST(PodOutputTest, VersionsThatAreNotNumbersAreNeverOlder) {
  EXPECT_TRUE(IsOlderVersion("9", "10"));
  EXPECT_FALSE(IsOlderVersion("10", "9"));
  EXPECT_FALSE(IsOlderVersion("9", "9"));
  EXPECT_FALSE(IsOlderVersion("a", "10"));
  EXPECT_FALSE(IsOlderVersion("9", ""));
}

}  // namespace
}  // namespace capstan::readinessgate

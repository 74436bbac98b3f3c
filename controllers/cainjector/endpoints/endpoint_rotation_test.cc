// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/testing/verifier_fixture.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(EndpointVerifierTest, DoesNotCountATimeWithoutVerifications) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  IsUnknown(kOrders);  // the right is removed for longer than retire_after
  for (int i = 0; i < 4; ++i) NextPeriod();
  Serves(kOrders, ca_);
  NextPeriod();
  EXPECT_EQ(reconciled, 0);
}

TEST_F(EndpointVerifierTest, AsksAllReplicasDuringARotation) {
  VerifyForTheFirstTime("t");
  EXPECT_EQ(replicas_max_, kServiceAddressesMax);
  Rotate();
  ASSERT_TRUE(AwaitAsks(2));
  EXPECT_GT(replicas_max_, 1000U);
}

TEST_F(EndpointVerifierTest, ReportsEachStepOfARotation) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string& resource, const std::string& key) {
    if (resource == "validatingwebhookconfigurations" && key == "t") ++reconciled;
  });
  Serves(kOrders, former_ca_);
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  NextPeriod();
  EXPECT_THAT(Reasons(), ElementsAre("CAPublished", "CAStillNeeded"));
  EXPECT_EQ(events_.events().front().message,
            "The CA of the source is published beside 1 former CA");
  const CertificateTime expires = ParseBundle(former_ca_.cert_pem)->front().not_after;
  EXPECT_EQ(events_.events().back().message,
            "A former CA is still needed, which expires at " + ExpiryText(expires) +
                ": with the CA of the source alone, the server orders.shop.svc:443 of the webhook "
                "\"w\", at 10.0.0.7:9443, is not verified: the server's certificate is not issued "
                "by a CA of the bundle");
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("capstan_endpoint_needed_ca_expiration_timestamp_seconds{kind="
                        "\"ValidatingWebhookConfiguration\",name=\"t\"} " +
                        std::to_string(expires.time_since_epoch().count())));
  Serves(kOrders, ca_);
  NextPeriod();
  EXPECT_EQ(Reasons().back(), "CAVerified");
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("needed_ca_expiration_timestamp_seconds{")));
  EXPECT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t")), IsEmpty());

  for (int i = 0; i < 3; ++i) NextPeriod();
  EXPECT_EQ(reconciled, 1);
  EXPECT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t")), SizeIs(1));
  verifier_.ObserveCas(target_.type(), *TargetNamed("t"), *ParseBundle(ca_.cert_pem), {});

  EXPECT_EQ(Reasons().back(), "CARetired");
}

TEST_F(EndpointVerifierTest, ReportsWhenTheFormerCaExpiresThatTheServerNeeds) {
  const auto other =
      *testing::MakeCa({.common_name = "other", .not_after = std::chrono::hours(1000)});
  const Certificates former = *ParseBundle(other.cert_pem + former_ca_.cert_pem);
  verifier_.ObserveCas(target_.type(), *TargetNamed("t"), *ParseBundle(ca_.cert_pem), former);
  Holds(1, {&ca_, &other, &former_ca_});
  Serves(kOrders, other);
  VerifyForTheFirstTime("t");
  AwaitIdle();
  const auto gauge = [](CertificateTime expires) {
    return HasSubstr("name=\"t\"} " + std::to_string(expires.time_since_epoch().count()));
  };
  EXPECT_THAT(metrics_.Serialize(), gauge(former.front().not_after));
  Serves(kOrders, former_ca_);
  NextPeriod();
  EXPECT_THAT(metrics_.Serialize(), gauge(former.back().not_after));

  // It has expired and left.
  verifier_.ObserveCas(target_.type(), *TargetNamed("t"), *ParseBundle(ca_.cert_pem), {});
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("needed_ca_expiration_timestamp_seconds{")));
}

TEST_F(EndpointVerifierTest, ReportsNoNeedOfAFormerCaForAServerThatIsGone) {
  Refuses(kOrders);
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  NextPeriod();
  NextPeriod();
  EXPECT_THAT(Reasons(), ElementsAre("CAPublished", "EndpointRefused"));
}

TEST_F(EndpointVerifierTest, DoesNotCountTheTimeInWhichAnotherProcessLeads) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  NextPeriod();
  Stop();
  clock_.Step(minutes(60));
  thread_ = Started();
  ObserveBothCas();
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(3));
  NextPeriod();
  EXPECT_EQ(reconciled, 0);

  for (int i = 0; i < 3; ++i) NextPeriod();
  EXPECT_GT(reconciled, 0);
  Stop();
  EXPECT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t")), IsEmpty());
}

TEST_F(EndpointVerifierTest, DoesNotCountATimeWithoutOneOfTheServers) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  HasServers("t", {kOrders});
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  for (int i = 0; i < 2; ++i) NextPeriod();
  HasServers("t", {kPrices});
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(5));
  NextPeriod(2);
  EXPECT_EQ(reconciled, 0);

  for (int i = 0; i < 2; ++i) NextPeriod(2);
  EXPECT_GT(reconciled, 0);
}

TEST_F(EndpointVerifierTest, RetiresNothingFromATargetThatHasChangedSinceItWasRead) {
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  for (int i = 0; i < 4; ++i) NextPeriod();
  ASSERT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t")), SizeIs(1));

  // It may name another server now.
  EXPECT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t", "2")), IsEmpty());
  verifier_.Observe(target_.type(), *TargetNamed("t", "2"), false);
  EXPECT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t")), IsEmpty());
  Holds(2, {&ca_, &former_ca_});
  Step(kVerifyAfterWrite);
  EXPECT_TRUE(testing::Eventually(
      [&] { return verifier_.Retired(target_.type(), *TargetNamed("t", "2")).size() == 1; }));
}

TEST_F(EndpointVerifierTest, DoesNotCountATimeThatTheClockWasSetForward) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  Rotate();
  ASSERT_TRUE(AwaitAsks(1));
  clock_.StepWall(minutes(60));
  NextPeriod();
  EXPECT_EQ(reconciled, 0);
}

// Behind a host name there may be more servers, one of which needs the former CA.
TEST_F(EndpointVerifierTest, RetiresNothingForAServerWhoseReplicasCannotBeListed) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  HasServers("t", {kOrders, kUrl});
  Rotate();
  ASSERT_TRUE(AwaitAsks(2));
  for (int i = 0; i < 6; ++i) NextPeriod(2);
  EXPECT_EQ(reconciled, 0);
  EXPECT_THAT(verifier_.Retired(target_.type(), *TargetNamed("t")), IsEmpty());
  EXPECT_THAT(Reasons(), ElementsAre("CAPublished", "CAVerified"));
  EXPECT_EQ(events_.events().back().message,
            "Every known server is trusted with the CA of the source alone. The former CA stays "
            "until it expires, because a host name may stand for more servers");
}

TEST_F(EndpointVerifierTest, RetiresNothingWhileOneOfTwoServersNeedsIt) {
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  HasServers("t", {kOrders, kPrices});
  Serves(kPrices, former_ca_);
  Rotate();
  ASSERT_TRUE(AwaitAsks(2));
  for (int i = 0; i < 6; ++i) NextPeriod(2);
  EXPECT_EQ(reconciled, 0);
  EXPECT_THAT(Reasons(), ElementsAre("CAPublished", "CAStillNeeded", "CAStillNeeded"));
}

}  // namespace
}  // namespace capstan::cainjector

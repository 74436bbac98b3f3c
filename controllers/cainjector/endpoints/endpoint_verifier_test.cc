// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/testing/verifier_fixture.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(EndpointVerifierTest, VerifiesATargetSoonAfterAWriteAndThenInEachPeriod) {
  Observe("t", true);
  Step(kVerifyAfterWrite - seconds(1));
  EXPECT_EQ(Asks(), 0U);
  Step(seconds(1));
  ASSERT_TRUE(AwaitAsks(1));

  Step(minutes(9) - seconds(1));
  EXPECT_EQ(Asks(), 1U);
  Step(minutes(2) + seconds(1));
  ASSERT_TRUE(AwaitAsks(2));

  EXPECT_THAT(reads_, ElementsAre("validatingwebhookconfigurations"));
}

TEST_F(EndpointVerifierTest, SpreadsTheServersOfAStartOverAMinute) {
  for (int i = 0; i < 20; ++i) {
    const ServerReference server{.host = std::to_string(i) + ".example.com"};
    Serves(server, ca_);
    HasServers("t" + std::to_string(i), {server});
    Observe("t" + std::to_string(i), false);
  }
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return Reads() == 1; }));
  AwaitIdle();
  EXPECT_LT(Asks(), 20U);
  Step(minutes(1));
  EXPECT_TRUE(AwaitAsks(20));
}

TEST_F(EndpointVerifierTest, AsksSoonAgainWhenLookupOfServerDidNotGetItsTurn) {
  const auto waits = Err(ErrorReason::kTooManyRequests, "waits");
  Answers(kOrders, {.answers = {{"orders.example.com:443", waits}}});
  VerifyForTheFirstTime("t");
  AwaitIdle();
  EXPECT_THAT(verifier_.All(), IsEmpty()) << "nothing is known about the server";

  Serves(kOrders, ca_);
  Step(minutes(1));
  ASSERT_TRUE(testing::Eventually([&] { return !verifier_.All().empty(); }));

  EXPECT_THAT(Reasons(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("capstan_endpoint_verifications_total{outcome=\"Verified\"} 1"));
}

TEST_F(EndpointVerifierTest, ReadsAllTargetsAtOnceAndAsksTheirServerOnce) {
  for (int i = 0; i < 20; ++i) Observe("t" + std::to_string(i), false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return Reads() == 1; }));
  Step(minutes(1));
  ASSERT_TRUE(testing::Eventually([&] { return verifier_.All().size() == 20; }));
  NextPeriod();

  EXPECT_EQ(Reads(), 1U);
  EXPECT_EQ(Asks(), 2U);
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("capstan_endpoint_verifications_total{outcome=\"Verified\"} 40"));
}

TEST_F(EndpointVerifierTest, ReadsATargetAgainOnlyWhenItHasChanged) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return !verifier_.All().empty(); }));
  Observe("t", false);
  NextPeriod();
  EXPECT_EQ(Reads(), 1U);

  // Somebody else changed its bundle.
  Holds(2, {&former_ca_});
  verifier_.Observe(target_.type(), *TargetNamed("t", "2"), false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return !events_.events().empty(); }));
  EXPECT_EQ(Reasons().front(), "EndpointUnknownAuthority");
}

TEST_F(EndpointVerifierTest, ReportsNothingAboutABundleThatWasReplacedMeanwhile) {
  Holds(1, {&former_ca_});
  Serves(kOrders, former_ca_);
  VerifyForTheFirstTime("t");
  AwaitIdle();
  // While the server is asked, it gets the new certificate and the target the new bundle.
  on_ask_ = [&] {
    Serves(kOrders, ca_);
    Holds(2, {&ca_});
    Observe("t", true);
  };
  NextPeriod();
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(3));
  AwaitIdle();

  EXPECT_THAT(events_.events(), IsEmpty());
}

TEST_F(EndpointVerifierTest, ReportsAnOutcomeOnceAndItsEnd) {
  Serves(kOrders, former_ca_);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return events_.events().size() == 1; }));
  EXPECT_EQ(
      events_.Take().front().String(),
      "Warning EndpointUnknownAuthority The server orders.shop.svc:443 of the webhook \"w\", "
      "at 10.0.0.7:9443, is not verified: the server's certificate is not issued by a CA of the "
      "bundle");
  NextPeriod();

  Serves(kOrders, ca_);
  Step(minutes(11));
  ASSERT_TRUE(testing::Eventually([&] { return events_.events().size() == 1; }));

  EXPECT_EQ(events_.Take().front().String(),
            "Normal EndpointVerified The server orders.shop.svc:443 of the webhook \"w\", at "
            "10.0.0.7:9443, is trusted with the injected CA bundle");
}

TEST_F(EndpointVerifierTest, WritesNoEventForAServerThatIsGoodFromTheBeginning) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return !verifier_.All().empty(); }));

  EXPECT_THAT(events_.events(), IsEmpty());
  const auto expires = std::to_string(expires_.time_since_epoch().count());
  Serves(kOrders, ca_);
  EXPECT_THAT(metrics_.Serialize(),
              AllOf(HasSubstr("capstan_endpoint_verified{kind=\"ValidatingWebhookConfiguration\","
                              "name=\"t\"} 1"),
                    HasSubstr("capstan_endpoint_certificate_expiration_timestamp_seconds{kind="
                              "\"ValidatingWebhookConfiguration\",name=\"t\"} " +
                              expires),
                    HasSubstr("capstan_endpoint_verifications_total{outcome=\"Verified\"} 1")));
}

TEST_F(EndpointVerifierTest, KeepsTheLastOutcomeWithoutTheRightToReadServices) {
  VerifyForTheFirstTime("t");
  IsUnknown(kOrders);
  NextPeriod();

  EXPECT_THAT(events_.events(), IsEmpty());
  EXPECT_EQ(verifier_.All().front().result.verdict.outcome, EndpointOutcome::kUnknown);
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("capstan_endpoint_verified{kind=\"ValidatingWebhookConfiguration\","
                        "name=\"t\"} 1"));
}

TEST_F(EndpointVerifierTest, ReadsTargetsAgainWhenTheyCouldNotBeRead) {
  unreadable_ = true;
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return Reads() == 1; }));
  AwaitIdle();
  EXPECT_EQ(Asks(), 0U);
  {
    const MutexLock lock(mu_);
    unreadable_ = false;
  }
  Step(minutes(11));
  EXPECT_TRUE(AwaitAsks(1));
}

TEST_F(EndpointVerifierTest, ReportsABadServerAgainBeforeItsEventExpires) {
  Refuses(kOrders);
  VerifyForTheFirstTime("t");
  for (int i = 0; i < 4; ++i) NextPeriod();
  EXPECT_EQ(events_.events().size(), 1U);
  NextPeriod();
  EXPECT_EQ(events_.events().size(), 2U);
}

TEST_F(EndpointVerifierTest, ForgetsATarget) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return !verifier_.All().empty(); }));

  verifier_.Forget(target_.type(), "t");

  EXPECT_THAT(verifier_.All(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_endpoint_verified{kind")));
  for (int i = 0; i < 5; ++i) Step(minutes(12));
  AwaitIdle();
  EXPECT_EQ(Asks(), 1U);
}

TEST_F(EndpointVerifierTest, ForgetsAServerThatATargetNoLongerNames) {
  HasServers("t", {kOrders});
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return !verifier_.All().empty(); }));
  servers_.clear();
  HasServers("t", {kPrices});
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(2));
  NextPeriod();

  EXPECT_EQ(Asks(), 3U);
  EXPECT_EQ(asked_.back(), kPrices.ServerName());
}

TEST_F(EndpointVerifierTest, ReportsABadServerBesideAnUnknownOne) {
  HasServers("t", {kOrders, kPrices});
  IsUnknown(kOrders);
  Serves(kPrices, former_ca_);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  EXPECT_TRUE(testing::Eventually([&] { return !events_.events().empty(); }));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("name=\"t\"} 0"));
}

TEST_F(EndpointVerifierTest, BeginsAgainWhenItLeadsAgain) {
  Observe("t", true);
  Observe("gone", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return verifier_.All().size() == 2; }));
  Stop();
  EXPECT_THAT(verifier_.All(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_endpoint_verified{kind")));

  thread_ = Started();  // and "gone" was deleted meanwhile
  Observe("t", false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return Reads() == 2; }));
  Step(minutes(1));
  ASSERT_TRUE(testing::Eventually([&] { return !verifier_.All().empty(); }));
  EXPECT_THAT(verifier_.All(), SizeIs(1));
}

TEST_F(EndpointVerifierTest, AsksAServerAgainThatWasAskedAtAStop) {
  on_ask_ = [&] { thread_.request_stop(); };
  VerifyForTheFirstTime("t");
  Stop();

  thread_ = Started();
  Observe("t", false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(testing::Eventually([&] { return Reads() == 2; }));
  Step(minutes(1));
  EXPECT_TRUE(AwaitAsks(2));
}

TEST_F(EndpointVerifierTest, ReportsNothingAboutABundleWhileItIsReadAgain) {
  Holds(1, {&former_ca_});
  Serves(kOrders, former_ca_);
  VerifyForTheFirstTime("t");
  AwaitIdle();
  Serves(kOrders, ca_);
  Holds(2, {&ca_});
  Observe("t", true);
  on_read_ = [&] {  // the response takes so long that the server is asked meanwhile
    clock_.Step(minutes(11));
    EXPECT_TRUE(AwaitAsks(2));
    EXPECT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers - 1));
  };
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(3));
  AwaitIdle();

  EXPECT_THAT(events_.events(), IsEmpty());
}

}  // namespace
}  // namespace capstan::cainjector

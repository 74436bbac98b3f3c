// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "capstan/metrics/metrics.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_recorder.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::controllers::cainjector {
namespace {

using capstan::testing::Eventually;
using clientgo::util::Expected;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EndpointVerifierTest : public ::testing::Test {
 protected:
  EndpointVerifierTest()
      : verifier_({.events = events_, .metrics = metrics_, .clock = clock_},
                  {.period = minutes(10), .retire_after = minutes(30)},
                  [this](std::stop_token stop, const std::string& resource, const std::string& name,
                         const std::string* trial) { return Check(stop, resource, name, trial); }),
        thread_([this](std::stop_token stop) { (void)verifier_.Start(std::move(stop)); }) {}

  Expected<std::vector<EndpointResult>> Check(const std::stop_token& /*stop*/,
                                              const std::string& resource, const std::string& name,
                                              const std::string* trial) {
    const clientgo::util::MutexLock lock(mu_);
    if (trial != nullptr) {
      tried_.push_back(*trial);
    } else {
      checked_.push_back(resource + "/" + name);
    }
    const EndpointOutcome outcome = trial == nullptr ? outcome_ : trial_outcome_;
    if (mixed_) {
      return std::vector<EndpointResult>{
          {.place = "webhook \"a\"",
           .server = "a.shop.svc:443",
           .address = "",
           .verdict = {.outcome = EndpointOutcome::kUnknown, .message = "forbidden"}},
          {.place = "webhook \"b\"",
           .server = "b.example.com:443",
           .address = "10.0.0.7:443",
           .verdict = {.outcome = EndpointOutcome::kExpired, .message = "expired"}}};
    }
    return std::vector<EndpointResult>{
        {.place = "webhook \"w\"",
         .server = "orders.shop.svc:443",
         .address = "10.0.0.7:9443",
         .verdict = {.outcome = outcome, .message = "because", .expires = expires_}}};
  }
  void Becomes(EndpointOutcome outcome) {
    const clientgo::util::MutexLock lock(mu_);
    outcome_ = outcome;
  }
  std::size_t Checks() const {
    const clientgo::util::MutexLock lock(mu_);
    return checked_.size();
  }
  void Observe(const std::string& name, bool written) {
    verifier_.Observe(target_.type(),
                      *Decode(target_.type(), WebhookJson(target_, name, "ns/ca", {"x"})), written);
  }
  // Lets the time pass when all workers wait.
  void Step(clientgo::util::Clock::Duration duration) {
    ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers));
    clock_.Step(duration);
  }
  bool AwaitChecks(std::size_t count) const {
    return Eventually([&] { return Checks() >= count; });
  }

  capstan::testing::FakeClock clock_;
  capstan::testing::FakeRecorder events_;
  metrics::Metrics metrics_{{}};
  const Target& target_ = ValidatingWebhookTarget();
  mutable clientgo::util::Mutex mu_;
  EndpointOutcome outcome_ = EndpointOutcome::kVerified;
  std::optional<CertificateTime> expires_ = CertificateTime(seconds(1'800'000'000));
  EndpointOutcome trial_outcome_ = EndpointOutcome::kVerified;
  std::atomic<bool> mixed_{false};
  std::vector<std::string> checked_;
  std::vector<std::string> tried_;  // bundles
  EndpointVerifier verifier_;
  std::jthread thread_;
};

TEST_F(EndpointVerifierTest, VerifiesATargetSoonAfterAWriteAndThenInEachPeriod) {
  Observe("t", true);
  Step(kVerifyAfterWrite - seconds(1));
  EXPECT_EQ(Checks(), 0U);
  Step(seconds(1));
  ASSERT_TRUE(AwaitChecks(1));

  Step(minutes(9) - seconds(1));
  EXPECT_EQ(Checks(), 1U);
  Step(minutes(2) + seconds(1));
  ASSERT_TRUE(AwaitChecks(2));

  EXPECT_EQ(checked_.front(), "validatingwebhookconfigurations/t");
}

TEST_F(EndpointVerifierTest, SpreadsTheTargetsOfAStartOverAMinute) {
  for (int i = 0; i < 20; ++i) Observe("t" + std::to_string(i), false);
  Step(minutes(1));
  EXPECT_TRUE(AwaitChecks(20));
}

TEST_F(EndpointVerifierTest, ReportsAnOutcomeOnceAndItsEnd) {
  Becomes(EndpointOutcome::kUnknownAuthority);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return events_.events().size() == 1; }));
  EXPECT_EQ(events_.Take().front().String(),
            "Warning EndpointUnknownAuthority The server orders.shop.svc:443 of the webhook \"w\", "
            "at 10.0.0.7:9443, is not verified: because");
  Step(minutes(11));
  ASSERT_TRUE(AwaitChecks(2));

  Becomes(EndpointOutcome::kVerified);
  Step(minutes(11));
  ASSERT_TRUE(Eventually([&] { return events_.events().size() == 1; }));

  EXPECT_EQ(events_.Take().front().String(),
            "Normal EndpointVerified The server orders.shop.svc:443 of the webhook \"w\", at "
            "10.0.0.7:9443, is trusted with the injected CA bundle");
}

TEST_F(EndpointVerifierTest, WritesNoEventForAServerThatIsGoodFromTheBeginning) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));

  EXPECT_THAT(events_.events(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(),
              AllOf(HasSubstr("capstan_endpoint_verified{kind=\"ValidatingWebhookConfiguration\","
                              "name=\"t\"} 1"),
                    HasSubstr("capstan_endpoint_certificate_expiration_timestamp_seconds{kind="
                              "\"ValidatingWebhookConfiguration\",name=\"t\"} 1800000000"),
                    HasSubstr("capstan_endpoint_verifications_total{outcome=\"Verified\"} 1")));
}

TEST_F(EndpointVerifierTest, KeepsTheLastOutcomeWithoutTheRightToReadServices) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitChecks(1));
  Becomes(EndpointOutcome::kUnknown);
  Step(minutes(11));
  ASSERT_TRUE(AwaitChecks(2));
  Step(minutes(11));  // then the second result was recorded
  ASSERT_TRUE(AwaitChecks(3));

  EXPECT_THAT(events_.events(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("capstan_endpoint_verified{kind=\"ValidatingWebhookConfiguration\","
                        "name=\"t\"} 1"));
}

TEST_F(EndpointVerifierTest, ReportsABadServerAgainBeforeItsEventExpires) {
  Becomes(EndpointOutcome::kRefused);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  for (std::size_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(AwaitChecks(i));
    Step(minutes(11));
  }
  EXPECT_TRUE(Eventually([&] { return events_.events().size() == 2; }));
}

TEST_F(EndpointVerifierTest, ForgetsATarget) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));

  verifier_.Forget(target_.type(), "t");

  EXPECT_THAT(verifier_.All(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_endpoint_verified{kind")));
}

TEST_F(EndpointVerifierTest, DoesNotVerifyAForgottenTarget) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));
  verifier_.Forget(target_.type(), "t");
  for (int i = 0; i < 5; ++i) {
    Step(minutes(12));
    ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers));
  }
  EXPECT_EQ(Checks(), 1U);
}

TEST_F(EndpointVerifierTest, ReportsABadServerBesideAnUnknownOne) {
  mixed_ = true;
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitChecks(1));
  EXPECT_TRUE(Eventually([&] { return !events_.events().empty(); }));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("name=\"t\"} 0"));
}

TEST_F(EndpointVerifierTest, DoesNotCountATimeWithoutVerifications) {
  const Certificates former = *ParseBundle(NewCaPem());
  const Certificates ca = *ParseBundle(NewCaPem());
  const auto target = Decode(target_.type(), WebhookJson(target_, "t", "ns/ca", {"x"}));
  std::atomic<int> reconciled{0};
  verifier_.set_reconcile([&](const std::string&, const std::string&) { ++reconciled; });
  const auto set = [&](EndpointOutcome outcome) {
    const clientgo::util::MutexLock lock(mu_);
    outcome_ = trial_outcome_ = outcome;
  };
  verifier_.ObserveCas(target_.type(), *target, ca, former);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitChecks(1));
  ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers));
  set(EndpointOutcome::kUnknown);  // the right is removed for longer than retire_after
  for (std::size_t checks = 2; checks <= 5; ++checks) {
    Step(minutes(12));
    ASSERT_TRUE(AwaitChecks(checks));
    ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers));
  }
  set(EndpointOutcome::kVerified);
  Step(minutes(12));
  ASSERT_TRUE(AwaitChecks(6));
  ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers));
  EXPECT_EQ(reconciled, 0);
}

TEST_F(EndpointVerifierTest, ReportsEachStepOfARotation) {
  const Certificates former = *ParseBundle(NewCaPem());
  const Certificates ca = *ParseBundle(NewCaPem());
  const auto target = Decode(target_.type(), WebhookJson(target_, "t", "ns/ca", {"x"}));
  std::vector<std::string> reconciled;
  verifier_.set_reconcile([&](const std::string& resource, const std::string& key) {
    const clientgo::util::MutexLock lock(mu_);
    reconciled.push_back(resource + "/" + key);
  });
  const auto reasons = [&] {
    std::vector<std::string> all;
    for (const auto& event : events_.events()) all.push_back(event.reason);
    return all;
  };
  {
    const clientgo::util::MutexLock lock(mu_);
    trial_outcome_ = EndpointOutcome::kUnknownAuthority;
  }
  verifier_.ObserveCas(target_.type(), *target, former, {});
  verifier_.ObserveCas(target_.type(), *target, ca, former);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitChecks(1));
  Step(minutes(11));
  ASSERT_TRUE(Eventually([&] { return reasons().size() == 2; }));
  EXPECT_THAT(reasons(), ElementsAre("CAPublished", "CAStillNeeded"));
  EXPECT_EQ(events_.events().back().message,
            "A former CA is still needed: with the CA of the source alone, the server "
            "orders.shop.svc:443 of the webhook \"w\", at 10.0.0.7:9443, is not verified: because");
  {
    const clientgo::util::MutexLock lock(mu_);
    EXPECT_EQ(tried_.back(), EncodeBundle(ca));
    trial_outcome_ = EndpointOutcome::kVerified;
  }
  Step(minutes(11));
  ASSERT_TRUE(Eventually([&] { return reasons().size() == 3; }));
  EXPECT_EQ(reasons().back(), "CAVerified");
  EXPECT_THAT(verifier_.Retired(target_.type(), "t"), IsEmpty());

  for (std::size_t i = 4; i <= 6; ++i) {
    Step(minutes(11));
    ASSERT_TRUE(AwaitChecks(i));
  }
  ASSERT_TRUE(Eventually([&] {
    const clientgo::util::MutexLock lock(mu_);
    return !reconciled.empty();
  }));
  EXPECT_THAT(verifier_.Retired(target_.type(), "t"), SizeIs(1));
  verifier_.ObserveCas(target_.type(), *target, ca, {});

  EXPECT_EQ(reasons().back(), "CARetired");
}

}  // namespace
}  // namespace capstan::controllers::cainjector

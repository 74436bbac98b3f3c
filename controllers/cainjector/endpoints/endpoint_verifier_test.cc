// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/endpoint_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <thread>

#include "capstan/metrics/metrics.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_recorder.h"
#include "controllers/cainjector/endpoints/service_addresses.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::controllers::cainjector {
namespace {

using capstan::testing::Eventually;
using capstan::testing::KeyPair;
using clientgo::util::Expected;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const ServerReference kOrders{.service = {.namespace_ = "shop", .name = "orders"}};
const ServerReference kPrices{.host = "prices.example.com"};

class EndpointVerifierTest : public ::testing::Test {
 protected:
  EndpointVerifierTest()
      : verifier_({.events = events_, .metrics = metrics_, .clock = clock_},
                  {.period = minutes(10), .retire_after = minutes(30)},
                  {.read = std::bind_front(&EndpointVerifierTest::Read, this),
                   .ask = std::bind_front(&EndpointVerifierTest::Ask, this)}),
        thread_(Started()) {
    clock_.StepWall(std::chrono::system_clock::now() - clock_.WallNow());
    Serves(kOrders, ca_);
    Serves(kPrices, ca_);
  }

  std::jthread Started() {
    return std::jthread([this](std::stop_token stop) { (void)verifier_.Start(std::move(stop)); });
  }
  // This process no longer leads.
  void Stop() {
    thread_.request_stop();
    thread_.join();
  }
  Expected<std::vector<TargetServersPtr>> Read(const std::stop_token& /*stop*/,
                                               const std::string& resource,
                                               const std::vector<std::string>& names) {
    if (const auto meanwhile = std::exchange(on_read_, nullptr)) meanwhile();
    const clientgo::util::MutexLock lock(mu_);
    reads_.push_back(resource);
    if (unreadable_) return clientgo::util::Err(clientgo::util::ErrorReason::kForbidden, "no");
    std::vector<TargetServersPtr> all;
    for (const std::string& name : names) {
      const std::string version = std::to_string(version_);
      std::vector<TargetServer> servers = servers_[name];
      if (servers.empty()) servers = {{.place = "webhook \"w\"", .reference = kOrders}};
      for (TargetServer& server : servers) server.ca_bundle = bundle_;
      all.push_back(clientgo::runtime::MakeObject<TargetServers>(
          {.namespace_ = "", .name = name, .uid = "", .resource_version = version},
          std::move(servers)));
    }
    return all;
  }
  ServerAnswers Ask(const std::stop_token& /*stop*/, const ServerReference& server,
                    std::size_t replicas_max) {
    if (const auto meanwhile = std::exchange(on_ask_, nullptr)) meanwhile();
    const clientgo::util::MutexLock lock(mu_);
    asked_.push_back(server.ServerName());
    replicas_max_ = replicas_max;
    return answers_[server.Key()];
  }
  // The server presents a certificate of `ca`.
  void Serves(const ServerReference& server, const KeyPair& ca) {
    const auto leaf = capstan::testing::MakeCertificate(
        ca, {.common_name = "x", .dns_names = {server.ServerName()}});
    const Certificate certificate = ParseBundle(leaf->cert_pem)->front();
    Answers(server, {.answers = {{"10.0.0.7:9443", std::vector<std::string>{certificate.der}}}});
    const clientgo::util::MutexLock lock(mu_);
    expires_ = certificate.not_after;
  }
  void Refuses(const ServerReference& server) {
    Answers(server, {.answers = {{"10.0.0.7:9443",
                                  clientgo::util::Err(
                                      clientgo::util::ErrorReason::kConnectionRefused, "no")}}});
  }
  // The Service cannot be read.
  void IsUnknown(const ServerReference& server) {
    Answers(server, {.no_address = ServerVerdict{.outcome = EndpointOutcome::kUnknown,
                                                 .message = "forbidden"}});
  }
  void Answers(const ServerReference& server, ServerAnswers answers) {
    const clientgo::util::MutexLock lock(mu_);
    answers_[server.Key()] = std::move(answers);
  }
  void HasServers(const std::string& target, const std::vector<ServerReference>& references) {
    const clientgo::util::MutexLock lock(mu_);
    for (const ServerReference& reference : references) {
      servers_[target].push_back(
          {.place = "webhook \"" + reference.ServerName() + "\"", .reference = reference});
    }
  }
  // The target's version in the API server, and its bundle.
  void Holds(int version, const std::vector<const KeyPair*>& cas) {
    const clientgo::util::MutexLock lock(mu_);
    version_ = version;
    std::string bundle;
    for (const KeyPair* ca : cas) bundle += ca->cert_pem;
    bundle_ = std::make_shared<const std::string>(bundle);
  }
  std::size_t Asks() const {
    const clientgo::util::MutexLock lock(mu_);
    return asked_.size();
  }
  std::size_t Reads() const {
    const clientgo::util::MutexLock lock(mu_);
    return reads_.size();
  }
  clientgo::runtime::ObjectPtr TargetNamed(const std::string& name,
                                           const std::string& version = "1") const {
    return Decode(target_.type(), WebhookJson(target_, name, "ns/ca", {"x"}, version));
  }
  void Observe(const std::string& name, bool written) {
    verifier_.Observe(target_.type(), *TargetNamed(name), written);
  }
  // Returns when all workers wait, so that everything is recorded.
  void AwaitIdle() { ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers)); }
  void Step(clientgo::util::Clock::Duration duration) {
    AwaitIdle();
    clock_.Step(duration);
  }
  bool AwaitAsks(std::size_t count) const {
    return Eventually([&] { return Asks() >= count; });
  }
  // Lets each server be asked once more.
  void NextPeriod(std::size_t servers = 1) {
    AwaitIdle();
    const std::size_t before = Asks();
    clock_.Step(minutes(11));
    ASSERT_TRUE(AwaitAsks(before + servers));
    AwaitIdle();
  }
  std::vector<std::string> Reasons() const {
    std::vector<std::string> all;
    for (const auto& event : events_.events()) all.push_back(event.reason);
    return all;
  }
  // The target holds both CAs, and its source ca_ alone.
  void ObserveBothCas(const std::string& name = "t") {
    verifier_.ObserveCas(target_.type(), *TargetNamed(name), *ParseBundle(ca_.cert_pem),
                         *ParseBundle(former_ca_.cert_pem));
  }
  // A rotation from former_ca_ to ca_ begins.
  void Rotate(const std::string& name = "t") {
    verifier_.ObserveCas(target_.type(), *TargetNamed(name), *ParseBundle(former_ca_.cert_pem), {});
    ObserveBothCas(name);
    Holds(1, {&ca_, &former_ca_});
    Observe(name, true);
    Step(kVerifyAfterWrite);
  }

  const KeyPair ca_ = *capstan::testing::MakeCa({.common_name = "ca"});
  const KeyPair former_ca_ = *capstan::testing::MakeCa({.common_name = "former"});
  capstan::testing::FakeClock clock_;
  capstan::testing::FakeRecorder events_;
  metrics::Metrics metrics_{{}};
  const Target& target_ = ValidatingWebhookTarget();
  mutable clientgo::util::Mutex mu_;
  std::map<std::string, std::vector<TargetServer>> servers_;  // by target
  int version_ = 1;
  std::shared_ptr<const std::string> bundle_ = std::make_shared<const std::string>(ca_.cert_pem);
  bool unreadable_ = false;
  std::map<std::string, ServerAnswers> answers_;  // by server
  CertificateTime expires_{};
  std::vector<std::string> reads_;
  std::vector<std::string> asked_;
  std::size_t replicas_max_ = 0;
  std::function<void()> on_ask_;
  std::function<void()> on_read_;
  EndpointVerifier verifier_;
  std::jthread thread_;
};

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
  ASSERT_TRUE(Eventually([&] { return Reads() == 1; }));
  AwaitIdle();
  EXPECT_LT(Asks(), 20U);
  Step(minutes(1));
  EXPECT_TRUE(AwaitAsks(20));
}

TEST_F(EndpointVerifierTest, ReadsAllTargetsAtOnceAndAsksTheirServerOnce) {
  for (int i = 0; i < 20; ++i) Observe("t" + std::to_string(i), false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return Reads() == 1; }));
  Step(minutes(1));
  ASSERT_TRUE(Eventually([&] { return verifier_.All().size() == 20; }));
  NextPeriod();

  EXPECT_EQ(Reads(), 1U);
  EXPECT_EQ(Asks(), 2U);
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("capstan_endpoint_verifications_total{outcome=\"Verified\"} 40"));
}

TEST_F(EndpointVerifierTest, ReadsATargetAgainOnlyWhenItHasChanged) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));
  Observe("t", false);
  NextPeriod();
  EXPECT_EQ(Reads(), 1U);

  // Somebody else changed its bundle.
  Holds(2, {&former_ca_});
  verifier_.Observe(target_.type(), *TargetNamed("t", "2"), false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return !events_.events().empty(); }));
  EXPECT_EQ(Reasons().front(), "EndpointUnknownAuthority");
}

TEST_F(EndpointVerifierTest, ReportsNothingAboutABundleThatWasReplacedMeanwhile) {
  Holds(1, {&former_ca_});
  Serves(kOrders, former_ca_);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
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
  ASSERT_TRUE(Eventually([&] { return events_.events().size() == 1; }));
  EXPECT_EQ(
      events_.Take().front().String(),
      "Warning EndpointUnknownAuthority The server orders.shop.svc:443 of the webhook \"w\", "
      "at 10.0.0.7:9443, is not verified: the server's certificate is not issued by a CA of the "
      "bundle");
  NextPeriod();

  Serves(kOrders, ca_);
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
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
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
  ASSERT_TRUE(Eventually([&] { return Reads() == 1; }));
  AwaitIdle();
  EXPECT_EQ(Asks(), 0U);
  {
    const clientgo::util::MutexLock lock(mu_);
    unreadable_ = false;
  }
  Step(minutes(11));
  EXPECT_TRUE(AwaitAsks(1));
}

TEST_F(EndpointVerifierTest, ReportsABadServerAgainBeforeItsEventExpires) {
  Refuses(kOrders);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
  for (int i = 0; i < 4; ++i) NextPeriod();
  EXPECT_EQ(events_.events().size(), 1U);
  NextPeriod();
  EXPECT_EQ(events_.events().size(), 2U);
}

TEST_F(EndpointVerifierTest, ForgetsATarget) {
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));

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
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));
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
  EXPECT_TRUE(Eventually([&] { return !events_.events().empty(); }));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("name=\"t\"} 0"));
}

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
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
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
      *capstan::testing::MakeCa({.common_name = "other", .not_after = std::chrono::hours(1000)});
  const Certificates former = *ParseBundle(other.cert_pem + former_ca_.cert_pem);
  verifier_.ObserveCas(target_.type(), *TargetNamed("t"), *ParseBundle(ca_.cert_pem), former);
  Holds(1, {&ca_, &other, &former_ca_});
  Serves(kOrders, other);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
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

TEST_F(EndpointVerifierTest, BeginsAgainWhenItLeadsAgain) {
  Observe("t", true);
  Observe("gone", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return verifier_.All().size() == 2; }));
  Stop();
  EXPECT_THAT(verifier_.All(), IsEmpty());
  EXPECT_THAT(metrics_.Serialize(), Not(HasSubstr("capstan_endpoint_verified{kind")));

  thread_ = Started();  // and "gone" was deleted meanwhile
  Observe("t", false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return Reads() == 2; }));
  Step(minutes(1));
  ASSERT_TRUE(Eventually([&] { return !verifier_.All().empty(); }));
  EXPECT_THAT(verifier_.All(), SizeIs(1));
}

TEST_F(EndpointVerifierTest, AsksAServerAgainThatWasAskedAtAStop) {
  on_ask_ = [&] { thread_.request_stop(); };
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
  Stop();

  thread_ = Started();
  Observe("t", false);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(Eventually([&] { return Reads() == 2; }));
  Step(minutes(1));
  EXPECT_TRUE(AwaitAsks(2));
}

TEST_F(EndpointVerifierTest, ReportsNothingAboutABundleWhileItIsReadAgain) {
  Holds(1, {&former_ca_});
  Serves(kOrders, former_ca_);
  Observe("t", true);
  Step(kVerifyAfterWrite);
  ASSERT_TRUE(AwaitAsks(1));
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
  EXPECT_TRUE(Eventually(
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
}  // namespace capstan::controllers::cainjector

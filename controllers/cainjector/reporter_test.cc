// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/reporter.h"

#include <glog/logging.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_recorder.h"
#include "clientgo/util/testing/log_lines.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TargetOutcome At(int second, std::string name, Reason reason, std::string message = {}) {
  return {"APIService", std::move(name), reason, std::move(message),
          Clock::WallTime(std::chrono::seconds(second))};
}

TEST(OutcomesTest, HoldsTheLastOutcomeAndItsTime) {
  Outcomes outcomes;

  EXPECT_TRUE(outcomes.Put(At(1, "b", Reason::kInjected)));
  EXPECT_FALSE(outcomes.Put(At(2, "b", Reason::kUnchanged))) << "right is right";
  EXPECT_TRUE(outcomes.Put(At(3, "a", Reason::kNoCaData, "no ca.crt")));
  EXPECT_FALSE(outcomes.Put(At(4, "a", Reason::kNoCaData, "no ca.crt")));
  EXPECT_TRUE(outcomes.Put(At(5, "a", Reason::kNoCaData, "an empty ca.crt")));

  const auto all = outcomes.All();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].message, "an empty ca.crt");
  EXPECT_EQ(all[0].since, Clock::WallTime(std::chrono::seconds(3)));
  EXPECT_EQ(all[1].reason, Reason::kInjected);
  EXPECT_EQ(all[1].since, Clock::WallTime(std::chrono::seconds(1)));
}

TEST(OutcomesTest, ReportsAnErrorOnceDespiteOtherMessages) {
  Outcomes outcomes;

  EXPECT_TRUE(outcomes.Put(At(1, "a", Reason::kError, "connection reset")));
  EXPECT_FALSE(outcomes.Put(At(2, "a", Reason::kError, "connection refused")));
  EXPECT_TRUE(outcomes.Put(At(3, "a", Reason::kUnchanged)));
  EXPECT_TRUE(outcomes.Put(At(4, "a", Reason::kError, "connection reset")));
}

TEST(OutcomesTest, KeepsTheLastMessageAndTheFirstTime) {
  Outcomes outcomes;
  outcomes.Put(At(1, "a", Reason::kError, "connection refused"));
  outcomes.Put(At(2, "a", Reason::kError, "401 Unauthorized"));

  ASSERT_THAT(outcomes.All(), SizeIs(1));
  EXPECT_EQ(outcomes.All()[0].message, "401 Unauthorized");
  EXPECT_EQ(outcomes.All()[0].since, Clock::WallTime(std::chrono::seconds(1)));
}

TEST(OutcomesTest, ReportsAPersistentFailureAgainBeforeItsEventExpires) {
  Outcomes outcomes;
  EXPECT_TRUE(outcomes.Put(At(0, "a", Reason::kForbidden, "no")));
  EXPECT_FALSE(outcomes.Put(At(44 * 60, "a", Reason::kForbidden, "no")));
  EXPECT_TRUE(outcomes.Put(At(45 * 60, "a", Reason::kForbidden, "no")));
  EXPECT_FALSE(outcomes.Put(At(46 * 60, "a", Reason::kForbidden, "no")));
  EXPECT_EQ(outcomes.All()[0].since, Clock::WallTime());
  EXPECT_THAT(outcomes.Recent(), SizeIs(1)) << "nothing changed";

  EXPECT_TRUE(outcomes.Put(At(47 * 60, "a", Reason::kInjected)));
  EXPECT_FALSE(outcomes.Put(At(200 * 60, "a", Reason::kUnchanged))) << "what is right is no news";
}

TEST(OutcomesTest, ReportsEveryInjection) {
  Outcomes outcomes;

  EXPECT_TRUE(outcomes.Put(At(1, "a", Reason::kInjected)));
  EXPECT_TRUE(outcomes.Put(At(2, "a", Reason::kInjected)));
  EXPECT_THAT(outcomes.Recent(), SizeIs(2));
}

TEST(OutcomesTest, ReportsAgainAfterForget) {
  Outcomes outcomes;
  EXPECT_TRUE(outcomes.Put(At(1, "a", Reason::kExpired, "it has")));
  outcomes.Forget("APIService", "a");
  outcomes.Forget("APIService", "never seen");
  outcomes.Forget("CustomResourceDefinition", "a");
  EXPECT_THAT(outcomes.All(), IsEmpty());

  EXPECT_TRUE(outcomes.Put(At(2, "a", Reason::kExpired, "it has")));
}

TEST(OutcomesTest, ListsABoundedNumberOfRecentOutcomesNewestFirst) {
  Outcomes outcomes;
  for (int i = 0; i < 60; ++i) outcomes.Put(At(i, std::to_string(i), Reason::kInjected));

  const auto recent = outcomes.Recent();
  ASSERT_THAT(recent, SizeIs(Outcomes::kRecentMax));
  EXPECT_EQ(recent.front().name, "59");
  EXPECT_EQ(recent.back().name, "10");
}

TEST(OutcomesTest, KeepsALimitedNumberOfBytesOfAMessage) {
  Outcomes outcomes;
  outcomes.Put(At(1, "a", Reason::kNoCaData, std::string(100'000, 'x')));
  EXPECT_LE(outcomes.All()[0].message.size(), 2048U);
  EXPECT_LE(outcomes.Recent()[0].message.size(), 2048U);
}

TEST(ReporterTest, LogsALimitedNumberOfFailures) {
  FakeCluster cluster;
  Outcomes outcomes;
  const Target& target = ValidatingWebhookTarget();
  Reporter reporter(target.type(), cluster.events, cluster.metrics, outcomes, cluster.clock);
  const auto fail = [&](int i) {
    const std::string name = "t" + std::to_string(i);
    reporter.Failed(*Decode(target.type(), WebhookJson(target, name, "ns/ca", {"x"})), "Secret",
                    {.reason = Reason::kSourceNotFound, .message = "gone"});
  };
  const LogLines log(google::GLOG_WARNING);
  for (int i = 0; i < 1000; ++i) fail(i);
  EXPECT_THAT(log.lines(), SizeIs(Reporter::kLogLinesMax));
  EXPECT_THAT(cluster.events.events(), SizeIs(1000));  // which have a limit of their own

  cluster.clock.Step(std::chrono::seconds(1));
  fail(1000);
  ASSERT_THAT(log.lines(), SizeIs(Reporter::kLogLinesMax + 2));
  EXPECT_THAT(log.lines()[Reporter::kLogLinesMax], HasSubstr("lines=900"));
  EXPECT_THAT(log.lines().back(), HasSubstr("t1000"));
}

constexpr char kRest[] =
    "{kind=\"exceeded_cardinality_limit\",name=\"exceeded_cardinality_limit\"} ";

// The alerts CapstanOutOfSync and CapstanCABundleExpiring use these gauges.
TEST(TargetMetricsTest, ShowsOneFailingTargetBeyondTheSeriesLimit) {
  metrics::Metrics metrics({});
  const TargetMetrics targets = NewTargetMetrics(metrics);
  for (std::size_t i = 0; i < metrics::kSeriesMax + 100; ++i) {
    targets.in_sync->Set({"APIService", std::to_string(i)}, 1);
    targets.expiration->Set({"APIService", std::to_string(i)}, 5000);
    targets.last_expiration->Set({"APIService", std::to_string(i)}, 9000);
  }
  targets.in_sync->Set({"APIService", "2050"}, 0);
  targets.expiration->Set({"APIService", "2050"}, 4000);
  targets.last_expiration->Set({"APIService", "2050"}, 8000);
  targets.in_sync->Set({"APIService", "2051"}, 1);  // in sync, and set last

  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("capstan_injectable_in_sync" + std::string(kRest) + "0\n"));
  EXPECT_THAT(text, HasSubstr("capstan_cabundle_expiration_timestamp_seconds" + std::string(kRest) +
                              "4000\n"));
  EXPECT_THAT(text, HasSubstr("capstan_cabundle_last_expiration_timestamp_seconds" +
                              std::string(kRest) + "8000\n"));

  targets.in_sync->Remove({"APIService", "2050"});
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("capstan_injectable_in_sync" + std::string(kRest) + "1\n"));
}

// The servers of a target whose source is gone are still called.
TEST(ReporterTest, LetsATargetBeReadAgainThatHasChangedWhileItsSourceFails) {
  testing::FakeClock clock;
  testing::FakeRecorder events;
  metrics::Metrics metrics({});
  std::atomic<int> reads{0};
  EndpointVerifier verifier(
      {.events = events, .metrics = metrics, .clock = clock}, {},
      {.read =
           [&](const std::stop_token&, const std::string&,
               const std::vector<std::string>& names) -> Expected<std::vector<TargetServersPtr>> {
         EXPECT_THAT(names, SizeIs(1)) << "never that of the other one";
         ++reads;
         return std::vector<TargetServersPtr>{runtime::MakeObject<TargetServers>(
             {.namespace_ = "", .name = names.front(), .uid = "", .resource_version = "1"},
             std::vector<TargetServer>())};
       },
       .ask = [](const std::stop_token&, const ServerReference&,
                 std::size_t) { return ServerAnswers(); }});
  const std::jthread thread([&](std::stop_token stop) { (void)verifier.Start(std::move(stop)); });
  const Target& target = ValidatingWebhookTarget();
  TargetMetrics target_metrics = NewTargetMetrics(metrics);
  Outcomes outcomes;
  Reporter reporter(target.type(), events, target_metrics, outcomes, clock, &verifier);
  const auto object = [&](const std::string& name, const std::string& version) {
    return Decode(target.type(), WebhookJson(target, name, "ns/ca", {"x"}, version));
  };
  const auto step = [&] {
    ASSERT_TRUE(clock.BlockUntilAnyWaiters(kVerifyWorkers));
    clock.Step(kVerifyAfterWrite);
  };
  const Failure gone{.reason = Reason::kSourceNotFound, .message = "gone"};

  reporter.Unchanged(*object("a", "1"), "Secret");
  reporter.Failed(*object("never-injected", "1"), "Secret", gone);
  step();
  ASSERT_TRUE(testing::Eventually([&] { return reads == 1; }));
  reporter.Failed(*object("a", "2"), "Secret", gone);
  step();

  EXPECT_TRUE(testing::Eventually([&] { return reads == 2; }));
}

}  // namespace
}  // namespace capstan::cainjector

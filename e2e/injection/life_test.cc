// SPDX-License-Identifier: Apache-2.0
// Tests of restarts, failover, and changes of sources and annotations, for all four kinds of
// target.
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/api/objects.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using LifeTest = InjectionTest;

TEST_F(LifeTest, ARestartWithoutChangesWritesNothing) {
  Create({cainjector::StoredSecret(ca_), cainjector::StoredCertificate("serving", "serving-tls"),
          cainjector::StoredCertificateSecret(ca_, "serving", "serving-tls"),
          cainjector::StoredConfigMap("trust", true, "ca.crt", ca_)});
  CreateTargets("s", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  CreateTargets("c", {{cainjector::kInjectCaFrom, "ns/serving"}});
  CreateTargets("m", {{cainjector::kInjectCaFromConfigMap, "ns/trust"}});
  CreateTargets("a", {{cainjector::kInjectApiServerCa, "true"}});
  {
    const cainjector::Process first(connection_);
    for (const std::string name : {"s", "c", "m"}) ASSERT_TRUE(AllComeToHold(name, ca_));
    ASSERT_TRUE(AllComeToHold("a", api_server_ca_));
  }
  EXPECT_EQ(Writes(), 16U);
  recorder_.Reset();

  cainjector::Process second(connection_);
  ASSERT_TRUE(Settled(second));

  EXPECT_EQ(Writes(), 0U);
  EXPECT_THAT(Events(second), IsEmpty());
}

TEST_F(LifeTest, AStandbyWritesNothingAndTakesOver) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  const auto candidate = [&](const std::string& identity) {
    return ManagerOptions{.leader_election = leaderelection::LeaderElectionConfig{
                              .lease_namespace = Own("ns"),
                              .lease_name = "cert-manager-cainjector-leader-election",
                              .identity = identity,
                              .retry_period = std::chrono::milliseconds(100)}};
  };
  auto first = std::make_unique<cainjector::Process>(connection_, cainjector::CaInjectorOptions{},
                                                     candidate("first"));
  ASSERT_TRUE(AllComeToHold("t", ca_));
  cainjector::Process second(connection_, {}, candidate("second"));
  ASSERT_TRUE(Settled(second));
  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));
  ASSERT_TRUE(AllComeToHold("t", ca_ + rotated));
  EXPECT_FALSE(second.Leads());
  EXPECT_THAT(Events(second), IsEmpty());

  first.reset();
  ASSERT_TRUE(testing::Eventually([&] { return second.Leads(); }));
  const std::string again = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(again));

  EXPECT_TRUE(AllComeToHold("t", ca_ + rotated + again));
  EXPECT_EQ(Writes(), 12U);  // three changes of four targets, each written once
}

TEST_F(LifeTest, KeepsTheBundleAfterItsSourceIsDeleted) {
  Create({cainjector::StoredSecret(ca_), cainjector::StoredCertificate("serving", "serving-tls"),
          cainjector::StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTargets("s", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  CreateTargets("c", {{cainjector::kInjectCaFrom, "ns/serving"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllComeToHold("s", ca_));
  ASSERT_TRUE(AllComeToHold("c", ca_));

  Delete(cainjector::SecretMetadataType(), "ns/ca");
  Delete(cainjector::CertManagerCertificate::Type(), "ns/serving");

  EXPECT_TRUE(AllGetEvent(process, "s", "Secret ns/ca does not exist"));
  EXPECT_TRUE(AllGetEvent(process, "c", "Certificate ns/serving does not exist"));
  EXPECT_TRUE(AllHold("s", ca_));
  EXPECT_TRUE(AllHold("c", ca_));
}

TEST_F(LifeTest, KeepsTheBundleAfterItsAnnotationIsRemoved) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_);
  ASSERT_TRUE(AllComeToHold("t", ca_));

  for (const cainjector::Target* target : Targets()) {
    MergePatch(*target, "t", R"({"metadata":{"annotations":null}})");
  }
  PassFence(process);  // the watch of Secrets may be ahead of this one
  Update("ca", cainjector::StoredSecret(cainjector::NewCaPem()));
  PassFence(process);

  EXPECT_TRUE(AllHold("t", ca_));
  const std::string metrics = Metrics(process);
  for (const cainjector::Target* target : Targets()) {
    EXPECT_THAT(metrics, Not(HasSubstr("capstan_injectable_in_sync{kind=\"" + target->type().kind +
                                       "\",name=\"" + TargetName(*target, "t") + "\"")));
  }
}

TEST_F(LifeTest, FollowsAddedAndChangedAnnotations) {
  const std::string other = cainjector::NewCaPem();
  Create({cainjector::StoredSecret(ca_), cainjector::StoredSecret(other, "other")});
  CreateTargets("t", {});
  cainjector::Process process(connection_);
  PassFence(process);
  EXPECT_TRUE(AllHold("t", ""));

  const auto annotate = [&](const std::string& value) {
    for (const cainjector::Target* target : Targets()) {
      MergePatch(*target, "t",
                 R"({"metadata":{"annotations":{"cert-manager.io/inject-ca-from-secret":")" +
                     value + R"("}}})");
    }
  };
  annotate("ns/ca");
  EXPECT_TRUE(AllComeToHold("t", ca_));
  annotate("ns/other");
  EXPECT_TRUE(AllComeToHold("t", ca_ + other));
}

TEST_F(LifeTest, DoesNotWriteToTargetsBeingDeleted) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  for (const cainjector::Target* target : Targets()) {
    MergePatch(*target, "t", R"({"metadata":{"finalizers":["capstan.dev/test"]}})");
    Delete(target->type(), TargetName(*target, Own("t")));
  }
  cainjector::Process process(connection_);
  PassFence(process);

  EXPECT_TRUE(AllHold("t", ""));  // the targets still exist
  EXPECT_EQ(Writes(), 0U);
  EXPECT_THAT(Metrics(process), Not(HasSubstr("capstan_injectable_in_sync{kind=\"APIService\","
                                              "name=\"v1.t.example.com\"")));
  for (const cainjector::Target* target : Targets()) {
    MergePatch(*target, "t", R"({"metadata":{"finalizers":null}})");
  }
}

}  // namespace
}  // namespace capstan::injection

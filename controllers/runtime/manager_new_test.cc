// SPDX-License-Identifier: Apache-2.0
// Tests Managers from Manager::New on the embedded API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/builder.h"
#include "capstan/metrics/metrics.h"
#include "clientgo/httpserver/testing/raw_client.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using NewManagerTest = testing::ManagerFixture;

leaderelection::LeaderElectionConfig Election(std::string identity = {}) {
  return {.lease_namespace = "kube-system",
          .lease_name = "test",
          .identity = std::move(identity),
          .lease_duration = std::chrono::seconds(30),
          .renew_deadline = std::chrono::seconds(20),
          .retry_period = std::chrono::milliseconds(20)};
}

TEST_F(NewManagerTest, ServesMetricsAndHealthOfItsParts) {
  metrics::Metrics metrics({});
  const auto manager =
      NewManager({.cluster = {.metrics = &metrics},
                  .endpoints = EndpointServerOptions{.address = {"127.0.0.1", 0}}});
  FakeReconciler reconciler;
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).Reconcile(reconciler));
  manager->readyz().Add("mine", [] { return Expected<void>(); });
  ASSERT_TRUE(manager->Listen().has_value());
  Create(testing::ConfigMapJson("ns", "a"));
  const RunningRunnable running(*manager);
  ASSERT_TRUE(reconciler.WaitForKeys(1));
  // The size of the cache is reported after its handlers were woken.
  while (metrics.Serialize().find("capstan_cache_objects{") == std::string::npos) {
    std::this_thread::yield();
  }

  EXPECT_THAT(httpserver::Get(manager->endpoints_port(), "/metrics"),
              AllOf(HasSubstr("rest_client_requests_total{"),
                    HasSubstr("capstan_cache_objects{resource=\"configmaps\"} 1\n"),
                    HasSubstr("workqueue_adds_total{controller=\"configmap\""),
                    HasSubstr("controller_runtime_active_workers{controller=\"configmap\"}")));
  EXPECT_THAT(httpserver::Get(manager->endpoints_port(), "/readyz?verbose"),
              HasSubstr("[+]mine ok"));
  EXPECT_THAT(httpserver::Get(manager->endpoints_port(), "/healthz"), StartsWith("HTTP/1.1 200"));
}

TEST_F(NewManagerTest, ServesHealthOnAnAddressOfItsOwn) {
  const auto manager = NewManager({.health_probe_bind_address = BindAddress{"127.0.0.1", 0}});
  ASSERT_TRUE(manager->Listen().has_value());
  const RunningRunnable running(*manager);

  EXPECT_THAT(httpserver::Get(manager->endpoints_port(), "/readyz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(httpserver::Get(manager->endpoints_port(), "/metrics"), StartsWith("HTTP/1.1 404"));
}

TEST_F(NewManagerTest, ReportsAPortInUseBeforeTheStart) {
  const auto first = NewManager({.health_probe_bind_address = BindAddress{"127.0.0.1", 0}});
  ASSERT_TRUE(first->Listen().has_value());

  const auto second =
      NewManager({.health_probe_bind_address = BindAddress{"127.0.0.1", first->endpoints_port()}});
  const auto listening = second->Listen();

  ASSERT_FALSE(listening.has_value());
  EXPECT_THAT(listening.error().message, HasSubstr("health probe server"));
}

TEST_F(NewManagerTest, RejectsMissingName) {
  const auto made = Manager::New({.host = server_.url()}, {});

  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "a Manager needs a name; set ManagerOptions::name");
}

TEST_F(NewManagerTest, RecordsEventsOfItsProgram) {
  const auto manager = NewManager({.name = "my-controller", .cluster = {.event_host = "my-host"}});
  {
    const RunningRunnable running(*manager);
    manager->events().Event(
        {.api_version = "v1", .kind = "ConfigMap", .namespace_ = "ns", .name = "a"},
        record::kEventTypeNormal, "Tested", "it works");
    while (server_.CountRequests({.verb = "create", .resource = "events"}) == 0) {
      std::this_thread::yield();
    }
  }
}

TEST_F(NewManagerTest, LeadsWithAnIdentityOfItsOwn) {
  const auto manager = NewManager({.leader_election = Election()});
  Journal journal;
  FakeRunnable leading("leading", journal);
  manager->Add(leading);
  EXPECT_TRUE(manager->CheckServer({}).has_value());
  RunningRunnable running(*manager);

  ASSERT_TRUE(journal.WaitFor("leading starts"));

  EXPECT_TRUE(manager->IsLeader());
  EXPECT_FALSE(manager->options().leader_election->identity.empty());
  leading.Release();
  EXPECT_TRUE(running.Stop().has_value());
}

TEST_F(NewManagerTest, StandbyWarmsUpAndRunsWhatNeedsNoElection) {
  Create(testing::ConfigMapJson("ns", "a"));
  const auto leader = NewManager({.leader_election = Election("leader")});
  const auto standby = NewManager({.leader_election = Election("standby")});
  Journal journal;
  FakeRunnable leading("leading", journal);
  leader->Add(leading);
  FakeReconciler warm;
  FakeReconciler cold;
  FakeReconciler everywhere;
  const auto warm_controller = ControllerFor<testing::ConfigMap>(*standby)
                                   .WithOptions({.name = "warm", .enable_warmup = true})
                                   .Reconcile(warm);
  const auto cold_controller =
      ControllerFor<testing::ConfigMap>(*standby).Named("cold").Reconcile(cold);
  ASSERT_TRUE(warm_controller && cold_controller);
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*standby)
                  .WithOptions({.name = "everywhere", .need_leader_election = false})
                  .Reconcile(everywhere));
  RunningRunnable first(*leader);
  ASSERT_TRUE(journal.WaitFor("leading starts"));
  RunningRunnable second(*standby);

  ASSERT_TRUE(everywhere.WaitForKeys(1));
  while ((*warm_controller)->QueueLength() == 0) std::this_thread::yield();

  EXPECT_FALSE(standby->IsLeader());
  EXPECT_THAT(warm.keys(), ElementsAre());
  EXPECT_THAT(cold.keys(), ElementsAre());
  EXPECT_EQ((*cold_controller)->QueueLength(), 0U);
  leading.Release();
  EXPECT_TRUE(first.Stop().has_value()) << "it releases the Lease";
  EXPECT_TRUE(warm.WaitForKeys(1));
  EXPECT_TRUE(cold.WaitForKeys(1));
}

}  // namespace
}  // namespace capstan

// SPDX-License-Identifier: Apache-2.0
// Tests Managers and Controllers of several clusters, on two embedded API servers.
#include "capstan/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "capstan/builder.h"
#include "capstan/metrics/metrics.h"
#include "capstan/testing/eventually.h"
#include "capstan/unstructured.h"
#include "controllers/runtime/cluster_set.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ClusterTest : public testing::ManagerFixture {
 protected:
  ClusterTest() { EXPECT_TRUE(east_.Start().has_value()); }

  static rest::Config ConfigOf(const testing::apiserver::Server& server) {
    return {.host = server.url()};
  }
  static void CreateIn(testing::apiserver::Server& server, std::string json) {
    const auto created = server.CreateObjects({std::move(json)});
    EXPECT_TRUE(created.has_value()) << created.error().message;
  }
  auto Recording() {
    return [this](const std::stop_token&, const Request& request) { See(request); };
  }
  void See(const Request& request) { seen_.Write(request.cluster + ":" + request.String()); }
  void AddEast(Manager& manager) {
    const auto added = manager.AddCluster("east", ConfigOf(east_));
    ASSERT_TRUE(added) << added.error().message;
  }

  testing::apiserver::Server east_{{.name = "east", .tls = false}};
  Journal seen_;  // what Controllers reconciled, as "cluster:ns/name"
};

TEST_F(ClusterTest, ReconcilesTheObjectsOfANamedCluster) {
  CreateIn(east_, testing::ConfigMapJson("ns", "in-east"));
  Create(testing::ConfigMapJson("ns", "here"));
  const auto manager = NewManager();
  AddEast(*manager);
  const auto east = manager->GetCluster("east");
  const auto lister = ListerFor<testing::ConfigMap>(*east);
  std::atomic<bool> found = false;
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager, *east)
                  .Reconcile([&](std::stop_token, const Request& request) {
                    found = lister.Get(request.String()) != nullptr;
                    See(request);
                  }));

  const RunningRunnable running(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/in-east"); }));
  EXPECT_TRUE(found);
  EXPECT_FALSE(seen_.Has("east:ns/here"));
}

TEST_F(ClusterTest, MapsObjectsOfANamedClusterToRequestsOfItsOwn) {
  Create(testing::ConfigMapJson("ns", "here"));
  CreateIn(east_, testing::SecretJson("ns", "far"));
  const auto manager = NewManager();
  AddEast(*manager);
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager)
                  .Watches<testing::Secret>(*manager->GetCluster("east"),
                                            [](const testing::Secret& secret) {
                                              return Request{
                                                  .namespace_ = secret.metadata.namespace_,
                                                  .name = "of-" + secret.metadata.name};
                                            })
                  .Reconcile(Recording()));

  const RunningRunnable running(*manager);

  EXPECT_TRUE(
      testing::Eventually([&] { return seen_.Has(":ns/of-far") && seen_.Has(":ns/here"); }));
  const auto removed = manager->RemoveCluster("east");
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message, HasSubstr("a Controller watches the Cluster east"));
}

TEST_F(ClusterTest, EngagesClustersThatComeAndGo) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  Create(testing::ConfigMapJson("ns", "here"));
  const auto manager = NewManager();
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).EngageClusters().Reconcile(Recording()));
  const RunningRunnable running(*manager);
  EXPECT_THAT(manager->ClusterNames(), IsEmpty());

  AddEast(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a"); }));
  EXPECT_FALSE(seen_.Has(":ns/here"));
  EXPECT_THAT(manager->ClusterNames(), ElementsAre("east"));
  CreateIn(east_, testing::ConfigMapJson("ns", "b"));
  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/b"); }));
  EXPECT_EQ(east_.WatcherCount(), 1U);

  const std::weak_ptr<Cluster> gone = manager->GetCluster("east");
  const auto removed = manager->RemoveCluster("east");

  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(gone.expired()) << "the client, the caches and their threads are released";
  EXPECT_EQ(manager->GetCluster("east"), nullptr);
  EXPECT_TRUE(testing::Eventually([&] { return east_.WatcherCount() == 0; }));
  const std::size_t before = seen_.lines().size();
  CreateIn(east_, testing::ConfigMapJson("ns", "c"));

  AddEast(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/c"); }));
  EXPECT_EQ(seen_.lines().size(), before + 3) << "the Cluster is new: a, b and c";
}

TEST_F(ClusterTest, EngagesClustersAddedBeforeTheStartAndTheLocalOne) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  Create(testing::ConfigMapJson("ns", "here"));
  const auto manager = NewManager();
  AddEast(*manager);
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager)
                  .EngageClusters({.local_cluster = true})
                  .Reconcile(Recording()));

  const RunningRunnable running(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a") && seen_.Has(":ns/here"); }));
}

TEST_F(ClusterTest, WorksWhileAClusterIsUnreachable) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = NewManager();
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).EngageClusters().Reconcile(Recording()));
  ASSERT_TRUE(manager->AddCluster("down", {.host = "http://127.0.0.1:1"}));
  const RunningRunnable running(*manager);

  AddEast(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a"); }));
  const auto removed = manager->RemoveCluster("down");
  EXPECT_TRUE(removed) << removed.error().message;
}

TEST_F(ClusterTest, WorksWhileItsOwnClusterIsUnreachable) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = Manager::New({.host = "http://127.0.0.1:1"}, {.name = "test"});
  ASSERT_TRUE(manager) << manager.error().message;
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(**manager)
                  .EngageClusters({.local_cluster = true})
                  .Reconcile(Recording()));
  const RunningRunnable running(**manager);

  AddEast(**manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a"); }));
}

TEST_F(ClusterTest, WorksDuringAnOutageOfItsOwnCluster) {
  Create(testing::ConfigMapJson("ns", "here"));
  const auto manager = NewManager();
  std::atomic<bool> down = false;
  std::atomic<bool> failed = false;
  const auto controller =
      ControllerFor<testing::ConfigMap>(*manager)
          .EngageClusters({.local_cluster = true})
          .Reconcile([&](const std::stop_token&, const Request& request) -> Expected<void> {
            See(request);
            if (!down || !request.cluster.empty()) return {};
            failed = true;
            return Err(ErrorReason::kConnectionRefused, "refused");
          });
  ASSERT_TRUE(controller);
  const RunningRunnable running(*manager);
  AddEast(*manager);
  ASSERT_TRUE(testing::Eventually([&] { return seen_.Has(":ns/here"); }));
  server_.Stop();
  ASSERT_TRUE(testing::Eventually([&] { return !manager->client().availability().IsReachable(); }));
  down = true;
  (*controller)->Enqueue({.namespace_ = "ns", .name = "here"});
  ASSERT_TRUE(testing::Eventually([&] { return failed.load(); }));

  CreateIn(east_, testing::ConfigMapJson("ns", "a"));

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a"); }));
}

TEST_F(ClusterTest, StopsAndAwaitsReconciliationsOfARemovedCluster) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = NewManager();
  std::atomic<bool> entered = false;
  std::atomic<bool> ended = false;
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).EngageClusters().Reconcile(
      [&](std::stop_token stop, const Request& request) -> Expected<void> {
        See(request);
        entered = true;
        WaitForStop(std::move(stop));
        ended = true;
        return Err(ErrorReason::kUnknown, "tried again, unless the Cluster is gone");
      }));
  const RunningRunnable running(*manager);
  AddEast(*manager);
  ASSERT_TRUE(testing::Eventually([&] { return entered.load(); }));

  const auto removed = manager->RemoveCluster("east");

  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(ended);
  EXPECT_EQ(seen_.lines().size(), 1U);
}

TEST_F(ClusterTest, HoldsAQueuedKeyOfAClusterThatCameBackUntilItsCachesAreSynced) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  Create(testing::ConfigMapJson("ns", "here"));
  const auto manager = NewManager();
  std::counting_semaphore<> entered(0);
  std::counting_semaphore<> go(0);
  const auto controller = ControllerFor<testing::ConfigMap>(*manager)
                              .EngageClusters({.local_cluster = true})
                              .Reconcile([&](const std::stop_token&, const Request& request) {
                                See(request);
                                entered.release();
                                if (request.cluster.empty()) go.acquire();
                              });
  ASSERT_TRUE(controller);
  RunningRunnable running(*manager);
  entered.acquire();  // the only worker is busy
  AddEast(*manager);
  EXPECT_TRUE(testing::Eventually([&] { return (*controller)->QueueLength() == 1; }));
  EXPECT_TRUE(manager->RemoveCluster("east"));

  EXPECT_TRUE(manager->AddCluster("east", {.host = "http://127.0.0.1:1"}));
  go.release();

  EXPECT_TRUE(testing::Eventually([&] { return (*controller)->QueueLength() == 0; }));
  EXPECT_TRUE(running.Stop());
  EXPECT_FALSE(seen_.Has("east:ns/a"));
}

TEST_F(ClusterTest, ReadsTheCachesOfClustersThatComeAndGoOnManyThreads) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = NewManager();
  std::atomic<int> found = 0;
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager)
                  .EngageClusters()
                  .WithOptions({.max_concurrent_reconciles = 4})
                  .Reconcile([&](std::stop_token, const Request& request) {
                    const auto cluster = manager->GetCluster(request.cluster);
                    if (cluster == nullptr) return;
                    found +=
                        ListerFor<testing::ConfigMap>(*cluster).Get(request.String()) != nullptr;
                  }));
  const RunningRunnable running(*manager);

  std::vector<std::jthread> threads;
  for (const char* const name : {"one", "two", "three"}) {
    threads.push_back(StartThread(name, [&, name](const std::stop_token&) {
      for (int round = 0; round < 5; ++round) {
        const int before = found;
        EXPECT_TRUE(manager->AddCluster(name, ConfigOf(east_)));
        EXPECT_TRUE(testing::Eventually([&] { return found > before; }));
        EXPECT_TRUE(manager->RemoveCluster(name));
      }
    }));
  }
  threads.clear();

  EXPECT_THAT(manager->ClusterNames(), IsEmpty());
  EXPECT_TRUE(testing::Eventually([&] { return east_.WatcherCount() == 0; }));
}

TEST_F(ClusterTest, WatchesItsOwnCluster) {
  Create(testing::ConfigMapJson("ns", "here"));
  const auto manager = NewManager();
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager, *manager).Reconcile(Recording()));

  const RunningRunnable running(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has(":ns/here"); }));
  EXPECT_EQ(manager->GetCluster("").get(), manager.get());
}

TEST_F(ClusterTest, RejectsClustersThatCannotBeUsed) {
  const auto manager = NewManager();
  AddEast(*manager);

  EXPECT_EQ(manager->AddCluster("east", ConfigOf(east_)).error().message,
            "the Manager has a Cluster east; call RemoveCluster first");
  EXPECT_EQ(manager->AddCluster("", ConfigOf(east_)).error().message,
            "a Cluster of a Manager needs a name; set ClusterOptions::name");
  EXPECT_THAT(manager->AddCluster("a/b", ConfigOf(east_)).error().message,
              HasSubstr("\"a/b\" is not the name of a Cluster"));
  EXPECT_EQ(manager->RemoveCluster("west").error().message, "the Manager has no Cluster west");
  const auto other = Cluster::New(ConfigOf(east_), {.name = "west"});
  ASSERT_TRUE(other);
  const auto built = ControllerFor<testing::ConfigMap>(*manager, **other).Reconcile(Recording());
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message,
            "controller configmap: the Manager does not have the Cluster west; call AddCluster "
            "first");
  const auto both = ControllerFor<testing::ConfigMap>(*manager, *manager->GetCluster("east"))
                        .EngageClusters()
                        .Reconcile(Recording());
  EXPECT_THAT(both.error().message, HasSubstr("it cannot engage all"));
}

TEST_F(ClusterTest, RejectsAClusterThatWasInAManagerBefore) {
  const auto manager = NewManager();
  const std::shared_ptr<Cluster> east = *Cluster::New(ConfigOf(east_), {.name = "east"});
  ASSERT_TRUE(manager->AddCluster(east));
  EXPECT_EQ(manager->AddCluster(east).error().reason, ErrorReason::kAlreadyExists);
  ASSERT_TRUE(manager->RemoveCluster("east"));

  const auto again = manager->AddCluster(east);

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_EQ(again.error().message,
            "the Cluster east was in a Manager before; make a new one with Cluster::New");
  EXPECT_THAT(manager->ClusterNames(), IsEmpty());
}

// The Manager starts while it releases the Cluster.
TEST(ClusterSetTest, BeginsWhileAClusterIsRemoved) {
  ClusterSet clusters;
  std::stop_source stop;
  bool begun = false;
  std::unique_ptr<Cluster> east = *Cluster::New({.host = "http://127.0.0.1:1"}, {.name = "east"});
  ASSERT_TRUE(clusters.Add(std::shared_ptr<Cluster>(east.release(), [&](Cluster* cluster) {
    begun = clusters.Begin(stop.get_token()).has_value();
    delete cluster;
  })));

  EXPECT_TRUE(clusters.Remove("east"));

  EXPECT_TRUE(begun);
  EXPECT_THAT(clusters.Names(), IsEmpty());
  clusters.End();
}

TEST_F(ClusterTest, RemovesAClusterOfAManagerThatHasStopped) {
  const auto manager = NewManager();
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).EngageClusters().Reconcile(Recording()));
  AddEast(*manager);
  {
    const RunningRunnable running(*manager);
    EXPECT_TRUE(testing::Eventually([&] { return east_.WatcherCount() == 1; }));
  }
  EXPECT_TRUE(testing::Eventually([&] { return east_.WatcherCount() == 0; }));

  EXPECT_TRUE(manager->RemoveCluster("east"));
  EXPECT_EQ(manager->AddCluster("east", ConfigOf(east_)).error().reason, ErrorReason::kCanceled);
}

TEST_F(ClusterTest, HasItsOwnMetricsAndEvents) {
  metrics::Metrics metrics({});
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = NewManager({.cluster = {.metrics = &metrics}});
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).EngageClusters().Reconcile(Recording()));
  const RunningRunnable running(*manager);
  AddEast(*manager);
  ASSERT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a"); }));

  manager->GetCluster("east")->events().Event(
      {.api_version = "v1", .kind = "ConfigMap", .namespace_ = "ns", .name = "a"},
      record::kEventTypeNormal, "Tested", "it works");

  EXPECT_TRUE(testing::Eventually([&] {
    return east_.CountRequests({.verb = "create", .resource = "events"}) == 1 &&
           metrics.Serialize().find("capstan_cache_objects{resource=\"east/configmaps\"} 1\n") !=
               std::string::npos;
  }));
  EXPECT_EQ(server_.CountRequests({.verb = "create", .resource = "events"}), 0U);
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("host=\"127.0.0.1:" + std::to_string(east_.port()) + "\""));
  ASSERT_TRUE(manager->RemoveCluster("east"));
  EXPECT_THAT(metrics.Serialize(), Not(HasSubstr("resource=\"east/")));
}

TEST_F(ClusterTest, KeepsTheMetricsOfAClusterWhoseNameWasUsedBefore) {
  metrics::Metrics metrics({});
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = NewManager({.cluster = {.metrics = &metrics}});
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager).EngageClusters().Reconcile(Recording()));
  const RunningRunnable running(*manager);
  AddEast(*manager);
  ASSERT_TRUE(testing::Eventually([&] { return seen_.lines().size() == 1; }));
  std::shared_ptr<Cluster> before = manager->GetCluster("east");
  ASSERT_TRUE(manager->RemoveCluster("east"));
  AddEast(*manager);
  ASSERT_TRUE(testing::Eventually([&] { return seen_.lines().size() == 2; }));

  before = nullptr;

  EXPECT_TRUE(testing::Eventually([&] {
    return metrics.Serialize().find("capstan_cache_objects{resource=\"east/configmaps\"} 1\n") !=
           std::string::npos;
  }));
}

TEST_F(ClusterTest, ReconcilesAKindThatIsKnownAtRunTimeOnly) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  const auto manager = NewManager();
  AddEast(*manager);
  const auto east = manager->GetCluster("east");
  const auto type = east->TypeFor({}, {"", "v1", "ConfigMap"});
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(*type, *east->TypeFor({}, {"", "v1", "ConfigMap"}));
  EXPECT_EQ(*type, *east->TypeFor({}, {"", "", "ConfigMap"}));
  ASSERT_TRUE(ControllerBuilder(*manager, *east, **type).Reconcile(Recording()));

  const RunningRunnable running(*manager);

  EXPECT_TRUE(testing::Eventually([&] { return seen_.Has("east:ns/a"); }));
  EXPECT_TRUE(IsNoMatch(east->TypeFor({}, {"", "v1", "Nope"}).error()));
}

TEST_F(ClusterTest, CacheOfAClusterHasOwnWritesAfterWait) {
  const auto manager = NewManager();
  AddEast(*manager);
  const auto east = manager->GetCluster("east");
  const auto lister = ListerFor<testing::ConfigMap>(*east);
  const RunningRunnable running(*manager);
  CreateIn(east_, R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}})");

  const auto written = east->client().Create({}, TypeOf<testing::ConfigMap>(), "ns",
                                             testing::ConfigMapJson("ns", "a"), {});
  ASSERT_TRUE(written) << written.error().message;
  const auto waited = WaitForCacheVersion<testing::ConfigMap>({}, *east, **written);

  ASSERT_TRUE(waited) << waited.error().message;
  const auto cached = lister.Get("ns/a");
  ASSERT_NE(cached, nullptr);
  EXPECT_TRUE(WaitForCacheVersion({}, *east, *cached));
  EXPECT_EQ(WaitForCacheDeletion({{}, Clock::Real().Now()}, *east, *cached).error().reason,
            ErrorReason::kDeadlineExceeded);
  ASSERT_TRUE(east->client().Delete({}, TypeOf<testing::ConfigMap>(), {"ns", "a"}, {}));
  const auto gone = WaitForCacheDeletion<testing::ConfigMap>({}, *east, **written);
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_EQ(lister.Get("ns/a"), nullptr);
}

TEST_F(ClusterTest, FindsObjectsByTheIndexOfACluster) {
  CreateIn(east_, testing::ConfigMapJson("ns", "a"));
  std::shared_ptr<Cluster> east = *Cluster::New(ConfigOf(east_), {.name = "east"});
  ASSERT_TRUE(AddIndexFor<testing::ConfigMap>(
      *east, "name", [](const testing::ConfigMap& object) { return object.metadata.name; }));
  const auto manager = NewManager();
  ASSERT_TRUE(manager->AddCluster(east));
  const RunningRunnable running(*manager);

  const auto lister = ListerFor<testing::ConfigMap>(*east);

  EXPECT_TRUE(testing::Eventually([&] { return lister.ByIndex("name", "a").size() == 1; }));
}

}  // namespace
}  // namespace capstan

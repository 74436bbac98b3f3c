// SPDX-License-Identifier: Apache-2.0
#include "capstan/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "capstan/testing/eventually.h"
#include "controllers/runtime/testing/fakes.h"
#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/testing/running.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr auto kNever = [](const testing::ConfigMap&) { return false; };

class BuilderTest : public testing::ManagerFixture {
 protected:
  // Changes a ConfigMap by a merge patch.
  void Patch(const std::string& name, std::string patch) {
    const auto patched = manager_->client().Patch({}, TypeOf<testing::ConfigMap>(),
                                                  {.namespace_ = "ns", .name = name},
                                                  rest::PatchType::kMerge, std::move(patch));
    EXPECT_TRUE(patched.has_value()) << patched.error().message;
  }

  std::unique_ptr<Manager> manager_ = NewManager();
  FakeReconciler reconciler_;
};

TEST_F(BuilderTest, ReconcilesObjectsOfItsKind) {
  Create(testing::ConfigMapJson("ns", "a"));
  const auto built = ControllerFor<testing::ConfigMap>(*manager_).Reconcile(reconciler_);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  EXPECT_EQ((*built)->name(), "configmap");
  const RunningRunnable running(*manager_);
  ASSERT_TRUE(reconciler_.WaitForKeys(1));

  Create(testing::ConfigMapJson("ns", "b"));

  ASSERT_TRUE(reconciler_.WaitForKeys(2));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/a", "ns/b"));
}

TEST_F(BuilderTest, ReconcilesOtherNamespacesWhileOneIsHeld) {
  std::latch release{1};
  FakeReconciler reconciler([&](std::stop_token, const Request& request) -> FakeReconciler::Answer {
    if (request.namespace_ == "slow") release.wait();
    return Result{};
  });
  const auto built = ControllerFor<testing::ConfigMap>(*manager_)
                         .WithOptions({.max_concurrent_reconciles = 3, .fair_namespaces = true})
                         .Reconcile(reconciler);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  for (const std::string name : {"1", "2", "3"}) {
    (*built)->Enqueue({.namespace_ = "slow", .name = name});
  }
  const RunningRunnable running(*manager_);

  (*built)->Enqueue({.namespace_ = "a", .name = "x"});

  EXPECT_TRUE(reconciler.WaitForKeys(1));
  EXPECT_THAT(reconciler.keys(), ElementsAre("a/x"));
  release.count_down();
}

TEST_F(BuilderTest, CompleteReturnsNoController) {
  Create(testing::ConfigMapJson("ns", "a"));
  const Expected<void> built = ControllerFor<testing::ConfigMap>(*manager_).Complete(reconciler_);
  const Expected<void> same_name = ControllerFor<testing::ConfigMap>(*manager_).Complete(
      std::make_unique<FunctionReconciler<void (*)(std::stop_token, const Request&)>>(
          [](std::stop_token, const Request&) {}));
  const Expected<void> of_function =
      ControllerFor<testing::ConfigMap>(*manager_).Named("f").Complete(
          [](Manager&, std::stop_token, const Request&) {});
  const RunningRunnable running(*manager_);

  EXPECT_TRUE(built.has_value());
  EXPECT_TRUE(of_function.has_value());
  EXPECT_FALSE(same_name.has_value());
  EXPECT_TRUE(reconciler_.WaitForKeys(1));
}

// The advice of docs/library/from-controller-runtime.md for a kind that is only read.
TEST_F(BuilderTest, WaitsForAWatchedKindThatMapsToNothing) {
  Create(testing::ConfigMapJson("ns", "a"));
  Create(testing::SecretJson("ns", "s"));
  const auto secrets = ListerFor<testing::Secret>(*manager_);
  std::atomic<bool> found = false;
  ASSERT_TRUE(
      ControllerFor<testing::ConfigMap>(*manager_)
          .Watches<testing::Secret>([](const testing::Secret&) { return std::vector<Request>(); })
          .Reconcile([&](const std::stop_token& stop, const Request& request) {
            found = secrets.Get("ns/s") != nullptr;
            (void)reconciler_.Reconcile(stop, request);
          }));
  const RunningRunnable running(*manager_);

  ASSERT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_TRUE(found);
}

TEST_F(BuilderTest, OwnsReconcilesTheControllerOfAnObject) {
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_, kNever)
                  .Owns<testing::Secret>()
                  .Reconcile(reconciler_));
  const RunningRunnable running(*manager_);

  Create(testing::SecretJson("ns", "of-nobody"));
  Create(testing::SecretJson("ns", "of-an-owner", testing::OwnedBy("owner", false)));
  Create(testing::SecretJson("ns", "child",
                             testing::OwnedBy("other", false) + "," + testing::OwnedBy("a", true)));

  ASSERT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/a"));
}

TEST_F(BuilderTest, OwnsReconcilesEveryOwnerOnRequest) {
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_, kNever)
                  .Owns<testing::Secret>(MatchEveryOwner())
                  .Reconcile(reconciler_));
  const RunningRunnable running(*manager_);

  Create(testing::SecretJson("ns", "child",
                             testing::OwnedBy("a", false) + "," + testing::OwnedBy("b", true)));

  ASSERT_TRUE(reconciler_.WaitForKeys(2));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("ns/a", "ns/b"));
}

TEST_F(BuilderTest, OwnsFiltersByPredicates) {
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_, kNever)
                  .Owns<testing::Secret>(OnLabelChange(),
                                         [](const testing::Secret& secret) {
                                           return secret.metadata.name != "ignored";
                                         })
                  .Reconcile(reconciler_));
  const RunningRunnable running(*manager_);

  Create(testing::SecretJson("ns", "ignored", testing::OwnedBy("a", true)));
  Create(testing::SecretJson("ns", "child", testing::OwnedBy("b", true)));

  ASSERT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/b"));
}

TEST_F(BuilderTest, WatchesReconcilesWhatTheMapReturns) {
  ASSERT_TRUE(
      ControllerFor<testing::ConfigMap>(*manager_, kNever)
          .Watches<testing::Secret>([](const TypedObject<testing::Secret>& secret) {
            return std::vector<Request>{
                {.namespace_ = std::string(secret.namespace_()), .name = "one"},
                {.namespace_ = std::string(secret.namespace_()), .name = "two"}};
          })
          .Watches<testing::Secret>([](const testing::Secret& secret) -> std::optional<Request> {
            if (secret.metadata.name != "s") return std::nullopt;
            return Request{.namespace_ = "", .name = "three"};
          })
          .Reconcile(reconciler_));
  const RunningRunnable running(*manager_);

  Create(testing::SecretJson("ns", "s"));

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("ns/one", "ns/two", "three"));
}

TEST_F(BuilderTest, WatchesAChannel) {
  Channel channel;
  ASSERT_TRUE(
      ControllerFor<testing::ConfigMap>(*manager_).Watches(channel, OwnKey).Reconcile(reconciler_));
  const RunningRunnable running(*manager_);

  channel.Send(*MakeObject("from-outside"));

  ASSERT_TRUE(reconciler_.WaitForKeys(1));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/from-outside"));
}

TEST_F(BuilderTest, ReconcilesOnlyUpdatesThatItsPredicatesAccept) {
  Create(testing::ConfigMapJson("ns", "a"));
  ASSERT_TRUE(
      ControllerFor<testing::ConfigMap>(
          *manager_, Or(OnLabelChange(),
                        [](const testing::ConfigMap& old_map, const testing::ConfigMap& new_map) {
                          return old_map.data != new_map.data;
                        }))
          .Reconcile(reconciler_));
  const RunningRunnable running(*manager_);
  ASSERT_TRUE(reconciler_.WaitForKeys(1));

  Patch("a", R"({"metadata":{"annotations":{"seen":"no"}}})");
  Patch("a", R"({"metadata":{"labels":{"tier":"web"}}})");
  ASSERT_TRUE(reconciler_.WaitForKeys(2));
  Patch("a", R"({"metadata":{"annotations":{"seen":"still not"}}})");
  Patch("a", R"({"data":{"key":"value"}})");
  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  Create(testing::ConfigMapJson("ns", "last"));

  ASSERT_TRUE(reconciler_.WaitForKeys(4));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("ns/a", "ns/a", "ns/a", "ns/last"));
}

struct CreatedLater : PredicateFuncs {
  bool Create(const testing::ConfigMap& /*object*/, bool is_in_initial_list) const {
    return !is_in_initial_list;
  }
};

TEST_F(BuilderTest, PredicatesKnowTheInitialList) {
  Create(testing::ConfigMapJson("ns", "first"));
  Create(testing::SecretJson("ns", "s"));
  const auto started = [](const testing::Secret&) {
    return Request{.namespace_ = "", .name = "started"};
  };
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_, CreatedLater())
                  .Watches<testing::Secret>(started)
                  .Reconcile(reconciler_));
  const RunningRunnable running(*manager_);
  ASSERT_TRUE(reconciler_.WaitForKeys(1)) << "workers start after all initial lists";

  Create(testing::ConfigMapJson("ns", "later"));

  ASSERT_TRUE(reconciler_.WaitForKeys(2));
  EXPECT_THAT(reconciler_.keys(), ElementsAre("started", "ns/later"));
}

TEST_F(BuilderTest, ReconcileTakesFunctionsWithDifferentResults) {
  Journal journal;
  const auto write = [&](const std::string& line) { journal.Write(line); };
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_).Named("nothing").Reconcile(
      [=](std::stop_token, const Request& request) { write("nothing " + request.name); }));
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_).Named("result").Reconcile(
      [=](std::stop_token, const Request& request) {
        write("result " + request.name);
        return Result{};
      }));
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_).Named("error").Reconcile(
      [=, failed = std::make_shared<std::atomic<bool>>(false)](
          std::stop_token, const Request& request) -> Expected<void> {
        write("error " + request.name);
        if (failed->exchange(true)) return {};
        return Err(ErrorReason::kConflict, "again");
      }));
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_)
                  .Named("terminal")
                  .Reconcile([=](std::stop_token,
                                 const Request& request) -> tl::expected<Result, ReconcileError> {
                    write("terminal " + request.name);
                    return tl::unexpected(ReconcileError{.error = {}, .terminal = true});
                  }));
  Create(testing::ConfigMapJson("ns", "a"));
  const RunningRunnable running(*manager_);

  EXPECT_TRUE(journal.WaitFor("nothing a"));
  EXPECT_TRUE(journal.WaitFor("result a"));
  EXPECT_TRUE(journal.WaitFor("error a", 2)) << "an error is retried";
  EXPECT_TRUE(journal.WaitFor("terminal a"));
  EXPECT_FALSE(journal.Has("terminal a", 2));
}

TEST_F(BuilderTest, UsesTheOptionsAndTheNameGiven) {
  const auto built = ControllerFor<testing::ConfigMap>(*manager_)
                         .WithOptions({.name = "ignored", .need_leader_election = false})
                         .Named("maps")
                         .Reconcile(reconciler_);

  ASSERT_TRUE(built.has_value());
  EXPECT_EQ((*built)->name(), "maps");
  EXPECT_FALSE((*built)->NeedLeaderElection());
}

TEST_F(BuilderTest, ReconcilesOnlyTheNamespacesOfTheManager) {
  for (const char* name : {"one", "two", "three"}) Create(testing::ConfigMapJson(name, "a"));
  manager_ = NewManager({.cluster = {.cache = {.namespaces = {"one", "three"}}}});
  const auto maps = ListerFor<testing::ConfigMap>(*manager_);
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_).Reconcile(reconciler_));
  const RunningRunnable running(*manager_);
  ASSERT_TRUE(reconciler_.WaitForKeys(2));

  Create(testing::ConfigMapJson("two", "b"));
  Create(testing::ConfigMapJson("three", "b", "", R"("data":{"key":"value"})"));

  ASSERT_TRUE(reconciler_.WaitForKeys(3));
  EXPECT_THAT(reconciler_.keys(), UnorderedElementsAre("one/a", "three/a", "three/b"));
  EXPECT_EQ(maps.List().size(), 3U);
  EXPECT_EQ(maps.Get("two/a"), nullptr);
  EXPECT_THAT(maps.Get("three/b")->data, ElementsAre(std::pair("key", "value")));
}

TEST_F(BuilderTest, FindsObjectsByIndex) {
  using Values = std::vector<std::string>;
  ASSERT_TRUE(AddIndexFor<testing::ConfigMap>(*manager_, "keys", [](const testing::ConfigMap& map) {
    Values keys;
    for (const auto& [key, value] : map.data) keys.push_back(key);
    return keys;
  }));
  ASSERT_TRUE(AddIndexFor<testing::ConfigMap>(
      *manager_, "of-a", [](const testing::ConfigMap& map) -> std::optional<std::string> {
        const auto found = map.data.find("a");
        if (found == map.data.end()) return std::nullopt;
        return found->second;
      }));
  ASSERT_TRUE(AddIndexFor<testing::ConfigMap>(
      *manager_, "name", [](const testing::ConfigMap& map) { return map.metadata.name; }));
  EXPECT_FALSE(AddIndexFor<testing::ConfigMap>(*manager_, "name", [](const testing::ConfigMap&) {
    return Values();
  })) << "the name is in use";
  const auto by_size = NewIndexFor<testing::ConfigMap>(
      *manager_, "size",
      [](const testing::ConfigMap& map) { return std::to_string(map.data.size()); });
  ASSERT_TRUE(by_size.has_value());
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_).Reconcile(reconciler_));
  Create(testing::ConfigMapJson("ns", "one", "", R"("data":{"a":"1","b":"2"})"));
  Create(testing::ConfigMapJson("ns", "two", "", R"("data":{"b":"2"})"));
  const RunningRunnable running(*manager_);
  ASSERT_TRUE(reconciler_.WaitForKeys(2));

  const auto names = [&](const std::string& index, const std::string& value) {
    Values found;
    for (const auto& map : ListerFor<testing::ConfigMap>(*manager_).ByIndex(index, value)) {
      found.push_back(map->metadata.name);
    }
    return found;
  };
  EXPECT_THAT(names("keys", "b"), UnorderedElementsAre("one", "two"));
  ASSERT_EQ(by_size->Find("1").size(), 1U);
  EXPECT_EQ(by_size->Find("1").front()->name(), "two");
  EXPECT_THAT(names("of-a", "1"), ElementsAre("one"));
  EXPECT_THAT(names("name", "two"), ElementsAre("two"));
  EXPECT_THAT(names("name", "three"), IsEmpty());
}

// Authors of Controllers write these names in the namespace capstan alone.
static_assert(std::same_as<capstan::Manager, Manager> && std::same_as<capstan::Request, Request>);
static_assert(std::same_as<capstan::Result, Result> && std::same_as<capstan::Error, Error>);
static_assert(std::same_as<decltype(capstan::Or(capstan::OnGenerationChange(),
                                                capstan::Not(capstan::OnLabelChange()))),
                           decltype(Or(OnGenerationChange(), Not(OnLabelChange())))>);

TEST_F(BuilderTest, RejectsANameThatIsInUse) {
  ASSERT_TRUE(ControllerFor<testing::ConfigMap>(*manager_).Reconcile(reconciler_));

  const auto again = ControllerFor<testing::ConfigMap>(*manager_).Reconcile(reconciler_);

  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().message,
            "controller configmap: the name is in use, and two Controllers must not report the "
            "same metrics; call Named");
}

TEST_F(BuilderTest, RejectsDeclarationsAfterTheStart) {
  const RunningRunnable running(*manager_);
  while (!manager_->started()) std::this_thread::yield();

  const auto late = ControllerFor<testing::ConfigMap>(*manager_).Reconcile(reconciler_);

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().message,
            "controller configmap: the Manager has already started; declare Controllers before "
            "Manager::Start");
}

TEST_F(BuilderTest, CacheHasOwnWritesAfterWait) {
  manager_ = NewManager({.cluster = {.cache = {.namespaces = {"one", "two"}}}});
  const auto lister = ListerFor<testing::ConfigMap>(*manager_);
  const RunningRunnable running(*manager_);
  const auto create = [&](const std::string& ns) {
    Create(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns + R"("}})");
    return manager_->client().Create({}, TypeOf<testing::ConfigMap>(), ns,
                                     testing::ConfigMapJson(ns, "a"), {});
  };

  for (const std::string ns : {"one", "two"}) {
    const auto written = create(ns);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    const auto waited = WaitForCacheVersion<testing::ConfigMap>({}, *manager_, **written);
    ASSERT_TRUE(waited.has_value()) << waited.error().message;
    EXPECT_NE(lister.Get(ns + "/a"), nullptr);
  }
  const auto outside = create("three");
  ASSERT_TRUE(outside.has_value()) << outside.error().message;
  const auto refused = WaitForCacheVersion<testing::ConfigMap>({}, *manager_, **outside);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "the cache of configmaps does not have the namespace of three/a; add it to "
            "FactoryOptions::namespaces");
}

// As in a webhook, which runs before the caches are synced.
TEST_F(BuilderTest, ListerFindsObjectsAfterWaitForSync) {
  Create(testing::ConfigMapJson("ns", "a"));
  const RunningRunnable running(*manager_);

  const auto waited = WaitForCacheSync<testing::ConfigMap>({}, *manager_);

  ASSERT_TRUE(waited.has_value()) << waited.error().message;
  EXPECT_NE(ListerFor<testing::ConfigMap>(*manager_).Get("ns/a"), nullptr);
  EXPECT_TRUE(WaitForCacheSync<testing::ConfigMap>({}, *manager_).has_value());
}

TEST_F(BuilderTest, WaitForSyncEndsWithItsCall) {
  const rest::CallOptions late({}, Clock::Real().Now());
  std::stop_source stop;
  stop.request_stop();

  const auto waited =
      WaitForCacheSync<testing::ConfigMap>(late, *manager_);  // which is not started
  const auto stopped = WaitForCacheSync<testing::ConfigMap>(stop.get_token(), *manager_);

  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(waited.error().message, ::testing::StartsWith("cache of configmaps is not synced: "));
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().reason, ErrorReason::kCanceled);
}

TEST_F(BuilderTest, CacheHasNoDeletedObjectAfterWait) {
  manager_ = NewManager({.cluster = {.cache = {.namespaces = {"one", "two"}}}});
  const auto lister = ListerFor<testing::ConfigMap>(*manager_);
  const RunningRunnable running(*manager_);
  for (const std::string ns : {"one", "two"}) {
    Create(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns + R"("}})");
    const auto written = manager_->client().Create({}, TypeOf<testing::ConfigMap>(), ns,
                                                   testing::ConfigMapJson(ns, "a"), {});
    ASSERT_TRUE(written.has_value()) << written.error().message;
    ASSERT_TRUE(WaitForCacheVersion<testing::ConfigMap>({}, *manager_, **written).has_value());
    const auto cached = lister.Get(ns + "/a");
    ASSERT_NE(cached, nullptr);

    ASSERT_TRUE(
        manager_->client().Delete({}, TypeOf<testing::ConfigMap>(), {ns, "a"}, {}).has_value());
    const auto waited = WaitForCacheDeletion({}, *manager_, *cached);

    ASSERT_TRUE(waited.has_value()) << waited.error().message;
    EXPECT_EQ(lister.Get(ns + "/a"), nullptr);
    EXPECT_TRUE(WaitForCacheDeletion<testing::ConfigMap>({}, *manager_, **written).has_value());
  }
}

TEST_F(BuilderTest, WaitForDeletionEndsForObjectThatStays) {
  Create(testing::ConfigMapJson("ns", "a"));
  const auto lister = ListerFor<testing::ConfigMap>(*manager_);
  const RunningRunnable running(*manager_);
  ASSERT_TRUE(manager_->informers().WaitForCacheSync({}));
  const auto cached = lister.Get("ns/a");
  ASSERT_NE(cached, nullptr);
  const rest::CallOptions call({}, Clock::Real().Now());

  const auto waited = WaitForCacheDeletion(call, *manager_, *cached);

  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().reason, ErrorReason::kDeadlineExceeded);
}

// A function may take the Manager, so that it need not be captured.
Expected<void> ReconcileWithManager(Manager& manager, const std::stop_token& /*stop*/,
                                    const Request& request) {
  manager.events().Event({.namespace_ = request.namespace_, .name = request.name}, "Normal", "Seen",
                         "Seen " + request.String());
  return {};
}

TEST_F(BuilderTest, TakesAFunctionOfTheManager) {
  Create(testing::ConfigMapJson("ns", "a"));
  ASSERT_TRUE(
      ControllerFor<testing::ConfigMap>(*manager_).Reconcile(ReconcileWithManager).has_value());
  const RunningRunnable running(*manager_);

  EXPECT_TRUE(testing::Eventually(
      [&] { return server_.CountRequests({.verb = "create", .resource = "events"}) > 0; }));
}

struct Node {
  ObjectMeta metadata = {};
};

}  // namespace
}  // namespace capstan

template <>
inline constexpr auto capstan::kKind<capstan::Node> =
    capstan::Kind("", "v1", "Node", "nodes").ClusterScoped().Partial();

namespace capstan {
namespace {

TEST_F(BuilderTest, RejectsOwnersThatAnObjectCannotHave) {
  const auto built =
      ControllerFor<testing::ConfigMap>(*manager_).Owns<Node>().Reconcile(reconciler_);

  ASSERT_FALSE(built.has_value());
  EXPECT_EQ(built.error().message,
            "controller configmap: a cluster-scoped Node cannot be owned by a namespaced "
            "ConfigMap; use Watches instead of Owns");
}

TEST(RequestsForOwnersTest, ComparesGroupAndKindInAnyVersion) {
  const runtime::ResourceType deployment = {
      .gvr = {.group = "apps", .version = "v1", .resource = "deployments"},
      .kind = "Deployment",
      .namespaced = true,
      .projection = runtime::Projection::All(),
      .decode = {}};
  const auto owner = [](std::string api_version, std::string kind) {
    return std::vector<OwnerReference>{{.api_version = std::move(api_version),
                                        .kind = std::move(kind),
                                        .name = "d",
                                        .controller = true}};
  };

  EXPECT_THAT(RequestsForOwners(owner("apps/v1", "Deployment"), "ns", deployment, false),
              ElementsAre(Request{.namespace_ = "ns", .name = "d"}));
  EXPECT_THAT(RequestsForOwners(owner("apps/v1beta2", "Deployment"), "ns", deployment, false),
              ElementsAre(Request{.namespace_ = "ns", .name = "d"}));
  EXPECT_THAT(RequestsForOwners(owner("v1", "Deployment"), "ns", deployment, false), IsEmpty());
  EXPECT_THAT(RequestsForOwners(owner("extensions/v1", "Deployment"), "ns", deployment, false),
              IsEmpty());
  EXPECT_THAT(RequestsForOwners(owner("apps/v1", "ReplicaSet"), "ns", deployment, false),
              IsEmpty());
}

TEST(RequestsForOwnersTest, ClusterScopedOwnerHasNoNamespace) {
  const std::vector<OwnerReference> owners = {
      {.api_version = "v1", .kind = "Node", .name = "n", .controller = true}};

  EXPECT_THAT(RequestsForOwners(owners, "ns", TypeOf<Node>(), false),
              ElementsAre(Request{.namespace_ = "", .name = "n"}));
}

}  // namespace
}  // namespace capstan

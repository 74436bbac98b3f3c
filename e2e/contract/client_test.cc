// SPDX-License-Identifier: Apache-2.0
// The verbs of capstan::Client<T>, so that they mean the same on both servers.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/client.h"
#include "capstan/consistency.h"
#include "capstan/controller_util.h"
#include "capstan/rest/client.h"
#include "clientgo/client/testing/kinds.h"
#include "clientgo/client/testing/results.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::ElementsAre;
using Pod = PartOfPod;

class ClientTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    auto client = rest::Client::New(config(), {.warning_handler = &warnings_});
    ASSERT_TRUE(client.has_value()) << client.error().message;
    rest_ = std::move(*client);
  }
  ConfigMap NewConfigMap(std::string name) const {
    return testing::NewConfigMap(ns(), std::move(name));
  }
  runtime::ObjectKey Named(std::string name) const { return {ns(), std::move(name)}; }
  template <class T>
  static ErrorReason ReasonOf(const Expected<T>& result) {
    return result ? ErrorReason::kUnknown : result.error().reason;
  }

  RecordingWarnings warnings_;
  std::unique_ptr<rest::Client> rest_;
};

TEST_F(ClientTest, CreatesReadsUpdatesPatchesAndDeletes) {
  const Client<ConfigMap> config_maps(*rest_);

  const auto created = Value(config_maps.Create({}, NewConfigMap("a")));
  EXPECT_EQ(ReasonOf(config_maps.Create({}, NewConfigMap("a"))), ErrorReason::kAlreadyExists);
  ConfigMap wanted = *created;
  wanted.data["k"] = "2";
  const auto updated = Value(config_maps.Update({}, wanted));
  EXPECT_EQ(updated->data.at("k"), "2");
  EXPECT_EQ(ReasonOf(config_maps.Update({}, wanted)), ErrorReason::kConflict);
  ConfigMap later = *updated;
  AddFinalizer(later.metadata, "x.io/a");
  const Patch patch = MergeFrom(*updated, later, {.optimistic_lock = true});
  const auto patched = Value(config_maps.Patch({}, Named("a"), patch));
  EXPECT_TRUE(ContainsFinalizer(patched->metadata, "x.io/a"));
  EXPECT_EQ(ReasonOf(config_maps.Patch({}, Named("a"), patch)), ErrorReason::kConflict);
  EXPECT_EQ(ReasonOf(config_maps.Delete({}, Named("a"), {.uid = "x"})), ErrorReason::kConflict);
  EXPECT_TRUE(config_maps.Delete({}, Named("a"), {.dry_run = true}));
  EXPECT_TRUE(config_maps.Delete({}, Named("a"), {.uid = created->uid()}));
  const auto deleting = Value(config_maps.Get({}, Named("a")));
  EXPECT_TRUE(deleting->metadata.deletion_timestamp.has_value());
  ConfigMap released = *deleting;
  RemoveFinalizer(released.metadata, "x.io/a");
  EXPECT_TRUE(config_maps.Patch({}, Named("a"), MergeFrom(*deleting, released)));
  EXPECT_EQ(ReasonOf(config_maps.Get({}, Named("a"))), ErrorReason::kNotFound);
}

TEST_F(ClientTest, AppliesFieldsAndRefusesThoseOfOthers) {
  const Client<ConfigMap> config_maps(*rest_);
  ConfigMap object = NewConfigMap("a");

  EXPECT_TRUE(config_maps.Apply({}, object, {.field_manager = "one"}));
  object.data["k"] = "2";
  EXPECT_EQ(ReasonOf(config_maps.Apply({}, object, {.field_manager = "two"})),
            ErrorReason::kConflict);
  const auto forced = Value(config_maps.Apply({}, object, {.field_manager = "two", .force = true}));
  EXPECT_EQ(forced->data.at("k"), "2");
}

TEST_F(ClientTest, ListsAllPagesAndDeletesASelection) {
  const Client<ConfigMap> config_maps(*rest_);
  for (const char* const name : {"c", "a", "b"}) {
    ConfigMap object = NewConfigMap(name);
    if (*name != 'b') object.metadata.labels = {{"delete", "1"}};
    ASSERT_TRUE(config_maps.Create({}, object));
  }
  const auto names = [&](std::int64_t page_size) {
    std::vector<std::string> found;
    const auto list = config_maps.List({}, {.namespace_ = ns(), .limit = page_size});
    EXPECT_TRUE(list.has_value()) << list.error().message;
    for (const auto& object : *list) {
      // Some API servers create a ConfigMap in every namespace.
      if (object->name() != "kube-root-ca.crt") found.emplace_back(object->name());
    }
    return found;
  };

  EXPECT_THAT(names(1), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(config_maps.DeleteAllOf({}, {.namespace_ = ns()}, {.dry_run = true}));
  EXPECT_THAT(names(2), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(config_maps.DeleteAllOf({}, {.namespace_ = ns(), .label_selector = "delete=1"}));
  EXPECT_THAT(names(0), ElementsAre("b"));
}

TEST_F(ClientTest, ListContinuesAfterItsTokenExpired) {
  const Client<ConfigMap> config_maps(*rest_);
  for (const char* const name : {"a", "b", "c"}) {
    ASSERT_TRUE(config_maps.Create({}, NewConfigMap(name)));
  }
  const auto first = config_maps.ListPage({}, {.namespace_ = ns(), .limit = 1});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  ASSERT_TRUE(config_maps.Delete({}, Named("b")));
  if (!Compact()) GTEST_SKIP() << "the history cannot be compacted";

  const rest::ListOptions rest = {
      .namespace_ = ns(), .limit = 1, .continue_token = first->meta.continue_token};
  const auto expired = config_maps.ListPage({}, rest);
  ASSERT_FALSE(expired.has_value());
  EXPECT_TRUE(IsExpired(expired.error()));
  const auto list = config_maps.List({}, rest);

  ASSERT_TRUE(list.has_value()) << list.error().message;
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(list->at(0)->name(), "a");
  EXPECT_EQ(list->at(1)->name(), "c");
}

TEST_F(ClientTest, WritesStatusAndScaleOfDeployment) {
  const Client<Deployment> deployments(*rest_);
  const Answer created =
      Post(Apps("deployments"),
           R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":)"
           R"({"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)"
           R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(created.code, 201) << created.body;
  const auto status = Patch::Merge(
      R"({"status":{"replicas":2,"readyReplicas":1,"availableReplicas":1,"updatedReplicas":2}})");

  const auto patched = Value(deployments.PatchStatus({}, Named("d"), status));
  Scale scale = *Value(deployments.GetScale({}, Named("d")));
  EXPECT_EQ(patched->status.ready_replicas, 1);
  EXPECT_EQ(patched->spec.replicas, 2);
  EXPECT_EQ(scale.spec.replicas, 2);
  EXPECT_EQ(scale.status.replicas, 2);
  EXPECT_EQ(scale.status.selector, "a=b");
  scale.spec.replicas = 4;
  EXPECT_EQ(Value(deployments.UpdateScale({}, scale))->spec.replicas, 4);
  EXPECT_EQ(ReasonOf(deployments.UpdateScale({}, scale)), ErrorReason::kConflict);
  const auto zero = Patch::Merge(R"({"spec":{"replicas":0}})");
  EXPECT_EQ(Value(deployments.PatchScale({}, Named("d"), zero))->spec.replicas, 0);
  Deployment applied;
  applied.metadata = {.name = "d", .namespace_ = ns()};
  applied.spec.replicas = 3;
  const auto forced = Value(deployments.Apply({}, applied, {.field_manager = "me", .force = true}));
  EXPECT_EQ(forced->spec.replicas, 3);
}

TEST_F(ClientTest, BindsAndEvictsPod) {
  const Client<Pod> pods(*rest_);
  const std::string body = R"(,"spec":{"containers":[{"name":"c","image":"i"}]}})";
  ASSERT_EQ(Post(Core("pods", ""), R"({"metadata":{"name":"p"})" + body).code, 201);
  ASSERT_EQ(Post(Core("pods", ""), R"({"metadata":{"name":"q"})" + body).code, 201);

  EXPECT_TRUE(rest_->Bind({}, Named("p"), "node-1"));
  EXPECT_EQ(Value(pods.Get({}, Named("p")))->spec.node_name, "node-1");
  EXPECT_EQ(ReasonOf(rest_->Bind({}, Named("p"), "node-2")), ErrorReason::kConflict);
  EXPECT_TRUE(pods.Evict({}, Named("q")));
  EXPECT_EQ(ReasonOf(pods.Get({}, Named("q"))), ErrorReason::kNotFound);
  EXPECT_EQ(ReasonOf(pods.Evict({}, Named("q"))), ErrorReason::kNotFound);
  EXPECT_TRUE(pods.Delete({}, Named("p"), {.grace_period = std::chrono::seconds(0)}));
}

TEST_F(ClientTest, CacheHasOwnWritesAfterWait) {
  const Client<ConfigMap> config_maps(*rest_);
  cache::SharedInformerFactory informers(*rest_, {.scope = {.namespace_ = ns()}});
  auto& informer = informers.ForType(TypeOf<ConfigMap>());
  const cache::Lister<capstan::TypedObject<ConfigMap>> lister(informer.store());
  std::stop_source stop;
  informers.Start(stop.get_token());
  const rest::CallOptions call(stop.get_token(), Clock::Real().After(std::chrono::seconds(20)));
  ConfigMap object = NewConfigMap("a");

  for (int i = 0; i < 10; ++i) {
    object.data["k"] = std::to_string(i);
    const auto applied = Value(config_maps.Apply(call, object, {.field_manager = "me"}));
    const auto waited = WaitForCacheVersion(call, informer, *applied);
    ASSERT_TRUE(waited.has_value()) << waited.error().message;
    EXPECT_EQ(lister.Get(ns() + "/a")->data.at("k"), std::to_string(i));
  }
  const auto last = lister.Get(ns() + "/a");
  EXPECT_TRUE(config_maps.Delete(call, Named("a")));
  EXPECT_TRUE(WaitForCacheDeletion(call, informer, *last));
  EXPECT_EQ(lister.Get(ns() + "/a"), nullptr);

  stop.request_stop();
  informers.Shutdown();
}

TEST_F(ClientTest, ReportsWarningsAndStrictValidation) {
  const auto type = Unstructured::TypeFor({"", "v1", "configmaps"}, "ConfigMap", true);
  const std::string body = R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})";
  const auto create = [&](rest::FieldValidation validation) {
    return rest_->Create({}, type, ns(), body, {.field_validation = validation});
  };

  EXPECT_EQ(ReasonOf(create(rest::FieldValidation::kStrict)), ErrorReason::kBadRequest);
  EXPECT_TRUE(create(rest::FieldValidation::kWarn));

  EXPECT_THAT(warnings_.texts, ElementsAre("duplicate field \"data.k\""));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

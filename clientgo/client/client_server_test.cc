// SPDX-License-Identifier: Apache-2.0
// Every verb of Client<T> on the embedded API server. e2e/contract/client_test.cc has those that
// also run on a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "clientgo/client/testing/kinds.h"
#include "clientgo/client/testing/results.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan {
namespace {

// Images has the images of a Deployment's containers, and not their ports.
struct Images {
  ObjectMeta metadata = {};
  struct PodSpec {
    std::vector<testing::Container> containers = {};
  };
  struct Template {
    PodSpec spec = {};
  };
  struct Spec {
    Template pod_template = {};
  } spec = {};
};

}  // namespace

template <>
inline constexpr auto kKind<Images> = Kind("apps", "v1", "Deployment", "deployments")
                                          .Namespaced()
                                          .Partial()
                                          .Spec(Field("template", &Images::Spec::pod_template,
                                                      Field("spec", &Images::Template::spec,
                                                            Field("containers",
                                                                  &Images::PodSpec::containers))));

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ClientServerTest : public testing::apiserver::RestFixture {
 protected:
  ClientServerTest() : RestFixture({}, {.user_agent = "test/1"}, {.warning_handler = &warnings_}) {
    CreateNamespace("ns");
  }
  static testing::ConfigMap NewConfigMap(std::string name) {
    return testing::NewConfigMap("ns", std::move(name));
  }
  // Creates the Deployment "d" with 2 replicas.
  void CreateDeployment() {
    Create(
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"ns"},)"
        R"("spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
        R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i",)"
        R"("ports":[{"containerPort":80}]}]}}}})");
  }

  const runtime::ObjectKey key_ = {"ns", "a"};
  testing::RecordingWarnings warnings_;
  const Client<testing::ConfigMap> config_maps_{*client_};
};

TEST_F(ClientServerTest, CreatesReadsUpdatesAndDeletes) {
  const auto created = testing::Value(config_maps_.Create({}, NewConfigMap("a")));
  testing::ConfigMap wanted = *created;
  wanted.data["k"] = "2";
  wanted.metadata.labels = {{"l", "1"}};
  const auto updated = testing::Value(config_maps_.Update({}, wanted));
  const auto read = testing::Value(config_maps_.Get({}, key_));
  const auto deleted = config_maps_.Delete({}, key_, {.uid = created->uid()});
  const auto missing = config_maps_.Get({}, key_);

  EXPECT_TRUE(created->metadata.creation_timestamp.has_value());
  EXPECT_NE(updated->resource_version(), created->resource_version());
  EXPECT_EQ(read->data.at("k"), "2");
  EXPECT_EQ(read->metadata.labels.at("l"), "1");
  EXPECT_TRUE(deleted.has_value());
  ASSERT_FALSE(missing.has_value());
  EXPECT_TRUE(IsNotFound(missing.error()));
}

TEST_F(ClientServerTest, GeneratesName) {
  testing::ConfigMap object = NewConfigMap("");
  object.metadata.generate_name = "x-";

  const auto created = testing::Value(config_maps_.Create({}, object));

  EXPECT_TRUE(created->name().starts_with("x-"));
  EXPECT_GT(created->name().size(), 2U);
}

TEST_F(ClientServerTest, UpdateOfOldVersionConflictsUntilReadAgain) {
  testing::ConfigMap stale = *testing::Value(config_maps_.Create({}, NewConfigMap("a")));
  testing::ConfigMap other = stale;
  other.data["other"] = "1";
  ASSERT_TRUE(config_maps_.Update({}, other));
  stale.data["k"] = "3";
  int attempts = 0;

  const auto conflict = config_maps_.Update({}, stale);
  const auto updated = RetryOnConflict({}, [&]() -> Expected<Ptr<testing::ConfigMap>> {
    if (++attempts == 1) return config_maps_.Update({}, stale);
    auto current = config_maps_.Get({}, key_);
    if (!current) return current;
    testing::ConfigMap wanted = **current;
    wanted.data["k"] = "3";
    return config_maps_.Update({}, wanted);
  });

  ASSERT_FALSE(conflict.has_value());
  EXPECT_TRUE(IsConflict(conflict.error()));
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(testing::Value(updated)->data.at("k"), "3");
  EXPECT_EQ(testing::Value(updated)->data.at("other"), "1");
}

TEST_F(ClientServerTest, ListsAllPagesInOrder) {
  for (const char* const name : {"c", "a", "e", "b", "d"}) {
    ASSERT_TRUE(config_maps_.Create({}, NewConfigMap(name)));
  }

  const auto list = config_maps_.List({}, {.namespace_ = "ns", .limit = 2});

  ASSERT_TRUE(list.has_value()) << list.error().message;
  std::vector<std::string> names;
  for (const auto& object : *list) names.emplace_back(object->name());
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(ClientServerTest, PatchesWithDifference) {
  const auto created = testing::Value(config_maps_.Create({}, NewConfigMap("a")));
  testing::ConfigMap wanted = *created;
  wanted.data = {{"new", "1"}};
  ASSERT_TRUE(AddFinalizer(wanted.metadata, "x.io/a"));
  const auto locked = MergeFrom(*created, wanted, {.optimistic_lock = true});

  const auto patched = testing::Value(config_maps_.Patch({}, key_, locked));
  const auto again = config_maps_.Patch({}, key_, locked);
  const auto json = testing::Value(
      config_maps_.Patch({}, key_, Patch::Json(R"([{"op":"remove","path":"/data/new"}])")));
  const auto strategic = testing::Value(config_maps_.Patch(
      {}, key_, Patch::StrategicMerge(R"({"metadata":{"finalizers":["x.io/b"]}})")));

  EXPECT_EQ(patched->data, wanted.data);
  ASSERT_FALSE(again.has_value());
  EXPECT_TRUE(IsConflict(again.error()));
  EXPECT_TRUE(json->data.empty());
  EXPECT_EQ(strategic->metadata.finalizers.size(), 2U);
}

TEST_F(ClientServerTest, AppliesFieldsAndRefusesThoseOfOthers) {
  testing::ConfigMap object = NewConfigMap("a");
  const auto created = testing::Value(config_maps_.Apply({}, object, {.field_manager = "one"}));
  object.data["k"] = "2";

  const auto refused = config_maps_.Apply({}, object, {.field_manager = "two"});
  const auto forced =
      testing::Value(config_maps_.Apply({}, object, {.field_manager = "two", .force = true}));

  EXPECT_EQ(created->data.at("k"), "1");
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(IsConflict(refused.error()));
  EXPECT_EQ(forced->data.at("k"), "2");
}

TEST_F(ClientServerTest, WritesStatusApartFromSpec) {
  const Client<testing::Certificate> certificates(*client_);
  testing::Certificate object;
  object.metadata.namespace_ = "ns";
  object.metadata.name = "a";
  object.spec.secret_name = "s";
  SetStatusCondition(object.status.conditions, {.type = "Ready", .status = "True", .reason = "Ok"});

  const auto created = testing::Value(certificates.Create({}, object));
  EXPECT_TRUE(created->status.conditions.empty());
  testing::Certificate wanted = *created;
  wanted.status = object.status;
  wanted.spec.secret_name = "ignored";
  const auto updated = testing::Value(certificates.UpdateStatus({}, wanted));
  EXPECT_TRUE(IsStatusConditionTrue(updated->status.conditions, "Ready"));
  EXPECT_EQ(updated->spec.secret_name, "s");
  EXPECT_EQ(updated->metadata.generation, 1);
  testing::Certificate later = *updated;
  SetStatusCondition(later.status.conditions, {.type = "Ready", .status = "False", .reason = "No"});
  const auto patched =
      testing::Value(certificates.PatchStatus({}, key_, MergeFrom(*updated, later)));
  EXPECT_TRUE(IsStatusConditionFalse(patched->status.conditions, "Ready"));
  testing::Certificate applied;
  applied.metadata = {.name = "a", .namespace_ = "ns"};
  SetStatusCondition(applied.status.conditions, {.type = "Mine", .status = "True", .reason = "Ok"});
  const auto both = testing::Value(certificates.ApplyStatus({}, applied, {.field_manager = "me"}));
  EXPECT_TRUE(IsStatusConditionTrue(both->status.conditions, "Mine"));
  EXPECT_TRUE(IsStatusConditionFalse(both->status.conditions, "Ready"));
}

TEST_F(ClientServerTest, DeleteAddsFinalizerOfPropagationPolicy) {
  const auto owner = testing::Value(config_maps_.Create({}, NewConfigMap("a")));
  testing::ConfigMap owned = NewConfigMap("b");
  ASSERT_TRUE(SetControllerReference(*owner, owned.metadata));
  owned.metadata.finalizers = {"x.io/a"};  // so the garbage collector waits
  const auto child = testing::Value(config_maps_.Create({}, owned));

  const auto dry = config_maps_.Delete({}, key_, {.dry_run = true});
  const auto wrong = config_maps_.Delete({}, key_, {.uid = "other"});
  const auto foreground =
      config_maps_.Delete({}, key_, {.propagation_policy = rest::PropagationPolicy::kForeground});
  const auto kept = testing::Value(config_maps_.Get({}, key_));

  EXPECT_TRUE(dry.has_value());
  ASSERT_FALSE(wrong.has_value());
  EXPECT_TRUE(IsConflict(wrong.error()));
  EXPECT_TRUE(foreground.has_value());
  EXPECT_TRUE(kept->metadata.deletion_timestamp.has_value());
  EXPECT_THAT(kept->metadata.finalizers, ElementsAre("foregroundDeletion"));
  EXPECT_TRUE(IsControlledBy(child->metadata, *owner));
}

TEST_F(ClientServerTest, DeletesAllOfASelection) {
  for (const char* const name : {"a", "b", "c"}) {
    testing::ConfigMap object = NewConfigMap(name);
    if (*name != 'b') object.metadata.labels = {{"delete", "1"}};
    ASSERT_TRUE(config_maps_.Create({}, object));
  }

  const auto dry = config_maps_.DeleteAllOf({}, {.namespace_ = "ns"}, {.dry_run = true});
  const auto deleted =
      config_maps_.DeleteAllOf({}, {.namespace_ = "ns", .label_selector = "delete=1"});
  const auto left = config_maps_.List({}, {.namespace_ = "ns"});

  EXPECT_TRUE(dry.has_value());
  ASSERT_TRUE(deleted.has_value()) << deleted.error().message;
  ASSERT_TRUE(left.has_value());
  ASSERT_EQ(left->size(), 1U);
  EXPECT_EQ(left->front()->name(), "b");
}

TEST_F(ClientServerTest, ScalesDeployment) {
  CreateDeployment();
  const Client<testing::Deployment> deployments(*client_);
  const runtime::ObjectKey key = {"ns", "d"};

  Scale scale = *testing::Value(deployments.GetScale({}, key));
  EXPECT_EQ(scale.spec.replicas, 2);
  EXPECT_EQ(scale.status.selector, "a=b");
  scale.spec.replicas = 4;
  EXPECT_EQ(testing::Value(deployments.UpdateScale({}, scale))->spec.replicas, 4);
  const auto stale = deployments.UpdateScale({}, scale);
  ASSERT_FALSE(stale.has_value());
  EXPECT_TRUE(IsConflict(stale.error()));
  const auto patched =
      testing::Value(deployments.PatchScale({}, key, Patch::Merge(R"({"spec":{"replicas":0}})")));
  EXPECT_EQ(patched->spec.replicas, 0);
  EXPECT_EQ(testing::Value(deployments.Get({}, key))->spec.replicas, 0);
}

TEST_F(ClientServerTest, PatchDoesNotRemoveUndeclaredFieldsOfListElements) {
  CreateDeployment();
  const Client<Images> deployments(*client_);
  const Client<Unstructured> whole(
      *client_, Unstructured::TypeFor({"apps", "v1", "deployments"}, "Deployment", true));
  const runtime::ObjectKey key = {"ns", "d"};
  const auto original = testing::Value(deployments.Get({}, key));
  Images modified = *original;
  modified.spec.pod_template.spec.containers.at(0).image = "i:2";
  Images applied;
  applied.metadata.namespace_ = "ns";
  applied.metadata.name = "d";
  applied.spec.pod_template.spec.containers = {{.name = "c", .image = "i:3"}};

  const auto patched = deployments.Patch({}, key, MergeFrom(*original, modified));
  const std::string after_patch = ToJson(*testing::Value(whole.Get({}, key)));
  const auto instead = deployments.Apply({}, applied, {.field_manager = "test", .force = true});
  const std::string after_apply = ToJson(*testing::Value(whole.Get({}, key)));

  ASSERT_FALSE(patched.has_value());
  EXPECT_EQ(patched.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_THAT(patched.error().message,
              StartsWith("failed to patch Deployment ns/d: MergeFrom cannot change "
                         "spec.template.spec.containers of a Partial() kind: "));
  EXPECT_THAT(after_patch, HasSubstr(R"("containerPort":80)"));
  EXPECT_TRUE(instead.has_value()) << instead.error().message;
  EXPECT_THAT(after_apply, HasSubstr(R"("image":"i:3")"));
  EXPECT_THAT(after_apply, HasSubstr(R"("containerPort":80)"));
}

TEST_F(ClientServerTest, BindsAndEvictsPod) {
  const Client<testing::PartOfPod> pods(*client_);
  ASSERT_TRUE(server_
                  .CreateObjects({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",)"
                                  R"("namespace":"ns"},"spec":{"containers":[{"name":"c",)"
                                  R"("image":"i"}]}})"})
                  .has_value());

  ASSERT_TRUE(client_->Bind({}, key_, "node-1"));
  EXPECT_EQ(testing::Value(pods.Get({}, key_))->spec.node_name, "node-1");
  const auto again = client_->Bind({}, key_, "node-2");
  ASSERT_FALSE(again.has_value());
  EXPECT_TRUE(IsConflict(again.error()));
  ASSERT_TRUE(pods.Evict({}, key_, {.grace_period = std::chrono::seconds(0)}));
  EXPECT_FALSE(pods.Get({}, key_).has_value());
}

TEST_F(ClientServerTest, ReportsWarningsAndStrictValidation) {
  const auto type = Unstructured::TypeFor({"", "v1", "configmaps"}, "ConfigMap", true);
  const std::string body = R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})";
  const auto create = [&](rest::FieldValidation validation) {
    return client_->Create({}, type, "ns", body, {.field_validation = validation}).has_value();
  };

  EXPECT_FALSE(create(rest::FieldValidation::kStrict));
  EXPECT_TRUE(warnings_.texts.empty());
  EXPECT_TRUE(create(rest::FieldValidation::kServerDefault));

  EXPECT_THAT(warnings_.texts, ElementsAre("duplicate field \"data.k\""));
}

TEST_F(ClientServerTest, UntypedClientWritesTheSameObjects) {
  const Client<Unstructured> config_maps(
      *client_, Unstructured::TypeFor({"", "v1", "configmaps"}, "ConfigMap", true));
  Unstructured object("v1", "ConfigMap");
  object.metadata.namespace_ = "ns";
  object.metadata.name = "a";
  ASSERT_TRUE(object.Set({"data", "k"}, "1"));

  const auto created = testing::Value(config_maps.Create({}, object));
  EXPECT_EQ(created->Get<std::string>({"data", "k"}), "1");
  Unstructured wanted = *created;
  ASSERT_TRUE(wanted.Set({"data", "k"}, "2"));
  EXPECT_TRUE(config_maps.Update({}, wanted));
  EXPECT_EQ(testing::Value(Client<testing::ConfigMap>(*client_).Get({}, key_))->data.at("k"), "2");
  const auto list = config_maps.List({}, {.namespace_ = "ns"});
  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_EQ(list->size(), 1U);
  EXPECT_TRUE(config_maps.Delete({}, key_));
}

}  // namespace
}  // namespace capstan

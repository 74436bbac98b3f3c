// SPDX-License-Identifier: Apache-2.0
// Tests of what happens after a deletion: dependents are collected, orphaned or awaited, and a
// namespace loses its contents. kube-controller-manager does that in a real cluster.
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

class GarbageCollectionTest : public ContractTest {
 protected:
  void SetUp() override {
    if (!CollectsGarbage()) GTEST_SKIP() << "no kube-controller-manager runs";
    ContractTest::SetUp();
  }
  static std::string Reference(std::string_view name, std::string_view uid,
                               const std::string& more = "") {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + std::string(name) +
           R"(","uid":")" + std::string(uid) + "\"" + more + "}";
  }
  std::string Uid(std::string_view name) const {
    return std::string(Get(ConfigMaps(name)).meta("uid"));
  }
  // Creates a ConfigMap that these others own.
  void CreateOwned(std::string_view name, const std::vector<std::string>& owners,
                   const std::string& more = "", const std::string& reference = "") const {
    std::string references;
    for (const std::string& owner : owners) {
      references += (references.empty() ? "" : ",") + Reference(owner, Uid(owner), reference);
    }
    CreateConfigMap(name, R"("ownerReferences":[)" + references + "]" + more);
  }
  bool IsGone(std::string_view name) const { return Get(ConfigMaps(name)).code == 404; }
  bool Goes(std::string_view name) const {
    return Eventually([&] { return IsGone(name); });
  }
  void RemoveFinalizers(std::string_view name) const {
    EXPECT_EQ(MergePatch(ConfigMaps(name), R"({"metadata":{"finalizers":null}})").code, 200);
  }
};

constexpr const char* kHeld = R"(,"finalizers":["x.io/held"])";
constexpr const char* kBlocks = R"(,"blockOwnerDeletion":true)";

TEST_F(GarbageCollectionTest, DeletesTheDependentsOfADeletedOwner) {
  CreateConfigMap("owner");
  CreateOwned("child", {"owner"});
  CreateOwned("grandchild", {"child"});
  CreateConfigMap("other");

  EXPECT_EQ(Delete(ConfigMaps("owner"), R"({"propagationPolicy":"Background"})").code, 200);

  EXPECT_TRUE(IsGone("owner"));
  EXPECT_TRUE(Goes("child"));
  EXPECT_TRUE(Goes("grandchild"));
  EXPECT_FALSE(IsGone("other"));
}

TEST_F(GarbageCollectionTest, KeepsAnObjectWithAnotherOwnerWithoutTheReference) {
  CreateConfigMap("first");
  CreateConfigMap("second");
  CreateOwned("child", {"first", "second"});
  const std::string second = Uid("second");

  Delete(ConfigMaps("first"));

  const auto owners = [&] {
    const Answer child = Get(ConfigMaps("child"));
    const runtime::JsonValue* const list =
        runtime::FindPath(child.json, {"metadata", "ownerReferences"});
    return list == nullptr ? "none" : runtime::ToJson(*list);
  };
  EXPECT_TRUE(Eventually([&] { return owners() == "[" + Reference("second", second) + "]"; }))
      << owners();
}

TEST_F(GarbageCollectionTest, DeletesAnObjectWhoseOwnerHasAnotherUid) {
  CreateConfigMap("owner");
  CreateConfigMap("wrong", R"("ownerReferences":[)" +
                               Reference("owner", "00000000-0000-4000-8000-000000000000") + "]");
  CreateConfigMap("absent", R"("ownerReferences":[)" +
                                Reference("none", "00000000-0000-4000-8000-000000000001") + "]");

  EXPECT_TRUE(Goes("wrong"));
  EXPECT_TRUE(Goes("absent"));
  EXPECT_FALSE(IsGone("owner"));
}

TEST_F(GarbageCollectionTest, OrphansDependents) {
  CreateConfigMap("owner");
  CreateOwned("child", {"owner"});

  const Answer deleted = Delete(ConfigMaps("owner"), R"({"propagationPolicy":"Orphan"})");

  EXPECT_EQ(deleted.code, 200);
  EXPECT_TRUE(Goes("owner"));
  const Answer child = Get(ConfigMaps("child"));
  EXPECT_EQ(child.code, 200);
  EXPECT_EQ(runtime::FindPath(child.json, {"metadata", "ownerReferences"}), nullptr);
}

TEST_F(GarbageCollectionTest, DeletesTheOwnerAfterItsBlockingDependents) {
  CreateConfigMap("owner");
  CreateOwned("child", {"owner"}, kHeld, kBlocks);

  const Answer deleted = Delete(ConfigMaps("owner"), R"({"propagationPolicy":"Foreground"})");

  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(runtime::ToJson(deleted.json["metadata"]["finalizers"]), R"(["foregroundDeletion"])");
  EXPECT_TRUE(
      Eventually([&] { return !Get(ConfigMaps("child")).meta("deletionTimestamp").empty(); }));
  EXPECT_FALSE(IsGone("owner"));
  RemoveFinalizers("child");
  EXPECT_TRUE(Goes("owner"));
  EXPECT_TRUE(IsGone("child"));
}

TEST_F(GarbageCollectionTest, DoesNotWaitForOtherDependents) {
  CreateConfigMap("owner");
  CreateOwned("child", {"owner"}, kHeld);

  Delete(ConfigMaps("owner"), R"({"propagationPolicy":"Foreground"})");

  EXPECT_TRUE(Goes("owner"));
  EXPECT_TRUE(
      Eventually([&] { return !Get(ConfigMaps("child")).meta("deletionTimestamp").empty(); }));
  RemoveFinalizers("child");
}

TEST_F(GarbageCollectionTest, DeletesTheDependentsOfDependentsFirstInTheForeground) {
  CreateConfigMap("owner");
  CreateOwned("child", {"owner"}, "", kBlocks);
  CreateOwned("grandchild", {"child"}, kHeld, kBlocks);

  Delete(ConfigMaps("owner"), R"({"propagationPolicy":"Foreground"})");

  EXPECT_TRUE(
      Eventually([&] { return !Get(ConfigMaps("grandchild")).meta("deletionTimestamp").empty(); }));
  EXPECT_FALSE(IsGone("child"));
  EXPECT_FALSE(IsGone("owner"));
  RemoveFinalizers("grandchild");
  EXPECT_TRUE(Goes("owner"));
}

TEST_F(GarbageCollectionTest, KeepsAClusterScopedObjectWithANamespacedOwner) {
  CreateConfigMap("owner");
  const std::string cluster_scoped = "/api/v1/namespaces/" + ns() + "-owned";
  DeleteLater(cluster_scoped);
  ASSERT_EQ(Post("/api/v1/namespaces", R"({"metadata":{"name":")" + ns() +
                                           R"(-owned","ownerReferences":[)" +
                                           Reference("owner", Uid("owner")) + "]}}")
                .code,
            201);
  CreateOwned("child", {"owner"});

  Delete(ConfigMaps("owner"));

  EXPECT_TRUE(Goes("child"));
  EXPECT_EQ(runtime::GetString(Get(cluster_scoped).json["status"], "phase"), "Active");
}

TEST_F(GarbageCollectionTest, LooksForTheOwnerInTheNamespaceOfTheObject) {
  const std::string other = "/api/v1/namespaces/" + ns() + "-other";
  DeleteLater(other);
  ASSERT_EQ(Post("/api/v1/namespaces", R"({"metadata":{"name":")" + ns() + "-other\"}}").code, 201);
  CreateConfigMap("owner");

  const Answer child = Post(other + "/configmaps", R"({"metadata":{"name":"child",)"
                                                   R"("ownerReferences":[)" +
                                                       Reference("owner", Uid("owner")) + "]}}");

  EXPECT_EQ(child.code, 201);
  EXPECT_TRUE(Eventually([&] { return Get(other + "/configmaps/child").code == 404; }));
}

TEST_F(GarbageCollectionTest, OrphansTheDependentsOfAJobByDefault) {
  const std::string jobs = "/apis/batch/v1/namespaces/" + ns() + "/jobs";
  const auto create = [&](const std::string& name, const std::string& metadata) {
    const Answer job = Post(jobs, R"({"metadata":{"name":")" + name + "\"" + metadata +
                                      R"(},"spec":{"suspend":true,"template":{"spec":{)"
                                      R"("restartPolicy":"Never","containers":[{"name":"c",)"
                                      R"("image":"i"}]}}}})");
    EXPECT_EQ(job.code, 201) << job.body;
    return std::string(job.meta("uid"));
  };
  // The dependent has the same kind, because a cluster orders only the events of one kind.
  const auto create_both = [&](const std::string& name) {
    const std::string uid = create(name, "");
    create(name + "-child",
           R"(,"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":")" + name +
               R"(","uid":")" + uid + R"("}])");
  };
  create_both("kept");
  create_both("collected");

  const Answer kept = Delete(jobs + "/kept");
  const Answer collected = Delete(jobs + "/collected?propagationPolicy=Background");

  EXPECT_THAT(kept.head, HasSubstr("child pods are preserved by default when jobs are deleted; set "
                                   "propagationPolicy=Background to remove them or set "
                                   "propagationPolicy=Orphan to suppress this warning"));
  EXPECT_EQ(collected.head.find("warning"), std::string::npos) << collected.head;
  EXPECT_TRUE(Eventually([&] { return Get(jobs + "/kept").code == 404; }));
  EXPECT_TRUE(Eventually([&] { return Get(jobs + "/collected-child").code == 404; }));
  const Answer child = Get(jobs + "/kept-child");
  EXPECT_EQ(child.code, 200);
  EXPECT_EQ(runtime::FindPath(child.json, {"metadata", "ownerReferences"}), nullptr) << child.body;
}

TEST_F(GarbageCollectionTest, DeletesANamespaceAfterItsContents) {
  const std::string path = "/api/v1/namespaces/" + ns();
  CreateConfigMap("free");
  CreateConfigMap("held", kHeld + 1);

  const Answer deleted = Delete(path);
  ASSERT_EQ(deleted.code, 200);
  EXPECT_EQ(runtime::GetString(deleted.json["status"], "phase"), "Terminating");
  EXPECT_FALSE(deleted.meta("deletionTimestamp").empty());
  EXPECT_TRUE(Goes("free"));
  EXPECT_REFUSED(
      Post(ConfigMaps(), R"({"metadata":{"name":"late"}})"),
      {.code = 403,
       .reason = "Forbidden",
       .message = "configmaps \"late\" is forbidden: unable to create new content in namespace " +
                  ns() + " because it is being terminated",
       .details = R"({"name":"late","kind":"configmaps","causes":[)" +
                  Cause("NamespaceTerminating", "namespace " + ns() + " is being terminated",
                        "metadata.namespace") +
                  "]}"});
  EXPECT_EQ(Get(path).code, 200);
  RemoveFinalizers("held");
  EXPECT_TRUE(Eventually([&] { return Get(path).code == 404; }));
}

using NamespaceTest = ContractTest;

TEST_F(NamespaceTest, CannotDeleteTheDefaultNamespace) {
  EXPECT_REFUSED(Delete("/api/v1/namespaces/default"),
                 {.code = 403,
                  .reason = "Forbidden",
                  .message = "namespaces \"default\" is forbidden: this namespace may not be "
                             "deleted",
                  .details = R"({"name":"default","kind":"namespaces"})"});
}

TEST_F(NamespaceTest, KeepsItsFinalizersInAnUpdate) {
  const Answer updated = Put("/api/v1/namespaces/" + ns(),
                             R"({"metadata":{"name":")" + ns() + R"(","labels":{"a":"b"}}})");

  EXPECT_EQ(updated.code, 200);
  EXPECT_EQ(runtime::ToJson(updated.json["spec"]), R"({"finalizers":["kubernetes"]})");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

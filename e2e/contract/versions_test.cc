// SPDX-License-Identifier: Apache-2.0
// Tests of custom kinds with several versions and the strategy None: what each version shows, the
// storage version, and server-side apply through several versions.
#include <string>

#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAmount = R"("amount":{"type":"integer"})";
constexpr const char* kNote = R"("note":{"type":"string"})";
constexpr const char* kCurrency = R"("currency":{"type":"string","default":"EUR"})";

// Returns a version with these properties of the spec. `flags` are further members.
std::string NewVersion(const std::string& name, bool storage, const std::string& properties,
                       const std::string& flags = R"("served":true)") {
  return R"({"name":")" + name + R"(","storage":)" + (storage ? "true" : "false") + "," + flags +
         R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
         R"("properties":{)" +
         properties +
         R"(}},"status":{"type":"object","properties":{"sold":{"type":"integer"}}}}}}})";
}

class VersionsTest : public ContractTest {
 protected:
  std::string Definition() const { return std::string(kDefinitions) + "/prices." + Group(); }
  std::string Prices(const std::string& version, const std::string& name = {}) const {
    return InNamespace("/apis/" + Group() + "/" + version, "prices", name);
  }
  // Creates the definition. Waits until the server serves `version` and discovery names it.
  void Define(const std::string& versions, const std::string& version) {
    DeleteLater(Definition());
    const Answer created = Post(
        kDefinitions, R"({"metadata":{"name":"prices.)" + Group() + R"("},"spec":{"group":")" +
                          Group() + R"(","scope":"Namespaced","names":{"plural":"prices",)" +
                          R"("singular":"price","kind":"Price"},"versions":[)" + versions + "]}}");
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] {
      return Get(Prices(version)).code == 200 &&
             Get("/apis/" + Group() + "/" + version).body.find("\"prices\"") != std::string::npos;
    }));
  }
  Answer ChangeVersions(const std::string& versions) const {
    return MergePatch(Definition(), R"({"spec":{"versions":[)" + versions + "]}}");
  }
  std::string Body(const std::string& version, const std::string& name,
                   const std::string& spec) const {
    return R"({"apiVersion":")" + Group() + "/" + version + R"(","kind":"Price","metadata":{)" +
           R"("name":")" + name + R"("},"spec":)" + spec + "}";
  }
  Answer Create(const std::string& version, const std::string& name,
                const std::string& spec) const {
    return Post(Prices(version), Body(version, name, spec));
  }
  Answer ApplyAs(const std::string& manager, const std::string& version,
                 const std::string& spec) const {
    return Apply(Prices(version, "a"), "fieldManager=" + manager, Body(version, "a", spec));
  }
  static std::string Spec(const runtime::JsonValue& object) {
    const runtime::JsonValue* const spec = runtime::Find(object, "spec");
    return spec == nullptr ? "none" : Sorted(runtime::ToJson(*spec));
  }
  // Returns the version, without the group, that a manager's entry in managedFields has.
  static std::string VersionOf(const Answer& answer, std::string_view manager) {
    const runtime::JsonValue& metadata = ObjectAt(answer.json, "metadata");
    for (const runtime::JsonValue& entry : ListAt(metadata, "managedFields").GetArray()) {
      if (runtime::GetString(entry, "manager") != manager) continue;
      const std::string version(runtime::GetString(entry, "apiVersion"));
      return version.substr(version.find('/') + 1);
    }
    return "none";
  }
  std::string StoredVersions() const {
    const Answer definition = Get(Definition());
    return runtime::ToJson(ListAt(ObjectAt(definition.json, "status"), "storedVersions"));
  }
};

TEST_F(VersionsTest, ShowsAnObjectInEachVersion) {
  Define(NewVersion("v1", false, std::string(kAmount) + "," + kNote) + "," +
             NewVersion("v2", true, std::string(kAmount) + "," + kCurrency),
         "v1");

  const Answer created = Create("v1", "a", R"({"amount":3,"note":"is not stored"})");
  const Answer read = Get(Prices("v2", "a"));

  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(runtime::GetString(created.json, "apiVersion"), Group() + "/v1");
  EXPECT_EQ(Spec(created.json), R"({"amount":3})");
  EXPECT_EQ(runtime::GetString(read.json, "apiVersion"), Group() + "/v2");
  EXPECT_EQ(Spec(read.json), R"({"amount":3,"currency":"EUR"})");
  EXPECT_EQ(Spec(Get(Prices("v1", "a")).json), R"({"amount":3})");
  EXPECT_EQ(read.meta("resourceVersion"), created.meta("resourceVersion"));
  EXPECT_EQ(read.meta("uid"), created.meta("uid"));
}

TEST_F(VersionsTest, ListsAndWatchesObjectsOfAnotherVersion) {
  Define(NewVersion("v1", false, kAmount) + "," + NewVersion("v2", true, kAmount), "v1");
  ASSERT_EQ(Create("v2", "a", R"({"amount":1})").code, 201);

  const Answer listed = Get(Prices("v1"));
  WatchStream watch =
      Watch(Prices("v1"), "resourceVersion=" + std::string(listed.meta("resourceVersion")));
  ASSERT_EQ(Create("v2", "b", R"({"amount":2})").code, 201);
  ASSERT_EQ(MergePatch(Prices("v1", "a"), R"({"spec":{"amount":3}})").code, 200);
  const WatchLine added = watch.Next();
  const WatchLine modified = watch.Next();

  EXPECT_EQ(Names(listed), "a ");
  EXPECT_EQ(runtime::GetString(listed.json, "apiVersion"), Group() + "/v1");
  EXPECT_EQ(added.Brief(), "ADDED b");
  EXPECT_EQ(runtime::GetString(added.object, "apiVersion"), Group() + "/v1");
  EXPECT_EQ(modified.Brief() + Spec(modified.object), R"(MODIFIED a{"amount":3})");
}

TEST_F(VersionsTest, ValidatesAnObjectWithTheSchemaOfTheRequest) {
  Define(NewVersion("v1", true, kAmount) + "," +
             NewVersion("v2", false, R"("amount":{"type":"integer","maximum":9})"),
         "v2");

  EXPECT_EQ(Create("v1", "a", R"({"amount":10})").code, 201);
  EXPECT_REFUSED(Create("v2", "b", R"({"amount":10})"),
                 Invalid("Price." + Group(), "b", "spec.amount", "FieldValueInvalid",
                         "Invalid value: 10: spec.amount in body should be less than or equal to "
                         "9"));
  EXPECT_EQ(Spec(Get(Prices("v2", "a")).json), R"({"amount":10})");
}

TEST_F(VersionsTest, ServesTheSubresourcesOfEachVersion) {
  Define(NewVersion("v1", true, kAmount) + "," +
             NewVersion("v2", false, kAmount, R"("served":true,"subresources":{"status":{}})"),
         "v2");
  ASSERT_EQ(Create("v1", "a", "{}").code, 201);

  EXPECT_EQ(MergePatch(Prices("v1", "a") + "/status", R"({"status":{"sold":1}})").code, 404);
  EXPECT_EQ(MergePatch(Prices("v2", "a") + "/status", R"({"status":{"sold":1}})").code, 200);
  EXPECT_THAT(Get(Prices("v1", "a")).body, HasSubstr(R"("status":{"sold":1})"));
  EXPECT_EQ(MergePatch(Prices("v1", "a"), R"({"status":{"sold":2}})").code, 200);
  EXPECT_EQ(MergePatch(Prices("v2", "a"), R"({"status":{"sold":3}})").code, 200);
  EXPECT_THAT(Get(Prices("v1", "a")).body, HasSubstr(R"("status":{"sold":2})"));
}

TEST_F(VersionsTest, ScalesACustomKind) {
  Define(NewVersion("v1", true, kAmount,
                    R"("served":true,"subresources":{"status":{},"scale":{"specReplicasPath":)"
                    R"(".spec.amount","statusReplicasPath":".status.sold"}})") +
             "," + NewVersion("v2", false, kAmount),
         "v1");
  ASSERT_EQ(Create("v1", "a", R"({"amount":2})").code, 201);
  ASSERT_EQ(Create("v2", "b", "{}").code, 201);
  ASSERT_EQ(MergePatch(Prices("v1", "a") + "/status", R"({"status":{"sold":1}})").code, 200);
  const std::string scale = Prices("v1", "a") + "/scale";

  const Answer read = Get(scale);
  EXPECT_EQ(runtime::GetString(read.json, "apiVersion"), "autoscaling/v1");
  EXPECT_EQ(Spec(read.json), R"({"replicas":2})");
  EXPECT_THAT(read.body, HasSubstr(R"("status":{"replicas":1})"));
  EXPECT_EQ(Spec(MergePatch(scale, R"({"spec":{"replicas":5}})").json), R"({"replicas":5})");
  EXPECT_EQ(Spec(Get(Prices("v2", "a")).json), R"({"amount":5})");
  const Answer missing = Get(Prices("v1", "b") + "/scale");
  EXPECT_EQ(missing.code, 500);
  EXPECT_EQ(missing.message(),
            R"(Internal error occurred: the spec replicas field ".spec.amount" does not exist)");
  EXPECT_EQ(MergePatch(Prices("v1", "b") + "/scale", R"({"spec":{"replicas":7}})").code, 200);
  EXPECT_EQ(Spec(Get(Prices("v1", "b")).json), R"({"amount":7})");
  EXPECT_EQ(Get(Prices("v2", "a") + "/scale").code, 404);
  EXPECT_THAT(Get("/apis/" + Group() + "/v1").body,
              AllOf(HasSubstr(R"("name":"prices/scale")"), HasSubstr(R"("group":"autoscaling")")));
}

TEST_F(VersionsTest, DiscoversVersionsInTheOrderOfTheirStability) {
  Define(NewVersion("v1", false, kAmount) + "," + NewVersion("v2beta1", false, kAmount) + "," +
             NewVersion("v2", true, kAmount) + "," + NewVersion("v10alpha1", false, kAmount) + "," +
             NewVersion("v3", false, kAmount, R"("served":false)"),
         "v1");
  const auto version = [&](const std::string& name) {
    return R"({"groupVersion":")" + Group() + "/" + name + R"(","version":")" + name + "\"}";
  };
  const std::string all = R"("versions":[)" + version("v2") + "," + version("v1") + "," +
                          version("v2beta1") + "," + version("v10alpha1") + "]";

  EXPECT_TRUE(Eventually([&] {
    return Get("/apis/" + Group()).body.find(all) != std::string::npos;
  })) << Get("/apis/" + Group()).body;
  EXPECT_THAT(Get("/apis/" + Group()).body, HasSubstr(R"("preferredVersion":)" + version("v2")));
  EXPECT_THAT(Get("/apis/" + Group() + "/v2beta1").body, HasSubstr(R"("name":"prices")"));
  EXPECT_EQ(Get("/apis/" + Group() + "/v3").code, 404);
  EXPECT_EQ(Get(Prices("v3")).code, 404);
}

TEST_F(VersionsTest, NamesTheStoredVersionInDiscovery) {
  Define(NewVersion("v1", false, kAmount) + "," + NewVersion("v2", true, kAmount), "v1");
  const auto hash = [&](const std::string& version) {
    const Answer list = Get("/apis/" + Group() + "/" + version);
    const auto resources = ListAt(list.json, "resources").GetArray();
    return resources.Empty() ? ""
                             : std::string(runtime::GetString(resources[0], "storageVersionHash"));
  };

  EXPECT_TRUE(Eventually([&] { return !hash("v1").empty() && hash("v1") == hash("v2"); }))
      << hash("v1") << " " << hash("v2");
}

TEST_F(VersionsTest, DiscoversVersionsInTheAggregatedForm) {
  Define(NewVersion("v1", false, kAmount) + "," + NewVersion("v2", true, kAmount), "v1");
  const auto versions = [&] {
    const Answer all = Get("/apis", {"Accept: application/json;g=apidiscovery.k8s.io;v=v2;"
                                     "as=APIGroupDiscoveryList"});
    std::string found;
    for (const runtime::JsonValue& group : ListAt(all.json, "items").GetArray()) {
      if (Metadata(group, "name") != Group()) continue;
      for (const runtime::JsonValue& one : ListAt(group, "versions").GetArray()) {
        found += std::string(runtime::GetString(one, "version")) + " ";
      }
    }
    return found;
  };

  EXPECT_TRUE(Eventually([&] { return versions() == "v2 v1 "; })) << versions();
}

TEST_F(VersionsTest, DescribesEachVersionInOpenApi) {
  Define(NewVersion("v1", false, kNote) + "," + NewVersion("v2", true, kCurrency), "v1");
  const auto document = [&](const std::string& version) {
    return Get("/openapi/v3/apis/" + Group() + "/" + version);
  };

  ASSERT_TRUE(Eventually([&] { return document("v1").code == 200 && document("v2").code == 200; }));
  EXPECT_THAT(document("v1").body, AllOf(HasSubstr("\"note\""), Not(HasSubstr("\"currency\""))));
  EXPECT_THAT(document("v2").body, AllOf(HasSubstr("\"currency\""), Not(HasSubstr("\"note\""))));
}

TEST_F(VersionsTest, WarnsAboutADeprecatedVersion) {
  Define(NewVersion("v1beta1", false, kAmount, R"("served":true,"deprecated":true)") + "," +
             NewVersion("v1alpha1", false, kAmount,
                        R"("served":true,"deprecated":true,"deprecationWarning":"it is old")") +
             "," + NewVersion("v1", true, kAmount),
         "v1beta1");
  ASSERT_EQ(Create("v1", "a", "{}").code, 201);

  const std::string warning = "warning: 299 - \"" + Group() + "/v1beta1 Price is deprecated; use " +
                              Group() + "/v1 Price\"";
  EXPECT_THAT(Get(Prices("v1beta1", "a")).head, HasSubstr(warning));
  EXPECT_THAT(Get(Prices("v1beta1")).head, HasSubstr(warning));
  EXPECT_THAT(Get(Prices("v1alpha1", "a")).head, HasSubstr("warning: 299 - \"it is old\""));
  EXPECT_THAT(Get(Prices("v1", "a")).head, Not(HasSubstr("warning:")));
}

TEST_F(VersionsTest, SetsNewDefaultsInStoredObjects) {
  Define(NewVersion("v1", true, kAmount), "v1");
  ASSERT_EQ(Create("v1", "a", R"({"amount":1})").code, 201);

  ASSERT_EQ(ChangeVersions(NewVersion("v1", true, std::string(kAmount) + "," + kCurrency)).code,
            200);

  const std::string wanted = R"({"amount":1,"currency":"EUR"})";
  EXPECT_TRUE(Eventually([&] { return Spec(Get(Prices("v1", "a")).json) == wanted; }))
      << Get(Prices("v1", "a")).body;
}

TEST_F(VersionsTest, MigratesObjectsToANewStorageVersion) {
  const auto versions = [](bool second) {
    return NewVersion("v1", !second, kAmount) + "," + NewVersion("v2", second, kAmount);
  };
  Define(versions(false), "v2");
  const Answer created = Create("v1", "a", R"({"amount":1})");
  ASSERT_EQ(created.code, 201);
  EXPECT_EQ(StoredVersions(), R"(["v1"])");

  ASSERT_EQ(ChangeVersions(versions(true)).code, 200);
  EXPECT_EQ(StoredVersions(), R"(["v1","v2"])");
  const Answer refused = ChangeVersions(NewVersion("v2", true, kAmount));
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.body, HasSubstr(R"("field":"status.storedVersions[0]")"));
  // An update without a change stores the object in the new version.
  EXPECT_TRUE(Eventually([&] {
    const Answer written = MergePatch(Prices("v1", "a"), "{}");
    return written.code == 200 &&
           written.meta("resourceVersion") != created.meta("resourceVersion");
  }));
  // A definition without stored versions has the one that it stores.
  const Answer migrated =
      MergePatch(Definition() + "/status", R"({"status":{"storedVersions":[]}})");
  ASSERT_EQ(migrated.code, 200) << migrated.body;
  EXPECT_EQ(StoredVersions(), R"(["v2"])");
  EXPECT_EQ(ChangeVersions(NewVersion("v2", true, kAmount)).code, 200);

  EXPECT_TRUE(Eventually([&] { return Get(Prices("v1", "a")).code == 404; }));
  EXPECT_EQ(Spec(Get(Prices("v2", "a")).json), R"({"amount":1})");
}

TEST_F(VersionsTest, ManagersKeepTheVersionThatTheyUse) {
  Define(NewVersion("v1", true, std::string(kAmount) + "," + kNote) + "," +
             NewVersion("v2", false, std::string(kAmount) + "," + kNote),
         "v2");
  ASSERT_EQ(ApplyAs("one", "v1", R"({"amount":1})").code, 201);
  ASSERT_EQ(ApplyAs("two", "v2", R"({"note":"x"})").code, 200);

  const Answer read = Get(Prices("v2", "a"));
  const Answer conflict = ApplyAs("two", "v2", R"({"amount":2,"note":"x"})");
  const Answer updated =
      Do("PATCH", Prices("v2", "a") + "?fieldManager=three", R"({"spec":{"amount":3}})",
         {"Content-Type: application/merge-patch+json"});

  EXPECT_EQ(VersionOf(read, "one"), "v1");
  EXPECT_EQ(VersionOf(read, "two"), "v2");
  EXPECT_EQ(FieldsOf(read, "one"), R"({"f:spec":{"f:amount":{}}})");
  EXPECT_EQ(conflict.code, 409);
  EXPECT_THAT(std::string(conflict.message()), HasSubstr(R"(conflict with "one": .spec.amount)"));
  ASSERT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(VersionOf(updated, "three"), "v2");
  EXPECT_EQ(FieldsOf(updated, "one"), "none");
}

TEST_F(VersionsTest, AnApplyThroughAnotherVersionRemovesWhatTheManagerAppliedBefore) {
  Define(NewVersion("v1", true, std::string(kAmount) + "," + kNote) + "," +
             NewVersion("v2", false, std::string(kAmount) + "," + kNote),
         "v2");
  ASSERT_EQ(ApplyAs("one", "v1", R"({"amount":1,"note":"x"})").code, 201);

  const Answer applied = ApplyAs("one", "v2", R"({"amount":2})");

  ASSERT_EQ(applied.code, 200) << applied.body;
  EXPECT_EQ(Spec(applied.json), R"({"amount":2})");
  EXPECT_EQ(VersionOf(applied, "one"), "v2");
  EXPECT_EQ(Managers(applied), 1U);
}

TEST_F(VersionsTest, RejectsAnApplyWhenTheVersionOfAManagerLacksAField) {
  const auto versions = [](const std::string& properties) {
    return NewVersion("v1", true, properties) + "," + NewVersion("v1beta1", false, kAmount);
  };
  Define(versions(kAmount), "v1beta1");
  const Answer first = ApplyAs("one", "v1beta1", R"({"amount":1})");
  ASSERT_EQ(first.code, 201) << first.body;
  ASSERT_EQ(ChangeVersions(versions(std::string(kAmount) + "," + kCurrency)).code, 200);
  const std::string defaulted = R"({"amount":1,"currency":"EUR"})";
  ASSERT_TRUE(Eventually([&] { return Spec(Get(Prices("v1", "a")).json) == defaulted; }));

  for (const char* const manager : {"one", "two"}) {
    const Answer refused = ApplyAs(manager, "v1", R"({"amount":1})");
    EXPECT_EQ(Sorted(refused.body),
              Sorted(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                     R"("message":".spec.currency: field not declared in schema","code":500})"));
  }
  // Other writes succeed.
  const Answer patched =
      Do("PATCH", Prices("v1", "a") + "?fieldManager=three", R"({"spec":{"amount":3}})",
         {"Content-Type: application/merge-patch+json"});
  EXPECT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(Spec(patched.json), R"({"amount":3,"currency":"EUR"})");
  EXPECT_EQ(FieldsOf(patched, "three"), "none");
  if (LosesManagers()) {
    EXPECT_EQ(Managers(patched), 0U);
    EXPECT_EQ(ApplyAs("one", "v1", R"({"amount":3})").code, 200);
    return;
  }
  EXPECT_EQ(FieldsOf(patched, "one"), R"({"f:spec":{"f:amount":{}}})");
  EXPECT_EQ(VersionOf(patched, "one"), "v1beta1");
  // A client moves the manager to a version that has the field.
  const Answer moved = JsonPatch(
      Prices("v1", "a"), R"([{"op":"replace","path":"/metadata/managedFields/0/apiVersion",)"
                         R"("value":")" +
                             Group() + R"(/v1"}])");
  EXPECT_EQ(moved.code, 200) << moved.body;
  EXPECT_EQ(VersionOf(moved, "one"), "v1");
  EXPECT_EQ(ApplyAs("one", "v1", R"({"amount":3})").code, 200);
}

TEST_F(VersionsTest, RejectsAnApplyWhenTheVersionOfAManagerIsRemoved) {
  Define(NewVersion("v1", true, kAmount) + "," + NewVersion("v1beta1", false, kAmount), "v1beta1");
  const Answer first = ApplyAs("one", "v1beta1", R"({"amount":1})");
  ASSERT_EQ(first.code, 201) << first.body;
  const std::string with_note = std::string(kAmount) + "," + kNote;
  ASSERT_EQ(ChangeVersions(NewVersion("v1", true, with_note)).code, 200);
  // A real server may stop serving v1beta1 before it uses the new definition of v1.
  ASSERT_TRUE(Eventually([&] {
    return Post(Prices("v1") + "?dryRun=All&fieldValidation=Strict",
                Body("v1", "probe", R"({"note":"x"})"))
               .code == 201;
  }));

  const Answer refused = ApplyAs("one", "v1", R"({"amount":2})");
  const Answer patched = MergePatch(Prices("v1", "a"), R"({"spec":{"amount":3}})");

  EXPECT_EQ(refused.code, 500) << refused.body;
  EXPECT_EQ(refused.message(),
            "request to convert CR to an invalid group/version: " + Group() + "/v1beta1");
  EXPECT_EQ(patched.code, 200) << patched.body;
  if (LosesManagers()) {
    EXPECT_EQ(Managers(patched), 0U);
    return;
  }
  EXPECT_EQ(VersionOf(patched, "one"), "v1beta1");
  EXPECT_EQ(FieldsOf(patched, "one"), R"({"f:spec":{"f:amount":{}}})");
}

// The embedded server has this kind also without a definition.
TEST_F(VersionsTest, ADefinitionOfCertificatesDecidesWhatIsValid) {
  const std::string definition = std::string(kDefinitions) + "/certificates.cert-manager.io";
  const std::string certificates = "/apis/cert-manager.io/v1/namespaces/" + ns() + "/certificates";
  DeleteLater(definition);
  // The one of a run before is deleted a moment later.
  ASSERT_TRUE(Eventually([&] {
    return Post(kDefinitions,
                R"({"metadata":{"name":"certificates.cert-manager.io"},"spec":{"group":)"
                R"("cert-manager.io","scope":"Namespaced","names":{"plural":"certificates",)"
                R"("singular":"certificate","kind":"Certificate"},"versions":[)" +
                    NewVersion("v1", true, R"("secretName":{"type":"string"})") + "]}}")
               .code == 201;
  }));
  ASSERT_TRUE(Eventually([&] { return Get(certificates).code == 200; }));
  const auto create = [&](const std::string& secret) {
    return Post(certificates,
                R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{)"
                R"("name":"a"},"spec":{"secretName":)" +
                    secret + "}}");
  };

  EXPECT_REFUSED(
      create("5"),
      Invalid("Certificate.cert-manager.io", "a", "spec.secretName", "FieldValueTypeInvalid",
              R"(Invalid value: "integer": spec.secretName in body must be of type )"
              R"(string: "integer")"));
  EXPECT_EQ(create(R"("s")").code, 201);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

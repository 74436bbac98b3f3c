// SPDX-License-Identifier: Apache-2.0
// Tests of the rules for metadata that all kinds share, in creates and in updates.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class MetadataTest : public ContractTest {
 protected:
  // Returns ConfigMap "a" with these members in its metadata.
  static std::string WithMetadata(const std::string& members) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)" + members + "}}";
  }
  static std::string WithOwner(const std::string& owner) {
    return WithMetadata(R"("ownerReferences":[)" + owner + "]");
  }
  // Returns the error for a member of the only owner that has no value.
  std::string EmptyMember(const std::string& member) const {
    const std::string prefix = "metadata.ownerReferences";
    if (Minor() >= 37) return prefix + "[0]." + member + ": Required value: must not be empty";
    std::string what = member == "apiVersion" ? "version " : "";
    if (Minor() < 34 && what.empty()) what = member + " ";
    return prefix + "." + member + ": Invalid value: \"\": " + what + "must not be empty";
  }
  std::string EmptyOwner() const {
    return "[" + EmptyMember("apiVersion") + ", " + EmptyMember("kind") + ", " +
           EmptyMember("name") + ", " + EmptyMember("uid") + "]";
  }
};

TEST_F(MetadataTest, RejectsIncompleteOwners) {
  const Answer no_uid =
      Post(ConfigMaps(), WithOwner(R"({"apiVersion":"a/v1","kind":"K","name":"n"})"));
  EXPECT_EQ(no_uid.code, 422) << no_uid.body;
  EXPECT_EQ(no_uid.message(), "ConfigMap \"a\" is invalid: " + EmptyMember("uid"));

  for (const char* const nothing : {"{}", "null"}) {
    const Answer empty = Post(ConfigMaps(), WithOwner(nothing));
    EXPECT_EQ(empty.code, 422) << empty.body;
    EXPECT_EQ(empty.message(), "ConfigMap \"a\" is invalid: " + EmptyOwner());
  }
}

TEST_F(MetadataTest, RejectsOwnersWithoutAVersion) {
  const auto create = [&](const std::string& name, const std::string& version) {
    return Post(ConfigMaps(), R"({"metadata":{"name":")" + name +
                                  R"(","ownerReferences":[{"apiVersion":")" + version +
                                  R"(","kind":"K","name":"n","uid":"u"}]}})");
  };
  for (const char* const version : {"a/", "/", "a/b/c"}) {
    const Answer answer = create("a", version);
    EXPECT_EQ(answer.code, 422) << answer.body;
    EXPECT_THAT(answer.message(), EndsWith(std::string("apiVersion: Invalid value: \"") + version +
                                           (Minor() < 37 ? "\": version must not be empty"
                                                         : "\": must be <group>/<version> or "
                                                           "<version>")));
  }
  EXPECT_EQ(create("b", "/v1").code, 201);
}

TEST_F(MetadataTest, RejectsEventsAsOwners) {
  const auto owner = [](const std::string& version) {
    return R"({"apiVersion":")" + version + R"(","kind":"Event","name":"n","uid":"u"})";
  };

  const Answer refused = Post(ConfigMaps(), WithOwner(owner("v1")));

  EXPECT_EQ(refused.code, 422) << refused.body;
  EXPECT_THAT(refused.message(), EndsWith("/v1, Kind=Event is disallowed from being an owner"));
  if (Minor() >= 34) {
    EXPECT_THAT(refused.message(), HasSubstr("Invalid value: " + owner("v1")));
  }
  EXPECT_EQ(Post(ConfigMaps(), WithOwner(owner("events.k8s.io/v1"))).code, 201);
}

TEST_F(MetadataTest, ChecksTheOwnersOfEachUpdate) {
  CreateConfigMap("a");
  const std::string body = WithOwner("{}");

  for (const Answer& answer :
       {Put(ConfigMaps("a"), body), MergePatch(ConfigMaps("a"), body),
        JsonPatch(ConfigMaps("a"),
                  R"([{"op":"add","path":"/metadata/ownerReferences","value":[{}]}])")}) {
    EXPECT_EQ(answer.code, 422) << answer.body;
    EXPECT_EQ(answer.message(), "ConfigMap \"a\" is invalid: " + EmptyOwner());
  }
  const Answer applied = Apply(ConfigMaps("a"), "fieldManager=x", WithOwner(R"({"uid":"u"})"));
  EXPECT_EQ(applied.code, 422) << applied.body;
  EXPECT_THAT(applied.message(), HasSubstr(EmptyMember("name")));
}

TEST_F(MetadataTest, RejectsANegativeGeneration) {
  const Answer refused = Post(ConfigMaps(), WithMetadata(R"("generation":-3)"));
  EXPECT_EQ(refused.code, 422) << refused.body;
  EXPECT_EQ(refused.message(),
            "ConfigMap \"a\" is invalid: metadata.generation: Invalid value: -3: must be greater "
            "than or equal to 0");

  // The server sets that of a kind whose changes it counts.
  const Answer counted =
      Post(InNamespace("/apis/policy/v1", "poddisruptionbudgets"),
           R"({"metadata":{"name":"a","generation":-3},"spec":{"selector":{}}})");
  EXPECT_EQ(counted.code, 201) << counted.body;
  EXPECT_EQ(JsonAt(counted, {"metadata", "generation"}), "1");
}

TEST_F(MetadataTest, RejectsAnUpdateThatBeginsADeletion) {
  CreateConfigMap("a");
  const std::string prefix = "ConfigMap \"a\" is invalid: metadata.";

  const Answer time = Put(ConfigMaps("a"), WithMetadata(R"("deletionTimestamp":)"
                                                        R"("2020-01-01T00:00:00+02:00")"));
  EXPECT_EQ(time.code, 422) << time.body;
  const char* const shown =
      Minor() < 34 ? "2019-12-31 22:00:00 +0000 UTC" : "\"2019-12-31T22:00:00Z\"";
  EXPECT_EQ(time.message(),
            prefix + "deletionTimestamp: Invalid value: " + shown + ": field is immutable");

  const Answer period =
      MergePatch(ConfigMaps("a"), WithMetadata(R"("deletionGracePeriodSeconds":0)"));
  EXPECT_EQ(period.code, 422) << period.body;
  EXPECT_EQ(period.message(),
            prefix + "deletionGracePeriodSeconds: Invalid value: 0: field is immutable");
}

TEST_F(MetadataTest, KeepsTheTimeOfADeletion) {
  CreateConfigMap("a", R"("finalizers":["a.b/c"])");
  const std::string time(Delete(ConfigMaps("a")).meta("deletionTimestamp"));
  EXPECT_NE(time, "");

  for (const char* const member :
       {R"("deletionTimestamp":"2020-01-01T00:00:00Z")", R"("deletionTimestamp":null)",
        R"("deletionGracePeriodSeconds":null)"}) {
    const Answer kept = MergePatch(ConfigMaps("a"), WithMetadata(member));
    EXPECT_EQ(kept.code, 200) << kept.body;
    EXPECT_EQ(kept.meta("deletionTimestamp"), time);
    EXPECT_EQ(JsonAt(kept, {"metadata", "deletionGracePeriodSeconds"}), "0");
  }
  EXPECT_EQ(MergePatch(ConfigMaps("a"), WithMetadata(R"("deletionGracePeriodSeconds":7)")).code,
            422);
  EXPECT_EQ(MergePatch(ConfigMaps("a"), R"({"metadata":{"finalizers":null}})").code, 200);
}

TEST_F(MetadataTest, IgnoresTheTimeOfADeletionInTheStatusOfAPod) {
  Post(Core("pods", ""),
       R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  const std::string status = Core("pods", "a") + "/status";

  const Answer ignored = MergePatch(
      status,
      R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z","ownerReferences":[{}]}})");

  EXPECT_EQ(ignored.code, 200) << ignored.body;
  EXPECT_EQ(ignored.meta("deletionTimestamp"), "");
  EXPECT_EQ(MergePatch(status, R"({"metadata":{"deletionGracePeriodSeconds":3}})").code, 422);
}

TEST_F(MetadataTest, SaysThatALabelHasDots) {
  const auto named = [](const std::string& name) { return R"({"metadata":{"name":")" + name; };

  const Answer refused = Post("/api/v1/namespaces", named("a.b") + R"("}})");
  EXPECT_EQ(refused.code, 422) << refused.body;
  EXPECT_EQ(refused.message(),
            "Namespace \"a.b\" is invalid: metadata.name: Invalid value: \"a.b\": must not contain "
            "dots");
  const Answer port =
      Post(Core("services", ""), named("a") + R"("},"spec":{"ports":[{"port":1,"name":"a.b"}]}})");
  EXPECT_THAT(port.message(),
              EndsWith("spec.ports[0].name: Invalid value: \"a.b\": must not contain dots"));
}

TEST_F(MetadataTest, DropsWhatOnlyTheServerSets) {
  const Answer created =
      Post(ConfigMaps(),
           WithMetadata(R"("selfLink":"/a","deletionGracePeriodSeconds":5,"uid":"u",)"
                        R"("deletionTimestamp":"2020-01-01T00:00:00Z","creationTimestamp":null)"));

  EXPECT_EQ(created.code, 201);
  EXPECT_THAT(created.body, Not(HasSubstr("selfLink")));
  EXPECT_THAT(created.body, Not(HasSubstr("deletionGracePeriodSeconds")));
  EXPECT_THAT(created.body, Not(HasSubstr("deletionTimestamp")));
  EXPECT_NE(created.meta("uid"), "u");
}

TEST_F(MetadataTest, DropsRepeatedOwnersWithAWarning) {
  CreateConfigMap("owner");
  const std::string uid(Get(ConfigMaps("owner")).meta("uid"));
  const auto owner = [&](const std::string& kind) {
    return R"({"apiVersion":"v1","kind":")" + kind + R"(","name":"owner","uid":")" + uid + R"("})";
  };
  const std::string one = owner("ConfigMap");
  const std::string other = owner("Secret");
  const std::string when = ".metadata.ownerReferences contains duplicate entries";
  const std::string warning =
      "; API server dedups owner references in 1.20+, and may reject such requests as early as "
      "1.24; please fix your requests; duplicate UID(s) observed: " +
      uid;
  const Answer created =
      Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"a","ownerReferences":[)" + one +
                                             "," + other + "," + one + "]}}");

  EXPECT_EQ(created.code, 201);
  EXPECT_THAT(created.head, HasSubstr(when + warning));
  EXPECT_EQ(JsonAt(created, {"metadata", "ownerReferences"}),
            Sorted("[" + one + "," + other + "]"));
  CreateConfigMap("a");
  const Answer patched =
      MergePatch(ConfigMaps("a"), R"({"metadata":{"ownerReferences":[)" + one + "," + one + "]}}");
  EXPECT_EQ(patched.code, 200);
  EXPECT_THAT(patched.head, HasSubstr(when + " after mutating admission happens" + warning));
  EXPECT_EQ(JsonAt(patched, {"metadata", "ownerReferences"}), Sorted("[" + one + "]"));
}

// Go has no null in lists and maps of other types than pointers.
TEST_F(MetadataTest, ReadsNullInAListOrAMapAsTheZeroValue) {
  const Answer created = Post(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"x":null},)"
                                            R"("annotations":{"y":null}},"data":{"z":null}})");

  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(JsonAt(created, {"metadata", "labels"}), R"({"x":""})");
  EXPECT_EQ(JsonAt(created, {"metadata", "annotations"}), R"({"y":""})");
  EXPECT_EQ(Post(ConfigMaps(), R"({"metadata":{"name":"b","ownerReferences":[]}})").code, 201);
  EXPECT_EQ(Post(Core("pods", ""), R"({"metadata":{"name":"b"},"spec":{"volumes":[],"containers":[)"
                                   R"({"name":"c","image":"i","volumeMounts":[]}]}})")
                .code,
            201);
  EXPECT_EQ(JsonAt(created, {"data"}), R"({"z":""})");
  EXPECT_THAT(Post(ConfigMaps(), WithMetadata(R"("finalizers":[null])")).message(),
              HasSubstr(R"(metadata.finalizers: Invalid value: "": name part must be non-empty)"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

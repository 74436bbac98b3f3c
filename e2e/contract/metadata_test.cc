// SPDX-License-Identifier: Apache-2.0
// Tests of the metadata of new objects: what the server drops, and which owners it accepts.
#include <string>
#include <vector>

#include "e2e/contract/broken_rules.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MetadataTest : public ContractTest {
 protected:
  Answer Create(const std::string& metadata) const {
    return Post(ConfigMaps(), R"({"metadata":{"name":"a",)" + metadata + "}}");
  }
  void ExpectBroken(const std::string& metadata, const std::vector<Broken>& rules) const {
    SCOPED_TRACE(metadata);
    EXPECT_REFUSED(Create(metadata), RefusalFor("ConfigMap", "", "a", rules));
  }
};

TEST_F(MetadataTest, DropsWhatOnlyTheServerSets) {
  const Answer created =
      Create(R"("selfLink":"/a","deletionGracePeriodSeconds":5,"uid":"u",)"
             R"("deletionTimestamp":"2020-01-01T00:00:00Z","creationTimestamp":null)");

  EXPECT_EQ(created.code, 201);
  EXPECT_THAT(created.body, Not(HasSubstr("selfLink")));
  EXPECT_THAT(created.body, Not(HasSubstr("deletionGracePeriodSeconds")));
  EXPECT_THAT(created.body, Not(HasSubstr("deletionTimestamp")));
  EXPECT_NE(created.meta("uid"), "u");
}

TEST_F(MetadataTest, RejectsAnUpdateThatDeletes) {
  CreateConfigMap("a");
  const std::string time = "2020-01-01T00:00:00Z";

  EXPECT_REFUSED(
      Put(ConfigMaps("a"), R"({"metadata":{"name":"a","deletionTimestamp":")" + time + R"("}})"),
      InvalidMetadata("a", "metadata.deletionTimestamp", "FieldValueInvalid",
                      "Invalid value: \"" + time + "\": field is immutable"));
  EXPECT_REFUSED(MergePatch(ConfigMaps("a"), R"({"metadata":{"deletionGracePeriodSeconds":5}})"),
                 InvalidMetadata("a", "metadata.deletionGracePeriodSeconds", "FieldValueInvalid",
                                 "Invalid value: 5: field is immutable"));
}

TEST_F(MetadataTest, RejectsIncompleteOwners) {
  const std::string owners = "metadata.ownerReferences";
  const auto missing = [&](const std::string& member) {
    if (Minor() >= 37) {
      return Broken{"Required", owners + "[0]." + member, "Required value: must not be empty"};
    }
    const std::string what = member == "apiVersion" ? "version " : member + " ";
    const bool named = member == "apiVersion" || Minor() < 34;
    return Broken{"Invalid", owners + "." + member,
                  R"(Invalid value: "": )" + (named ? what : "") + "must not be empty"};
  };
  const std::vector<Broken> all = {missing("apiVersion"), missing("kind"), missing("name"),
                                   missing("uid")};
  ExpectBroken(R"("ownerReferences":[{}])", all);
  ExpectBroken(R"("ownerReferences":[null])", all);
  ExpectBroken(R"("ownerReferences":[{"apiVersion":"a/b/c","kind":"K","name":"n","uid":"u"}])",
               {{"Invalid", owners + (Minor() < 37 ? ".apiVersion" : "[0].apiVersion"),
                 std::string(R"(Invalid value: "a/b/c": )") +
                     (Minor() < 37 ? "version must not be empty"
                                   : "must be <group>/<version> or <version>")}});
}

TEST_F(MetadataTest, RejectsNegativeGenerations) {
  ExpectBroken(R"("generation":-1)", {{"Invalid", "metadata.generation",
                                       "Invalid value: -1: must be greater than or equal to 0"}});
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
  EXPECT_EQ(JsonAt(created, {"data"}), R"({"z":""})");
  ExpectBroken(
      R"("finalizers":[null])",
      {{"Invalid", "metadata.finalizers", R"(Invalid value: "": name part must be non-empty)"},
       {"Invalid", "metadata.finalizers",
        R"(Invalid value: "": name part must consist of alphanumeric characters, '-', )"
        "'_' or '.', and must start and end with an alphanumeric character (e.g. "
        "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
       {"Invalid", "metadata.finalizers[0]",
        R"(Invalid value: "": name is neither a standard finalizer name nor is it )"
        "fully qualified"}});
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract

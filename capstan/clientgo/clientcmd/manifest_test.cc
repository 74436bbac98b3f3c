// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/clientcmd/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::clientgo::clientcmd {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseManifestsTest, ReturnsDocumentsAndItemsOfListsWithTheirLines) {
  const auto manifests = ParseManifests(
      "kind: A\n---\n# nothing\n---\nkind: List\nitems:\n- {kind: B, spec: {replicas: 1}}\n"
      "- {kind: C}\n",
      "objects.yaml");

  ASSERT_TRUE(manifests) << manifests.error().message;
  EXPECT_THAT(*manifests,
              ElementsAre(Field(&Manifest::json, R"({"kind":"A"})"),
                          Field(&Manifest::json, R"({"kind":"B","spec":{"replicas":1}})"),
                          Field(&Manifest::json, R"({"kind":"C"})")));
  EXPECT_EQ((*manifests)[0].where, "objects.yaml:1");
  EXPECT_EQ((*manifests)[1].where, "objects.yaml:7");
  EXPECT_EQ((*manifests)[2].where, "objects.yaml:8");
}

TEST(ParseManifestsTest, NamesTheLineOfTextThatIsNotYamlAndDoesNotRepeatIt) {
  const auto manifests =
      ParseManifests("kind: Secret\nstringData:\n  a: *top-secret\n", "objects.yaml");

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message, HasSubstr("objects.yaml:3: not YAML"));
  EXPECT_THAT(manifests.error().message, Not(HasSubstr("top-secret")));
}

TEST(ParseManifestsTest, RejectsEndlessAliases) {
  const auto manifests = ParseManifests("kind: A\nspec: &spec {again: *spec}\n", "objects.yaml");

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message, HasSubstr("objects.yaml:1: more than 64 levels"));
}

}  // namespace
}  // namespace capstan::clientgo::clientcmd

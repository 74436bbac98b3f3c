// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientcmd/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::clientcmd {
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
  EXPECT_THAT(manifests.error().message, HasSubstr("objects.yaml:3: invalid YAML"));
  EXPECT_THAT(manifests.error().message, Not(HasSubstr("top-secret")));
}

TEST(ParseManifestsTest, RejectsEndlessAliases) {
  const auto manifests = ParseManifests("kind: A\nspec: &spec {again: *spec}\n", "objects.yaml");

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message,
              HasSubstr("objects.yaml:2: an anchor's value contains itself"));
}

std::vector<std::string> Jsons(std::string_view text) {
  const auto manifests = ParseManifests(text, "f");
  if (!manifests) return {manifests.error().message};
  std::vector<std::string> jsons;
  for (const Manifest& manifest : *manifests) jsons.push_back(manifest.where + " " + manifest.json);
  return jsons;
}

// kubectl reads the same values.
TEST(ParseManifestsTest, ReadsScalarsAsGo) {
  EXPECT_THAT(Jsons("kind: A\nspec: {defaultMode: 0644, readOnly: yes, share: .5, size: 1.}\n"),
              ElementsAre("f:1 {\"kind\":\"A\",\"spec\":{\"defaultMode\":420,\"readOnly\":true,"
                          "\"share\":0.5,\"size\":1}}"));
}

TEST(ParseManifestsTest, ItemsOfTypedListHaveItsKind) {
  EXPECT_THAT(Jsons("kind: SecretList\napiVersion: v1\nitems:\n- {metadata: {name: a}}\n"
                    "- {kind: Other, metadata: {name: b}}\n"),
              ElementsAre("f:4 {\"metadata\":{\"name\":\"a\"},\"kind\":\"Secret\","
                          "\"apiVersion\":\"v1\"}",
                          "f:5 {\"kind\":\"Other\",\"metadata\":{\"name\":\"b\"}}"));
  EXPECT_THAT(Jsons("kind: List\nitems:\n- {kind: BList, apiVersion: v1, items: [{}]}\n"),
              ElementsAre("f:3 {\"kind\":\"B\",\"apiVersion\":\"v1\"}"));
  EXPECT_THAT(Jsons("{kind: List, items: null}"), ElementsAre());
}

TEST(ParseManifestsTest, ReadsFilesThatWereJoined) {
  EXPECT_THAT(Jsons("kind: A\n---\n\xef\xbb\xbfkind: B\n--- # c\n\xef\xbb\xbf---\nkind: C\n"),
              ElementsAre("f:1 {\"kind\":\"A\"}", "f:3 {\"kind\":\"B\"}", "f:6 {\"kind\":\"C\"}"));
  EXPECT_THAT(Jsons("{\"kind\":\"A\"}\n{\"kind\":\"B\"}{\"kind\":\"\\ud83d\\ude00\\/\"}"),
              ElementsAre("f:1 {\"kind\":\"A\"}", "f:2 {\"kind\":\"B\"}",
                          "f:2 {\"kind\":\"\xf0\x9f\x98\x80/\"}"));
}

TEST(ParseManifestsTest, ReadsJsonThatIsNotYaml) {
  EXPECT_THAT(Jsons("{\"kind\":\"A\",\"a\":\"\x7f\",\"b\":\"\\ud83d\",\"c\":\"\\\\ud83d\"}"),
              ElementsAre("f:1 {\"kind\":\"A\",\"a\":\"\x7f\",\"b\":\"\xef\xbf\xbd\","
                          "\"c\":\"\\\\ud83d\"}"));
  EXPECT_THAT(Jsons("kind: \x7f\n"),
              ElementsAre("f:1: invalid YAML: control characters are not allowed"));
}

TEST(ParseManifestsTest, ReadsUtf16AndReplacesInvalidUtf8AsKubectl) {
  EXPECT_THAT(Jsons({"\xff\xfek\0:\0 \0A\0", 10}), ElementsAre("f:1 {\"k\":\"A\"}"));
  EXPECT_THAT(Jsons("kind: A # caf\xe9\n"), ElementsAre("f:1 {\"kind\":\"A\"}"));
}

}  // namespace
}  // namespace capstan::clientcmd

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/source_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns "annotation=value" of each item, or the error.
std::vector<std::string> Parsed(const std::string& value) {
  const auto items = ParseSourceList(value);
  if (!items) return {items.error().message};
  std::vector<std::string> parsed;
  for (const SourceItem& item : *items) {
    parsed.push_back(std::string(item.annotation) + "=" + std::string(item.value));
  }
  return parsed;
}

TEST(SourceListTest, HasTheValueOfEachSourcesOwnAnnotation) {
  EXPECT_THAT(
      Parsed("secret/a/b, configmap/c/d,configmap/c/d/root.pem , certificate/e/f,apiserver"),
      ElementsAre(
          "cert-manager.io/inject-ca-from-secret=a/b", "capstan.dev/inject-ca-from-configmap=c/d",
          "capstan.dev/inject-ca-from-configmap=c/d/root.pem", "cert-manager.io/inject-ca-from=e/f",
          "cert-manager.io/inject-apiserver-ca=true"));
}

TEST(SourceListTest, RejectsABadItemAndNamesTheKnownKinds) {
  for (const std::string bad : {"",
                                "secrets/a/b",
                                "Secret/a/b",
                                "secret",
                                "secret/",
                                "secret/a",
                                "secret/a/",
                                "secret/a/b/c",
                                "secret/../b",
                                "secret/a.b/c",
                                "secret/a/b;",
                                "configmap/a",
                                "configmap/a/b/",
                                "configmap/a/b/c/d",
                                "certificate/a",
                                "apiserver/",
                                "apiserver/true",
                                "system/debian",
                                "clustertrustbundle",
                                "clustertrustbundle/",
                                "clustertrustbundle/example.com/foo; a=b",
                                "true",
                                "a/b"}) {
    for (const std::string& value : {bad, "secret/a/b," + bad, bad + ",secret/a/b"}) {
      EXPECT_THAT(Parsed(value), ElementsAre(AllOf(HasSubstr("has the bad item \"" + bad + "\""),
                                                   HasSubstr("secret/NAMESPACE/NAME, "),
                                                   HasSubstr("apiserver or system"))))
          << value;
    }
  }
}

TEST(SourceListTest, LimitsTheNumberOfItems) {
  std::string value = "apiserver";
  for (std::size_t i = 1; i < kSourceItemsMax; ++i) value += ",apiserver";

  EXPECT_EQ(Parsed(value).size(), kSourceItemsMax);
  EXPECT_THAT(Parsed(value + ",apiserver"), ElementsAre(HasSubstr("more than 32 items")));
}

TEST(SourceListTest, CutsALongItemInTheError) {
  EXPECT_LT(Parsed(std::string(100'000, 'x'))[0].size(), 500U);
}

TEST(ReferencedObjectsTest, MatchReferencesToEachObjectOfAList) {
  const auto listed = ReferencedObjects(
      kInjectCaFromSources, "secret/a/b, configmap/c/d/root.pem, certificate/e/f, apiserver");
  const auto reference = [](std::string_view annotation, std::string_view object) {
    const auto references = ReferencesTo(annotation, object);
    EXPECT_EQ(references[0].annotation, annotation);
    EXPECT_EQ(references[0].object, object);
    EXPECT_EQ(references[1].annotation, kInjectCaFromSources);
    return references[1].object;
  };

  EXPECT_THAT(
      listed,
      ElementsAre(reference(kInjectCaFromSecret, "a/b"), reference(kInjectCaFromConfigMap, "c/d"),
                  reference(kInjectCaFrom, "e/f"), reference(kInjectApiServerCa, "true")));
}

TEST(ReferencedObjectsTest, AreNoneForABadList) {
  EXPECT_THAT(ReferencedObjects(kInjectCaFromSources, "secret/a/b, secret"), IsEmpty());
}

TEST(ReferencedObjectsTest, IsTheOneObjectOfAnotherAnnotation) {
  EXPECT_THAT(ReferencedObjects(kInjectCaFromSecret, "a/b"), ElementsAre("a/b"));
  EXPECT_THAT(ReferencedObjects(kInjectApiServerCa, "false"), IsEmpty());
}

}  // namespace
}  // namespace capstan::cainjector

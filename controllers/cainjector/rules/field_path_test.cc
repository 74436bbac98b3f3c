// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/field_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  const auto path = ParseFieldPath(text);
  return path ? "parsed as " + path->String() : path.error().message;
}

TEST(FieldPathTest, ParsesFieldsAndArrays) {
  const auto path = ParseFieldPath("spec.providers[*].ca-bundle_1");

  ASSERT_TRUE(path.has_value()) << path.error().message;
  EXPECT_THAT(path->steps, ElementsAre(FieldPath::Step{.name = "spec"},
                                       FieldPath::Step{.name = "providers", .each = true},
                                       FieldPath::Step{.name = "ca-bundle_1"}));
  EXPECT_EQ(path->String(), "spec.providers[*].ca-bundle_1");
  EXPECT_THAT(path->Names(), ElementsAre("spec", "providers", "ca-bundle_1"));
}

TEST(FieldPathTest, NamesThePositionOfAMistake) {
  EXPECT_THAT(ErrorOf("spec..caBundle"), HasSubstr("position 6: expected a field name"));
  EXPECT_THAT(ErrorOf(".spec"), HasSubstr("position 1: expected a field name"));
  EXPECT_THAT(ErrorOf("spec.caBundle."), HasSubstr("position 15: expected a field name"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("position 1: expected a field name"));
  EXPECT_THAT(ErrorOf("spec.a[0].b"), HasSubstr("position 7: expected [*]"));
  EXPECT_THAT(ErrorOf("spec.a[*]b"), HasSubstr("position 10: expected \".\""));
  EXPECT_THAT(ErrorOf("spec.a[*][*].b"), HasSubstr("position 10: expected \".\""));
  EXPECT_THAT(ErrorOf("spec.a/b"), HasSubstr("position 7: expected \".\""));
}

TEST(FieldPathTest, RejectsAnArrayAsTheLastField) {
  EXPECT_THAT(ErrorOf("spec.bundles[*]"),
              HasSubstr("position 13: the last field must be a string"));
}

TEST(FieldPathTest, RejectsWhatUsersDoNotWrite) {
  for (const std::string text : {"metadata.annotations", "status.caBundle", "kind"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("position 1: expected a field below spec")) << text;
  }
}

TEST(FieldPathTest, RejectsAVeryLongPath) {
  EXPECT_THAT(ErrorOf("spec." + std::string(300, 'a')), HasSubstr("at most 256 characters"));
}

}  // namespace
}  // namespace capstan::cainjector

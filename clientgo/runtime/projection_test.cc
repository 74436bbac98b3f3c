// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/projection.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace capstan::runtime {
namespace {

// "keep" (the value whole), "descend" (something below it) or "drop".
std::string_view Verdict(const Projection& projection, const Projection::Path& path) {
  const Projection::Node* node = &projection.root();
  for (const auto& key : path) {
    if (node->keep_all) return "keep";
    node = node->Find(key);
    if (node == nullptr) return "drop";
  }
  return node->keep_all ? "keep" : "descend";
}

TEST(ProjectionTest, KeepsPathAndEverythingBelow) {
  const Projection projection = {{"metadata", "name"}, {"data"}};

  EXPECT_EQ(Verdict(projection, {"metadata", "name"}), "keep");
  EXPECT_EQ(Verdict(projection, {"metadata"}), "descend");
  EXPECT_EQ(Verdict(projection, {"metadata", "uid"}), "drop");
  EXPECT_EQ(Verdict(projection, {"data", "x", "y"}), "keep");
  EXPECT_EQ(Verdict(projection, {"spec"}), "drop");
}

TEST(ProjectionTest, ShorterPathIncludesLongerOnesInAnyOrder) {
  EXPECT_EQ(Verdict(Projection({{"a", "b"}, {"a"}}), {"a", "x"}), "keep");
  EXPECT_EQ(Verdict(Projection({{"a"}, {"a", "b"}}), {"a", "x"}), "keep");
}

TEST(ProjectionTest, StarAlsoAppliesToNamedSiblings) {
  const Projection projection = {{"a", "y"}, {"*", "x"}};

  EXPECT_EQ(Verdict(projection, {"a", "x"}), "keep");
  EXPECT_EQ(Verdict(projection, {"a", "y"}), "keep");
  EXPECT_EQ(Verdict(projection, {"b", "x"}), "keep");
  EXPECT_EQ(Verdict(projection, {"b", "y"}), "drop");
  EXPECT_EQ(projection.root().key_bytes_max, SIZE_MAX);
}

TEST(ProjectionTest, AllKeepsEverythingAndEmptyProjectionNothing) {
  EXPECT_EQ(Verdict(Projection::All(), {"x", "y"}), "keep");
  EXPECT_EQ(Verdict(Projection(std::vector<Projection::Path>{}), {"x"}), "drop");
}

TEST(ProjectionTest, UnderMovesEveryPathBelowPrefix) {
  const Projection under = Projection({{"metadata", "name"}}).Under({"items"});

  EXPECT_EQ(Verdict(under, {"items", "metadata", "name"}), "keep");
  EXPECT_EQ(Verdict(under, {"metadata", "name"}), "drop");
  EXPECT_EQ(Verdict(Projection::All().Under({"object"}), {"object", "x"}), "keep");
  EXPECT_EQ(Verdict(Projection::All().Under({"object"}), {"x"}), "drop");
}

TEST(ProjectionTest, MergeKeepsWhatEitherKeeps) {
  const Projection merged = Projection({{"a", "b"}, {"c"}}).Merge({{"a", "d"}, {"c", "e"}});

  EXPECT_EQ(Verdict(merged, {"a", "b"}), "keep");
  EXPECT_EQ(Verdict(merged, {"a", "d"}), "keep");
  EXPECT_EQ(Verdict(merged, {"a", "x"}), "drop");
  EXPECT_EQ(Verdict(merged, {"c", "x"}), "keep");
}

TEST(ProjectionTest, ReturnsLengthOfLongestKey) {
  const Projection projection = {{"abc", "x"}, {"a"}};
  EXPECT_EQ(projection.root().key_bytes_max, 3U);
  EXPECT_EQ(projection.root().Find("abc")->key_bytes_max, 1U);
}

}  // namespace
}  // namespace capstan::runtime

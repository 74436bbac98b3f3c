// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/object.h"

#include <gtest/gtest.h>

#include <string>

namespace clientgo::runtime {
namespace {

TEST(ObjectTest, ReturnsIdentityOfNamespacedObject) {
  const Object object({.namespace_ = "ns", .name = "n", .uid = "u-1", .resource_version = "42"});

  EXPECT_EQ(object.key(), "ns/n");
  EXPECT_EQ(object.namespace_(), "ns");
  EXPECT_EQ(object.name(), "n");
  EXPECT_EQ(object.uid(), "u-1");
  EXPECT_EQ(object.resource_version(), "42");
}

TEST(ObjectTest, ReturnsIdentityOfClusterScopedObject) {
  const Object object({.namespace_ = "", .name = "n", .uid = "u", .resource_version = ""});

  EXPECT_EQ(object.key(), "n");
  EXPECT_EQ(object.namespace_(), "");
  EXPECT_EQ(object.name(), "n");
  EXPECT_EQ(object.resource_version(), "");
  EXPECT_EQ(object.uid(), "u");
}

TEST(ObjectTest, CopiesItsIdentity) {
  std::string name = "first";
  const Object object({.namespace_ = "ns", .name = name, .uid = "", .resource_version = "1"});
  name = "xxxxx";
  EXPECT_EQ(object.key(), "ns/first");
}

// The memory use of a cache depends on this number.
TEST(ObjectTest, UsesItsTextAnd24Bytes) {
  const Object object({.namespace_ = "ns", .name = "n", .uid = "u-1", .resource_version = "42"});
  EXPECT_EQ(sizeof(Object), 24U);
  EXPECT_EQ(object.ByteSize(), 24U + 4U + 3U + 2U);
}

TEST(ObjectDeathTest, RejectsLengthsThatDoNotFit) {
  const std::string name(70'000, 'n');
  EXPECT_DEATH(Object({.namespace_ = "", .name = name, .uid = "", .resource_version = ""}),
               "too long");
}

TEST(ObjectKeyTest, SplitsAtFirstSlash) {
  EXPECT_EQ(ObjectKey::Parse("ns/name"), (ObjectKey{.namespace_ = "ns", .name = "name"}));
  EXPECT_EQ(ObjectKey::Parse("name"), (ObjectKey{.namespace_ = "", .name = "name"}));
  EXPECT_EQ(ObjectKey::Parse("a/b/c"), (ObjectKey{.namespace_ = "a", .name = "b/c"}));
  EXPECT_EQ(ObjectKey::Parse("a/"), (ObjectKey{.namespace_ = "a", .name = ""}));
  EXPECT_EQ(ObjectKey::Parse(""), ObjectKey{});
  EXPECT_EQ(ObjectKey::Parse("ns/name").String(), "ns/name");
  EXPECT_EQ(ObjectKey::Parse("name").String(), "name");
}

}  // namespace
}  // namespace clientgo::runtime

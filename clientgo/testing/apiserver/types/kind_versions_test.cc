// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/kind_versions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace capstan::testing::apiserver {
namespace {

TEST(IsPreferredVersionTest, OrdersVersionsAsKubernetesDocumentsIt) {
  const std::vector<std::string> documented = {"v10",      "v2",      "v1",        "v11beta2",
                                               "v10beta3", "v3beta1", "v12alpha1", "v11alpha2",
                                               "bar",      "foo1",    "foo10",     "v1gamma1"};
  std::vector<std::string> sorted = documented;
  std::reverse(sorted.begin(), sorted.end());

  std::sort(sorted.begin(), sorted.end(), IsPreferredVersion);

  EXPECT_EQ(sorted, documented);
}

TEST(VersionOfTest, FindsOnlyTheVersionsOfTheKind) {
  KindVersions versions;
  const Resource v1 = {
      .group = "x.io", .version = "v1", .kind = "Foo", .custom = true, .versions = &versions};
  Resource v2 = v1;
  v2.version = "v2";
  versions.stored = v2;
  versions.all = {&v1, &v2};

  EXPECT_EQ(VersionOf(v1, "x.io/v2"), &v2);
  EXPECT_EQ(VersionOf(v1, "x.io/v1"), &v1);
  EXPECT_EQ(VersionOf(v1, "x.io/v3"), nullptr);
  EXPECT_EQ(&StoredAs(v1), &versions.stored);
  EXPECT_EQ(VersionOf(Resource{.version = "v1"}, "v2"), nullptr);
}

}  // namespace
}  // namespace capstan::testing::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NamespaceScopeTest, WatchesAllNamespacesAtOnce) {
  EXPECT_THAT(NamespaceScope{}.Watches("l=v"), ElementsAre(cache::Scope{.label_selector = "l=v"}));
}

TEST(NamespaceScopeTest, ExcludesIgnoredNamespacesByFieldSelector) {
  const NamespaceScope scope = {.ignored = {"a", "b"}};

  EXPECT_THAT(
      scope.Watches(),
      ElementsAre(cache::Scope{.field_selector = "metadata.namespace!=a,metadata.namespace!=b"}));
}

TEST(NamespaceScopeTest, WatchesEachNamespaceSeparately) {
  const NamespaceScope scope = {.namespaces = {"a", "b"}};

  EXPECT_THAT(scope.Watches("l"),
              ElementsAre(cache::Scope{.namespace_ = "a", .label_selector = "l"},
                          cache::Scope{.namespace_ = "b", .label_selector = "l"}));
}

TEST(NamespaceScopeTest, ExplainsWhyAnObjectIsOutside) {
  const NamespaceScope all = {};
  const NamespaceScope one = {.namespaces = {"a"}};
  const NamespaceScope two = {.namespaces = {"a", "b"}};
  const NamespaceScope ignored = {.ignored = {"c"}};

  EXPECT_FALSE(all.Outside("Secret", {"c", "x"}));
  EXPECT_FALSE(two.Outside("Secret", {"b", "x"}));
  EXPECT_FALSE(ignored.Outside("Secret", {"b", "x"}));
  EXPECT_EQ(one.Outside("Secret", {"c", "x"})->reason, Reason::kOutsideNamespace);
  EXPECT_EQ(one.Outside("Secret", {"c", "x"})->message,
            "Secret c/x is not in namespace a, the only one watched (--namespace)");
  EXPECT_THAT(two.Outside("Secret", {"c", "x"})->message, HasSubstr("one of namespaces a, b"));
  EXPECT_THAT(ignored.Outside("Secret", {"c", "x"})->message, HasSubstr("--ignore-namespaces"));
}

}  // namespace
}  // namespace capstan::cainjector

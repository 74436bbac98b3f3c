// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/namespace_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace controllers::cainjector {
namespace {

using clientgo::cache::Scope;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NamespaceScopeTest, AllNamespacesAreOneWatch) {
  EXPECT_THAT(NamespaceScope{}.Watches("l=v"), ElementsAre(Scope{.label_selector = "l=v"}));
}

TEST(NamespaceScopeTest, WhatIsIgnoredIsNotAskedFor) {
  const NamespaceScope scope = {.ignored = {"a", "b"}};

  EXPECT_THAT(scope.Watches(),
              ElementsAre(Scope{.field_selector = "metadata.namespace!=a,metadata.namespace!=b"}));
}

TEST(NamespaceScopeTest, EachNamespaceIsAWatch) {
  const NamespaceScope scope = {.namespaces = {"a", "b"}};

  EXPECT_THAT(scope.Watches("l"), ElementsAre(Scope{.namespace_ = "a", .label_selector = "l"},
                                              Scope{.namespace_ = "b", .label_selector = "l"}));
}

TEST(NamespaceScopeTest, TellsWhyAReferenceLeadsOutside) {
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
}  // namespace controllers::cainjector

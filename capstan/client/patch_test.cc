// SPDX-License-Identifier: Apache-2.0
#include "capstan/client/patch.h"

#include <gtest/gtest.h>

#include "capstan/client/testing/kinds.h"

namespace capstan {
namespace {

using testing::Foo;
using testing::NewFoo;

TEST(PatchTest, MergeFromHasChangedAddedAndRemovedFieldsOnly) {
  Foo original = NewFoo("a");
  original.metadata.labels = {{"gone", "1"}, {"kept", "1"}};
  original.spec.template_labels = {{"x", "1"}};
  Foo modified = original;
  modified.metadata.labels = {{"kept", "1"}, {"new", "2"}};
  modified.spec.replicas = 5;
  modified.spec.template_labels = {};
  modified.status.ready = true;

  const Patch patch = MergeFrom(original, modified);

  EXPECT_EQ(patch.type(), clientgo::rest::PatchType::kMerge);
  EXPECT_EQ(patch.body(),
            R"({"metadata":{"labels":{"new":"2","gone":null}},)"
            R"("spec":{"replicas":5,"templateLabels":null},"status":{"ready":true}})");
}

TEST(PatchTest, MergeFromReplacesWholeLists) {
  Foo original = NewFoo("a");
  original.metadata.finalizers = {"x.io/a"};
  Foo modified = original;
  modified.metadata.finalizers.push_back("x.io/b");

  EXPECT_EQ(MergeFrom(original, modified).body(),
            R"({"metadata":{"finalizers":["x.io/a","x.io/b"]}})");
}

TEST(PatchTest, MergeFromOfEqualObjectsIsEmpty) {
  const Foo foo = NewFoo("a");

  const Patch patch = MergeFrom(foo, foo);

  EXPECT_EQ(patch.body(), "{}");
  EXPECT_TRUE(patch.IsEmpty());
  EXPECT_FALSE(Patch::Json(R"([{"op":"remove","path":"/a"}])").IsEmpty());
}

TEST(PatchTest, OptimisticLockAddsVersionOfOriginal) {
  Foo original = NewFoo("a");
  original.metadata.resource_version = "7";
  Foo modified = original;
  modified.spec.replicas = 5;

  EXPECT_EQ(MergeFrom(original, modified, {.optimistic_lock = true}).body(),
            R"({"metadata":{"resourceVersion":"7"},"spec":{"replicas":5}})");
}

TEST(PatchTest, MergeFromTakesObjectOfCache) {
  const Ptr<Foo> cached = MakeTypedObject(NewFoo("a"));
  Foo modified = *cached;
  modified.spec.replicas = 5;

  EXPECT_EQ(MergeFrom(*cached, modified).body(), R"({"spec":{"replicas":5}})");
}

TEST(PatchTest, MergeFromTakesUnstructured) {
  const auto original =
      Unstructured::FromJson(R"({"apiVersion":"x.io/v1","kind":"Bar","metadata":{"name":"a"},)"
                             R"("spec":{"a":1,"b":{"c":2}}})");
  ASSERT_TRUE(original.has_value());
  Unstructured modified = *original;
  ASSERT_TRUE(modified.Set({"spec", "b", "c"}, 3).has_value());

  EXPECT_EQ(MergeFrom(*original, modified).body(), R"({"spec":{"b":{"c":3}}})");
}

}  // namespace
}  // namespace capstan

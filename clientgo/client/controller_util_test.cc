// SPDX-License-Identifier: Apache-2.0
#include "capstan/controller_util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/client/testing/kinds.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

testing::Foo OwnerFoo(const std::string& name) {
  testing::Foo foo = testing::NewFoo(name);
  foo.metadata.uid = "uid-" + name;
  return foo;
}

ObjectMeta Child() {
  ObjectMeta child;
  child.namespace_ = "ns";
  child.name = "child";
  return child;
}

TEST(ReferenceToTest, NamesObject) {
  EXPECT_EQ(ReferenceTo(OwnerFoo("a")),
            (api::ObjectReference{.api_version = "x.io/v1",
                                  .kind = "Foo",
                                  .namespace_ = OwnerFoo("a").metadata.namespace_,
                                  .name = "a",
                                  .uid = "uid-a"}));
}

TEST(ControllerReferenceTest, SetsController) {
  ObjectMeta child = Child();

  ASSERT_TRUE(SetControllerReference(OwnerFoo("a"), child));

  const OwnerReference expected = {.api_version = "x.io/v1",
                                   .kind = "Foo",
                                   .name = "a",
                                   .uid = "uid-a",
                                   .controller = true,
                                   .block_owner_deletion = true};
  EXPECT_THAT(child.owner_references, ElementsAre(expected));
  EXPECT_TRUE(HasControllerReference(child));
  EXPECT_EQ(*GetControllerOf(child), expected);
  EXPECT_TRUE(IsControlledBy(child, OwnerFoo("a")));
  EXPECT_TRUE(IsControlledBy(child, "uid-a"));
  EXPECT_FALSE(IsControlledBy(child, OwnerFoo("b")));
}

TEST(ControllerReferenceTest, TakesObjectOfCacheAndUnstructured) {
  const Ptr<testing::Foo> cached = MakeTypedObject(OwnerFoo("a"));
  auto bar = Unstructured::FromJson(
      R"({"apiVersion":"v1","kind":"Bar","metadata":{"name":"b","namespace":"ns","uid":"u"}})");
  ObjectMeta child = Child();

  ASSERT_TRUE(SetControllerReference(*cached, child));
  ASSERT_TRUE(bar && SetOwnerReference(*bar, child));

  EXPECT_TRUE(IsControlledBy(child, *cached));
  ASSERT_EQ(child.owner_references.size(), 2U);
  EXPECT_EQ(child.owner_references[1].api_version, "v1");
  EXPECT_EQ(child.owner_references[1].uid, "u");
}

TEST(ControllerReferenceTest, RefusesSecondController) {
  ObjectMeta child = Child();
  ASSERT_TRUE(SetControllerReference(OwnerFoo("a"), child));

  const auto second = SetControllerReference(OwnerFoo("b"), child);

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().reason, ErrorReason::kAlreadyExists);
  EXPECT_EQ(second.error().message, "Object ns/child is already owned by another Foo controller a");
  EXPECT_EQ(child.owner_references.size(), 1U);
}

TEST(ControllerReferenceTest, ReplacesReferenceToSameObject) {
  ObjectMeta child = Child();
  testing::Foo owner = OwnerFoo("a");
  ASSERT_TRUE(SetOwnerReference(owner, child));
  EXPECT_FALSE(HasControllerReference(child));
  EXPECT_FALSE(child.owner_references[0].block_owner_deletion);
  owner.metadata.uid = "recreated";

  ASSERT_TRUE(SetControllerReference(owner, child,
                                     {.block_owner_deletion = OwnerReferenceOptions::Block::kNo}));

  ASSERT_EQ(child.owner_references.size(), 1U);
  EXPECT_TRUE(child.owner_references[0].controller);
  EXPECT_FALSE(child.owner_references[0].block_owner_deletion);
  EXPECT_EQ(child.owner_references[0].uid, "recreated");
}

TEST(ControllerReferenceTest, RefusesOwnerInAnotherNamespaceOrWithoutUid) {
  ObjectMeta other = Child();
  other.namespace_ = "other";
  ObjectMeta cluster = Child();
  cluster.namespace_ = "";
  ObjectMeta child = Child();

  EXPECT_THAT(SetControllerReference(OwnerFoo("a"), other).error().message,
              HasSubstr("cross-namespace owner references are disallowed, owner's namespace ns, "
                        "obj's namespace other"));
  EXPECT_THAT(SetOwnerReference(OwnerFoo("a"), cluster).error().message,
              HasSubstr("cluster-scoped resource must not have a namespace-scoped owner"));
  EXPECT_EQ(SetControllerReference(testing::NewFoo("a"), child).error().reason,
            ErrorReason::kInvalidArgument);
  EXPECT_TRUE(child.owner_references.empty());
}

TEST(ControllerReferenceTest, RemovesReference) {
  ObjectMeta child = Child();
  ASSERT_TRUE(SetControllerReference(OwnerFoo("a"), child));

  EXPECT_FALSE(RemoveOwnerReference(OwnerFoo("b"), child));
  EXPECT_TRUE(RemoveOwnerReference(OwnerFoo("a"), child));
  EXPECT_FALSE(HasControllerReference(child));
}

TEST(FinalizerTest, AddsAndRemovesOnce) {
  ObjectMeta object;

  EXPECT_TRUE(AddFinalizer(object, "x.io/a"));
  EXPECT_FALSE(AddFinalizer(object, "x.io/a"));
  EXPECT_TRUE(AddFinalizer(object, "x.io/b"));
  EXPECT_TRUE(ContainsFinalizer(object, "x.io/a"));
  EXPECT_TRUE(RemoveFinalizer(object, "x.io/a"));
  EXPECT_FALSE(RemoveFinalizer(object, "x.io/a"));
  EXPECT_THAT(object.finalizers, ElementsAre("x.io/b"));
}

}  // namespace
}  // namespace capstan

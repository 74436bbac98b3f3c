// SPDX-License-Identifier: Apache-2.0
#include "capstan/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/client/testing/kinds.h"

namespace capstan {
namespace {

using ::testing::StartsWith;

testing::Workload NewWorkload() {
  testing::Workload workload;
  workload.metadata.name = "a";
  workload.spec.containers = {{.name = "c", .image = "c:1"}};
  workload.spec.by_zone = {{"a", {{.name = "c", .image = "c:1"}}}};
  return workload;
}

TEST(PatchTest, MergeFromHasChangedAddedAndRemovedFieldsOnly) {
  testing::Foo original = testing::NewFoo("a");
  original.metadata.labels = {{"gone", "1"}, {"kept", "1"}};
  original.spec.template_labels = {{"x", "1"}};
  testing::Foo modified = original;
  modified.metadata.labels = {{"kept", "1"}, {"new", "2"}};
  modified.spec.replicas = 5;
  modified.spec.template_labels = {};
  modified.status.ready = true;

  const Patch patch = MergeFrom(original, modified);

  EXPECT_EQ(patch.type(), rest::PatchType::kMerge);
  EXPECT_EQ(patch.body(),
            R"({"metadata":{"labels":{"new":"2","gone":null}},)"
            R"("spec":{"replicas":5,"templateLabels":null},"status":{"ready":true}})");
}

TEST(PatchTest, MergeFromReplacesWholeLists) {
  testing::Foo original = testing::NewFoo("a");
  original.metadata.finalizers = {"x.io/a"};
  testing::Foo modified = original;
  modified.metadata.finalizers.push_back("x.io/b");

  EXPECT_EQ(MergeFrom(original, modified).body(),
            R"({"metadata":{"finalizers":["x.io/a","x.io/b"]}})");
}

TEST(PatchTest, MergeFromOfEqualObjectsIsEmpty) {
  const testing::Foo foo = testing::NewFoo("a");

  const Patch patch = MergeFrom(foo, foo);

  EXPECT_EQ(patch.body(), "{}");
  EXPECT_TRUE(patch.IsEmpty());
  EXPECT_FALSE(Patch::Json(R"([{"op":"remove","path":"/a"}])").IsEmpty());
}

TEST(PatchTest, OptimisticLockAddsVersionOfOriginal) {
  testing::Foo original = testing::NewFoo("a");
  original.metadata.resource_version = "7";
  testing::Foo modified = original;
  modified.spec.replicas = 5;

  EXPECT_EQ(MergeFrom(original, modified, {.optimistic_lock = true}).body(),
            R"({"metadata":{"resourceVersion":"7"},"spec":{"replicas":5}})");
}

// Otherwise a Reconciler that checks IsEmpty() would write at each reconciliation.
TEST(PatchTest, OptimisticLockOfUnchangedObjectIsEmpty) {
  testing::Foo original = testing::NewFoo("a");
  original.metadata.resource_version = "7";
  testing::Foo other_version = original;
  other_version.metadata.resource_version = "8";
  auto unknown = Unstructured::FromJson(R"({"apiVersion":"x.io/v1","kind":"Bar","metadata":)"
                                        R"({"name":"a","resourceVersion":"7"},"spec":{"a":1}})");
  ASSERT_TRUE(unknown.has_value());

  for (const Patch& patch : {MergeFrom(original, original, {.optimistic_lock = true}),
                             MergeFrom(original, other_version, {.optimistic_lock = true}),
                             MergeFrom(*unknown, *unknown, {.optimistic_lock = true})}) {
    EXPECT_EQ(patch.body(), "{}");
    EXPECT_TRUE(patch.IsEmpty());
  }
}

TEST(PatchTest, OptimisticLockNeedsVersionOfOriginal) {
  const testing::Foo original = testing::NewFoo("a");
  testing::Foo modified = original;
  modified.spec.replicas = 5;

  const Patch patch = MergeFrom(original, modified, {.optimistic_lock = true});

  ASSERT_TRUE(patch.error().has_value()) << "the patch would have no precondition";
  EXPECT_EQ(patch.error()->reason, ErrorReason::kInvalidArgument);
  EXPECT_EQ(patch.error()->message,
            "MergeFrom cannot use optimistic_lock: the original has no resourceVersion; use an "
            "object that was read");
}

TEST(PatchTest, RejectsTextThatIsNotUtf8) {
  const testing::Foo original = testing::NewFoo("a");
  testing::Foo modified = original;
  modified.metadata.labels["a"] = "\xff";

  for (const Patch& patch : {MergeFrom(original, modified), MergeFrom(modified, original)}) {
    ASSERT_TRUE(patch.error().has_value());
    EXPECT_EQ(patch.error()->reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(patch.error()->message, StartsWith("MergeFrom: an object is not valid JSON: "));
    EXPECT_FALSE(patch.IsEmpty());
  }
}

TEST(PatchTest, MergeFromTakesObjectOfCache) {
  const Ptr<testing::Foo> cached = MakeTypedObject(testing::NewFoo("a"));
  testing::Foo modified = *cached;
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

// The elements have fields on the server that the kind does not declare.
TEST(PatchTest, MergeFromComparesObjectsThatAreNestedDeep) {
  const auto object = [](const std::string& name, int levels) {
    std::string text = R"({"kind":"Foo","metadata":{"name":"a"},"x":")" + name + R"(","free":)";
    for (int i = 0; i < levels; ++i) text += R"({"a":)";
    text += "1" + std::string(static_cast<std::size_t>(levels), '}');
    return *Unstructured::FromJson(text + "}");
  };
  EXPECT_EQ(MergeFrom(object("a", 9'000), object("b", 9'000)).body(), R"({"x":"b"})");
  const auto error = MergeFrom(object("a", 9'000), object("a", 8'999)).error();
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message, ::testing::HasSubstr("nested deeper than 128 levels"));
}

TEST(PatchTest, RefusesToReplaceAListOfStructsOfAPartialKind) {
  const testing::Workload original = NewWorkload();
  testing::Workload modified = original;
  modified.spec.containers[0].image = "c:2";
  testing::Workload in_map = original;
  in_map.spec.by_zone["a"].clear();
  in_map.spec.by_zone["a"].push_back({.name = "d"});

  const Patch patch = MergeFrom(original, modified);

  ASSERT_TRUE(patch.error().has_value());
  EXPECT_EQ(patch.error()->reason, ErrorReason::kInvalidArgument);
  EXPECT_EQ(patch.error()->message,
            "MergeFrom cannot change spec.containers of a Partial() kind: the patch would replace "
            "the list and remove the fields of its elements that the kind does not declare; "
            "use Apply, Patch::Json or Patch::StrategicMerge");
  EXPECT_FALSE(patch.IsEmpty());
  ASSERT_TRUE(MergeFrom(original, in_map).error().has_value());
  EXPECT_THAT(MergeFrom(original, in_map).error()->message,
              ::testing::HasSubstr("cannot change spec.byZone.a of"));
  EXPECT_TRUE(MergeFrom(original, modified, {.optimistic_lock = true}).error().has_value());
}

TEST(PatchTest, MergeFromFillsAndClearsListsOfStructsOfAPartialKind) {
  const testing::Workload original = NewWorkload();
  testing::Workload cleared = original;
  cleared.spec.containers.clear();

  EXPECT_EQ(MergeFrom(original, cleared).body(), R"({"spec":{"containers":null}})");
  EXPECT_EQ(MergeFrom(cleared, original).body(),
            R"({"spec":{"containers":[{"name":"c","image":"c:1"}]}})");
  EXPECT_FALSE(MergeFrom(original, cleared).error().has_value());
  EXPECT_FALSE(MergeFrom(cleared, original).error().has_value());
}

TEST(PatchTest, MergeFromChangesOtherFieldsAndListsOfAPartialKind) {
  const testing::Workload original = NewWorkload();
  testing::Workload modified = original;
  modified.metadata.labels = {{"a", "b"}};
  modified.metadata.owner_references = {{.kind = "Foo", .name = "a"}};
  modified.spec.arguments = {"x", "y"};
  modified.spec.by_zone.erase("a");
  testing::Workload other_owner = modified;
  other_owner.metadata.owner_references[0].name = "b";
  other_owner.spec.arguments = {"y"};

  EXPECT_FALSE(MergeFrom(original, modified).error().has_value());
  EXPECT_FALSE(MergeFrom(modified, other_owner).error().has_value());
}

// strategy.rollingUpdate is on the server, and the kind does not declare it.
TEST(PatchTest, MergeFromClearsTheDeclaredFieldsOfAStructOfAPartialKindOnly) {
  testing::Workload original = NewWorkload();
  original.spec.strategy.type = "Recreate";
  original.spec.optional_strategy = testing::Workload::Strategy{.type = "Recreate"};
  original.status.ready_replicas = 1;
  testing::Workload modified = original;
  modified.spec.strategy = {};
  modified.spec.optional_strategy.reset();
  modified.status = {};

  EXPECT_EQ(MergeFrom(original, modified).body(),
            R"({"spec":{"strategy":{"type":null},"optionalStrategy":null},)"
            R"("status":{"readyReplicas":null}})");
}

}  // namespace
}  // namespace capstan

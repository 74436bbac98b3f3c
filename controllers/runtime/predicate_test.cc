// SPDX-License-Identifier: Apache-2.0
#include "capstan/predicate.h"

#include <gtest/gtest.h>

#include <string>

#include "capstan/object_meta.h"

namespace capstan {
namespace {

struct Fields {
  ObjectMeta metadata;
  bool enabled = true;
};

// Thing is what an object of a kind in a cache looks like to a predicate.
struct Thing : Fields {
  bool HasSameVersion(const Thing& other) const {
    return metadata.resource_version == other.metadata.resource_version;
  }
};

Thing Version(std::string version) {
  Thing thing;
  thing.metadata.resource_version = std::move(version);
  return thing;
}

template <class P>
bool AcceptsUpdate(const P& predicate, const Thing& old_object, const Thing& new_object) {
  return AsPredicate(predicate).Update(old_object, new_object);
}

TEST(PredicateTest, GenerationChangeAcceptsOnlyUpdatesOfTheGeneration) {
  Thing changed = Version("2");
  changed.metadata.labels["a"] = "b";
  EXPECT_FALSE(AcceptsUpdate(OnGenerationChange(), Version("1"), changed));

  changed.metadata.generation = 2;

  EXPECT_TRUE(AcceptsUpdate(OnGenerationChange(), Version("1"), changed));
  EXPECT_TRUE(OnGenerationChange().Create(changed));
  EXPECT_TRUE(OnGenerationChange().Delete(changed));
}

TEST(PredicateTest, LabelChangeAcceptsOnlyUpdatesOfLabels) {
  Thing changed = Version("2");
  changed.metadata.annotations["a"] = "b";
  EXPECT_FALSE(AcceptsUpdate(OnLabelChange(), Version("1"), changed));

  changed.metadata.labels["a"] = "b";

  EXPECT_TRUE(AcceptsUpdate(OnLabelChange(), Version("1"), changed));
}

TEST(PredicateTest, AnnotationChangeAcceptsOnlyUpdatesOfAnnotations) {
  Thing changed = Version("2");
  changed.metadata.labels["a"] = "b";
  EXPECT_FALSE(AcceptsUpdate(OnAnnotationChange(), Version("1"), changed));

  changed.metadata.annotations["a"] = "b";

  EXPECT_TRUE(AcceptsUpdate(OnAnnotationChange(), Version("1"), changed));
}

TEST(PredicateTest, ResourceVersionChangeRejectsResyncs) {
  EXPECT_FALSE(AcceptsUpdate(OnResourceVersionChange(), Version("1"), Version("1")));
  EXPECT_TRUE(AcceptsUpdate(OnResourceVersionChange(), Version("1"), Version("2")));
}

TEST(PredicateTest, FunctionOfOneObjectFiltersEveryEvent) {
  const auto enabled = AsPredicate([](const Fields& fields) { return fields.enabled; });
  Thing off;
  off.enabled = false;

  EXPECT_TRUE(enabled.Create(Thing()));
  EXPECT_FALSE(enabled.Create(off));
  EXPECT_FALSE(enabled.Delete(off));
  EXPECT_FALSE(enabled.Update(Thing(), off)) << "the new object counts";
  EXPECT_TRUE(enabled.Update(off, Thing()));
}

TEST(PredicateTest, FunctionOfTwoObjectsFiltersUpdatesOnly) {
  const auto toggled = AsPredicate([](const Fields& old_object, const Fields& new_object) {
    return old_object.enabled != new_object.enabled;
  });
  Thing off;
  off.enabled = false;

  EXPECT_TRUE(toggled.Create(off));
  EXPECT_TRUE(toggled.Delete(off));
  EXPECT_TRUE(toggled.Update(Thing(), off));
  EXPECT_FALSE(toggled.Update(off, off));
}

TEST(PredicateTest, AndOrAndNotCombine) {
  Thing labelled = Version("2");
  labelled.metadata.labels["a"] = "b";
  const Thing before = Version("1");

  EXPECT_TRUE(AcceptsUpdate(Or(OnGenerationChange(), OnLabelChange()), before, labelled));
  EXPECT_FALSE(AcceptsUpdate(And(OnGenerationChange(), OnLabelChange()), before, labelled));
  EXPECT_TRUE(AcceptsUpdate(capstan::Not(OnGenerationChange()), before, labelled));
  EXPECT_FALSE(capstan::Not(OnGenerationChange()).Create(labelled));
  EXPECT_TRUE(AcceptsUpdate(
      And(OnLabelChange(), capstan::Not(Or(OnGenerationChange(), OnAnnotationChange())),
          [](const Fields& fields) { return fields.enabled; }),
      before, labelled));
  EXPECT_TRUE(AcceptsUpdate(And(), before, before));
  EXPECT_FALSE(AcceptsUpdate(Or(), before, before));
}

TEST(PredicateTest, OwnClassReplacesTheEventsItNames) {
  struct NoDeletions : PredicateFuncs {
    bool Delete(const Fields&) const { return false; }
  };
  const auto predicate = And(NoDeletions());

  EXPECT_TRUE(predicate.Create(Thing()));
  EXPECT_FALSE(predicate.Delete(Thing()));
}

TEST(PredicateTest, CombinationsPassTheInitialListOn) {
  struct CreatedLater : PredicateFuncs {
    bool Create(const Fields&, bool is_in_initial_list) const { return !is_in_initial_list; }
  };
  const auto later = And(CreatedLater(), OnLabelChange());
  const auto any = Or(CreatedLater(), [](const Fields& fields) { return !fields.enabled; });
  const auto initial = capstan::Not(CreatedLater());

  EXPECT_TRUE(later.Create(Thing(), /*is_in_initial_list=*/false));
  EXPECT_FALSE(later.Create(Thing(), /*is_in_initial_list=*/true));
  EXPECT_TRUE(any.Create(Thing(), /*is_in_initial_list=*/false));
  EXPECT_FALSE(any.Create(Thing(), /*is_in_initial_list=*/true));
  EXPECT_FALSE(initial.Create(Thing(), /*is_in_initial_list=*/false));
  EXPECT_TRUE(initial.Create(Thing(), /*is_in_initial_list=*/true));
}

class Cached final : public runtime::Object, public Fields {
 public:
  Cached(const runtime::ObjectIdentity& identity, bool the_value) : Object(identity) {
    enabled = the_value;
  }
};

TEST(PredicateTest, ForObjectsGetsOldAndNewObjectOfAChange) {
  const auto make = [](bool enabled) {
    return runtime::MakeObject<Cached>(
        runtime::ObjectIdentity{
            .namespace_ = "ns", .name = "a", .uid = "u", .resource_version = "1"},
        enabled);
  };
  const cache::Predicate enabled =
      ForObjects<Cached>([](const Fields& fields) { return fields.enabled; });
  const cache::Predicate toggled =
      ForObjects<Cached>([](const Cached& old_object, const Cached& new_object) {
        return old_object.enabled != new_object.enabled;
      });

  EXPECT_TRUE(enabled({.type = cache::Change::Type::kAdded, .new_object = make(true)}));
  EXPECT_FALSE(enabled({.type = cache::Change::Type::kAdded, .new_object = make(false)}));
  EXPECT_FALSE(enabled({.type = cache::Change::Type::kDeleted, .old_object = make(false)}));
  EXPECT_TRUE(toggled({.type = cache::Change::Type::kUpdated,
                       .old_object = make(false),
                       .new_object = make(true)}));
  EXPECT_FALSE(toggled(
      {.type = cache::Change::Type::kUpdated, .old_object = make(true), .new_object = make(true)}));
}

}  // namespace
}  // namespace capstan

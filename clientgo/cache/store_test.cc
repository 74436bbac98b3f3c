// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

using ::testing::UnorderedElementsAre;
using Type = Change::Type;

std::vector<std::string> ShowAll(const std::vector<runtime::ObjectPtr>& objects) {
  std::vector<std::string> shown;
  shown.reserve(objects.size());
  for (const auto& object : objects) shown.push_back(Show(*object));
  return shown;
}

std::vector<std::string> ShowAll(const ChangeList& changes) {
  std::vector<std::string> shown;
  for (ChangeList::Cursor cursor; !changes.IsEnd(cursor);) {
    const Change change = changes.Next(cursor);
    std::string line = change.type == Type::kAdded     ? "added"
                       : change.type == Type::kUpdated ? "updated"
                                                       : "deleted";
    if (change.old_object) line += " from " + Show(*change.old_object);
    if (change.new_object) line += " to " + Show(*change.new_object);
    shown.push_back(std::move(line));
  }
  return shown;
}

// Returns the letters of the name: an object has several values or none.
std::vector<std::string> Letters(const runtime::Object& object) {
  std::vector<std::string> letters;
  for (const char letter : object.name()) letters.emplace_back(1, letter);
  return letters;
}

// Returns one value that changes with each version: "odd" or "even".
std::vector<std::string> Parity(const runtime::Object& object) {
  const bool odd = (object.resource_version().back() - '0') % 2 != 0;
  return {odd ? "odd" : "even"};
}

TEST(IndexerTest, UpsertReturnsPreviousObject) {
  Indexer indexer;

  EXPECT_EQ(indexer.Upsert(MakeObject("a", 1)), nullptr);
  const auto before = indexer.Upsert(MakeObject("a", 2));

  ASSERT_NE(before, nullptr);
  EXPECT_EQ(Show(*before), "ns/a=1");
  EXPECT_EQ(Show(*indexer.GetByKey("ns/a")), "ns/a=2");
  EXPECT_EQ(indexer.Size(), 1U);
}

TEST(IndexerTest, DeleteReturnsPreviousObjectOrNullptr) {
  Indexer indexer;
  indexer.Upsert(MakeObject("a", 1));

  EXPECT_EQ(indexer.Delete("ns/b"), nullptr);
  EXPECT_EQ(Show(*indexer.Delete("ns/a")), "ns/a=1");
  EXPECT_EQ(indexer.GetByKey("ns/a"), nullptr);
  EXPECT_EQ(indexer.Size(), 0U);
}

TEST(IndexerTest, ReplaceReturnsDeletionsAndThenChangesInOrderOfItems) {
  Indexer indexer;
  for (const char* name : {"gone", "kept", "changed"}) indexer.Upsert(MakeObject(name, 1));

  const auto changes =
      indexer.Replace({MakeObject("new", 5), MakeObject("changed", 6), MakeObject("kept", 1)});

  EXPECT_THAT(ShowAll(changes), ElementsAre("deleted from ns/gone=1", "added to ns/new=5",
                                            "updated from ns/changed=1 to ns/changed=6"));
  EXPECT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes.added(), 1U);
  EXPECT_THAT(ShowAll(indexer.List()),
              UnorderedElementsAre("ns/new=5", "ns/changed=6", "ns/kept=1"));
}

TEST(IndexerTest, ReplaceKeepsIdentityOfUnchangedObject) {
  Indexer indexer;
  const auto object = MakeObject("a", 1);
  indexer.Upsert(object);

  const auto changes = indexer.Replace({MakeObject("a", 1)});

  EXPECT_EQ(indexer.GetByKey("ns/a"), object);
  EXPECT_EQ(changes.size(), 0U);
}

TEST(IndexerTest, ReplaceReportsObjectWithoutVersionUnlessItIsTheOneInTheStore) {
  const auto make = [] { return runtime::MakeObject<runtime::Object>({"ns", "a", "uid", ""}); };
  Indexer indexer;
  const runtime::ObjectPtr object = make();
  indexer.Upsert(object);

  EXPECT_EQ(indexer.Replace({object}).size(), 0U);
  EXPECT_EQ(indexer.Replace({make()}).size(), 1U);
}

TEST(IndexerTest, LastOfDuplicateKeysWins) {
  Indexer indexer;

  const auto changes = indexer.Replace({MakeObject("a", 1), MakeObject("a", 2)});

  EXPECT_THAT(ShowAll(changes), ElementsAre("added to ns/a=1", "updated from ns/a=1 to ns/a=2"));
  EXPECT_THAT(ShowAll(indexer.List()), ElementsAre("ns/a=2"));
}

// Compares a store with a map over many lists, and the changes with the difference of the maps.
TEST(IndexerTest, ReplaceOfAnyContentReturnsTheDifference) {
  std::mt19937 random(7);
  Indexer indexer;
  ASSERT_TRUE(indexer.AddIndex("parity", Parity));
  std::map<std::string, int> stored;
  for (int round = 0; round < 30; ++round) {
    std::map<std::string, int> listed;
    std::vector<runtime::ObjectPtr> items;
    const auto wanted = random() % 3000;
    for (std::size_t i = 0; i < wanted; ++i) {
      const std::string name = "o" + std::to_string(random() % 4000);
      const int version = static_cast<int>(random() % 3) + 1;
      if (listed.emplace(name, version).second) items.push_back(MakeObject(name, version));
    }
    std::multiset<std::string> expected;
    for (const auto& [name, version] : stored) {
      const std::string before = "ns/" + name + "=" + std::to_string(version);
      const auto now = listed.find(name);
      if (now == listed.end()) expected.insert("deleted from " + before);
      if (now == listed.end() || now->second == version) continue;
      expected.insert("updated from " + before + " to ns/" + name + "=" +
                      std::to_string(now->second));
    }
    for (const auto& [name, version] : listed) {
      if (stored.contains(name)) continue;
      expected.insert("added to ns/" + name + "=" + std::to_string(version));
    }

    const auto shown = ShowAll(indexer.Replace(std::move(items)));

    EXPECT_EQ(std::multiset<std::string>(shown.begin(), shown.end()), expected);
    EXPECT_EQ(indexer.Size(), listed.size());
    EXPECT_EQ(indexer.ByIndex("parity", "odd").size() + indexer.ByIndex("parity", "even").size(),
              listed.size());
    stored = std::move(listed);
  }
}

TEST(IndexerTest, ObjectOutlivesItsStore) {
  runtime::ObjectPtr object;
  {
    Indexer indexer;
    ASSERT_TRUE(indexer.AddIndex("letters", Letters));
    indexer.Replace({MakeObject("a", 1), MakeObject("b", 1)});
    object = indexer.GetByKey("ns/a");
  }
  EXPECT_EQ(Show(*object), "ns/a=1");
}

TEST(IndexerTest, OneObjectMayBeInSeveralStores) {
  const auto object = MakeObject("a", 1);
  Indexer first;
  ASSERT_TRUE(first.AddIndex("letters", Letters));
  first.Upsert(object);
  {
    Indexer second;
    ASSERT_TRUE(second.AddIndex("parity", Parity));
    second.Upsert(object);
  }
  EXPECT_EQ(first.ByIndex("letters", "a"), std::vector{object});
}

TEST(IndexerTest, UpdatesIndexesOnUpsertDeleteAndReplace) {
  Indexer indexer;
  ASSERT_TRUE(indexer.AddIndex("letters", Letters));
  ASSERT_TRUE(indexer.AddIndex("parity", Parity));
  const std::size_t empty_bytes = indexer.ByteSize();

  indexer.Upsert(MakeObject("ab", 1));
  indexer.Upsert(MakeObject("bc", 2));
  EXPECT_THAT(ShowAll(indexer.ByIndex("letters", "b")), UnorderedElementsAre("ns/ab=1", "ns/bc=2"));
  EXPECT_THAT(ShowAll(indexer.ByIndex("parity", "odd")), ElementsAre("ns/ab=1"));

  indexer.Upsert(MakeObject("ab", 4));
  EXPECT_THAT(indexer.ByIndex("parity", "odd"), IsEmpty());
  EXPECT_THAT(ShowAll(indexer.ByIndex("letters", "a")), ElementsAre("ns/ab=4"));

  indexer.Delete("ns/ab");
  EXPECT_THAT(indexer.ByIndex("letters", "a"), IsEmpty());
  EXPECT_THAT(ShowAll(indexer.ByIndex("letters", "b")), ElementsAre("ns/bc=2"));

  indexer.Replace({MakeObject("c", 3)});
  EXPECT_THAT(indexer.ByIndex("letters", "b"), IsEmpty());
  EXPECT_THAT(ShowAll(indexer.ByIndex("letters", "c")), ElementsAre("ns/c=3"));
  EXPECT_THAT(ShowAll(indexer.ByIndex("parity", "odd")), ElementsAre("ns/c=3"));

  indexer.Delete("ns/c");
  EXPECT_LE(indexer.ByteSize(), empty_bytes + 1024) << "index values were not removed";
}

TEST(IndexerTest, ObjectWithoutValueIsNotInIndex) {
  Indexer indexer;
  ASSERT_TRUE(indexer.AddIndex("odd", [](const runtime::Object& object) {
    return Parity(object).front() == "odd" ? Letters(object) : std::vector<std::string>();
  }));
  const auto found = [&](const char* value) { return ShowAll(indexer.ByIndex("odd", value)); };

  indexer.Upsert(MakeObject("ab", 2));
  EXPECT_THAT(found("a"), IsEmpty());
  EXPECT_THAT(found(""), IsEmpty());
  indexer.Upsert(MakeObject("ab", 3));
  EXPECT_THAT(found("a"), ElementsAre("ns/ab=3"));
  indexer.Upsert(MakeObject("ab", 4));
  EXPECT_THAT(found("a"), IsEmpty());
  EXPECT_THAT(found("b"), IsEmpty());
  indexer.Replace({MakeObject("ab", 5)});
  EXPECT_THAT(found("b"), ElementsAre("ns/ab=5"));
  indexer.Delete("ns/ab");
  EXPECT_THAT(found("b"), IsEmpty());
}

// Regression test for a use after free: the index kept a pointer to an object that it could not
// find.
TEST(IndexerTest, RemovesObjectFromIndexWhenIndexFunctionReturnsAnotherValue) {
  Indexer indexer;
  std::string value = "before";
  ASSERT_TRUE(indexer.AddIndex(
      "impure", [&](const runtime::Object&) { return std::vector<std::string>{value}; }));
  indexer.Upsert(MakeObject("updated", 1));
  indexer.Upsert(MakeObject("deleted", 1));
  indexer.Upsert(MakeObject("replaced", 1));
  const std::size_t bytes = indexer.ByteSize();

  value = "after";
  indexer.Upsert(MakeObject("updated", 2));
  indexer.Delete("ns/deleted");
  indexer.Replace({MakeObject("updated", 2)});

  EXPECT_THAT(indexer.ByIndex("impure", "before"), IsEmpty());
  EXPECT_THAT(ShowAll(indexer.ByIndex("impure", "after")), ElementsAre("ns/updated=2"));
  EXPECT_LT(indexer.ByteSize(), bytes) << "entries of deleted objects were not removed";
}

TEST(IndexerTest, IndexAddedLaterCoversExistingObjects) {
  Indexer indexer;
  indexer.Upsert(MakeObject("ab", 1));

  ASSERT_TRUE(indexer.AddIndex("letters", Letters));

  EXPECT_THAT(ShowAll(indexer.ByIndex("letters", "a")), ElementsAre("ns/ab=1"));
  EXPECT_THAT(indexer.ByIndex("letters", "z"), IsEmpty());
  EXPECT_THAT(indexer.ByIndex("nothing", "a"), IsEmpty());
  const auto conflict = indexer.AddIndex("letters", Letters);
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().message, "indexer conflict: letters");
}

TEST(IndexerTest, ReadersSeeReplaceAsAtomic) {
  Indexer indexer;
  indexer.Replace({MakeObject("a", 1), MakeObject("b", 1)});
  std::atomic<bool> mixed = false;

  {
    const std::jthread reader([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto objects = indexer.List();
        if (objects.size() != 2 ||
            objects[0]->resource_version() != objects[1]->resource_version()) {
          mixed = true;
        }
      }
    });
    for (int version = 2; version < 500; ++version) {
      indexer.Replace({MakeObject("a", version), MakeObject("b", version)});
    }
  }

  EXPECT_FALSE(mixed);
}

TEST(IndexerTest, UsesAtMost12BytesPerObjectAndReportsThem) {
  constexpr int kObjects = 20000;
  std::vector<runtime::ObjectPtr> objects;
  objects.reserve(kObjects);
  std::size_t object_bytes = 0;
  for (int i = 0; i < kObjects; ++i) {
    objects.push_back(MakeObject("object-" + std::to_string(i), 1));
    object_bytes += objects.back()->ByteSize();
  }
  const std::size_t before = HeapBytesInUse();
  if (before == 0) GTEST_SKIP() << "a sanitizer has its own heap";

  Indexer indexer;
  for (const auto& object : objects) indexer.Upsert(object);

  const std::size_t used = HeapBytesInUse() - before;
  EXPECT_LE(used, std::size_t{12} * kObjects);
  const std::size_t reported = indexer.ByteSize() - object_bytes;
  EXPECT_NEAR(static_cast<double>(reported), static_cast<double>(used),
              0.05 * static_cast<double>(used));
}

TEST(IndexerTest, IndexWithoutValuesUsesNoMemoryPerObject) {
  constexpr int kObjects = 1000;
  Indexer plain;
  Indexer indexed;
  ASSERT_TRUE(
      indexed.AddIndex("none", [](const runtime::Object&) { return std::vector<std::string>(); }));
  for (int i = 0; i < kObjects; ++i) {
    plain.Upsert(MakeObject("object-" + std::to_string(i), 1));
    indexed.Upsert(MakeObject("object-" + std::to_string(i), 1));
  }

  EXPECT_EQ(indexed.ByteSize(), plain.ByteSize());
}

// Adds the index to a store of many objects. Expects that it uses at most `bytes_max` for each, and
// that ByteSize reports what it uses.
void ExpectMemoryOfIndex(const IndexFunc& func, double bytes_max) {
  constexpr int kObjects = 20000;
  std::vector<runtime::ObjectPtr> objects;
  objects.reserve(kObjects);
  for (int i = 0; i < kObjects; ++i) {
    objects.push_back(MakeObject("object-" + std::to_string(i), 1));
  }
  Indexer indexer;
  for (const auto& object : objects) indexer.Upsert(object);
  const std::size_t reported_before = indexer.ByteSize();
  const std::size_t before = HeapBytesInUse();
  if (before == 0) GTEST_SKIP() << "a sanitizer has its own heap";

  ASSERT_TRUE(indexer.AddIndex("index", func));

  const auto used = static_cast<double>(HeapBytesInUse() - before);
  const auto reported = static_cast<double>(indexer.ByteSize() - reported_before);
  EXPECT_LE(used, bytes_max * kObjects);
  EXPECT_NEAR(reported, used, 0.05 * used);
}

TEST(IndexerTest, ReportsMemoryOfIndexValues) { ExpectMemoryOfIndex(Parity, 18.0); }

TEST(IndexerTest, ReportsMemoryOfUniqueIndexValues) {
  const auto unique = [](const runtime::Object& object) {
    return std::vector<std::string>{std::string(object.key()), std::string(object.key())};
  };
  ExpectMemoryOfIndex(unique, 90.0);
}

TEST(IndexerTest, IndexesObjectWithManySharedValues) {
  Indexer indexer;
  ASSERT_TRUE(indexer.AddIndex("letters", Letters));
  std::map<char, int> expected;
  for (int i = 0; i < 3000; ++i) {
    std::string name;
    for (char letter = 'a'; letter <= 'j'; ++letter) {
      if (i % (letter - 'a' + 2) == 0) name += letter;
      if (i % (letter - 'a' + 2) == 0 && i % 2 == 0) ++expected[letter];
    }
    // Names must differ.
    name += "-" + std::to_string(i);
    indexer.Upsert(MakeObject(name, 1));
    if (i % 2 != 0) indexer.Delete("ns/" + name);
  }
  for (const auto& [letter, count] : expected) {
    EXPECT_EQ(indexer.ByIndex("letters", std::string(1, letter)).size(),
              static_cast<std::size_t>(count));
  }
  for (const std::string& key : indexer.ListKeys()) indexer.Delete(key);
  EXPECT_THAT(indexer.ByIndex("letters", "a"), IsEmpty());
  EXPECT_THAT(indexer.ByIndex("letters", "-"), IsEmpty());
}

TEST(ListerTest, ReadsTypedObjects) {
  Indexer indexer;
  indexer.Upsert(MakeObject("a", 1));
  ASSERT_TRUE(indexer.AddIndex("letters", Letters));
  const Lister<runtime::Object> lister(indexer);

  EXPECT_EQ(lister.Get("ns/a"), indexer.GetByKey("ns/a"));
  EXPECT_EQ(lister.Get("ns/b"), nullptr);
  EXPECT_EQ(lister.List().size(), 1U);
  EXPECT_EQ(lister.ByIndex("letters", "a").size(), 1U);
  EXPECT_THAT(indexer.ListKeys(), ElementsAre("ns/a"));
}

TEST(ListerDeathTest, EndsProcessOnAnIndexThatNobodyHasAdded) {
  Indexer indexer;
  ASSERT_TRUE(indexer.AddIndex("letters", Letters));
  const Lister<runtime::Object> lister(indexer);

  EXPECT_TRUE(lister.ByIndex("letters", "a").empty());
  EXPECT_DEATH((void)lister.ByIndex("leters", "a"), "\"leters\".*nobody has added this index");
}

struct Special final : runtime::Object {
  using Object::Object;
};

TEST(ListerDeathTest, EndsProcessWhenTypeDiffersFromStore) {
  Indexer indexer;
  indexer.Upsert(MakeObject("a", 1));
  const Lister<Special> lister(indexer);

  EXPECT_EQ(lister.Get("ns/b"), nullptr);
  EXPECT_DEATH((void)lister.Get("ns/a"), "of a store that holds");
  static_assert(!std::is_constructible_v<Lister<Special>, Indexer>,
                "a temporary store would be destroyed");
}

using Versions = std::map<std::string, std::string>;

runtime::ObjectPtr MakeVersion(const std::string& name, const std::string& version) {
  return runtime::MakeObject<runtime::Object>(runtime::ObjectIdentity{
      .namespace_ = "n", .name = name, .uid = "u", .resource_version = version});
}

Versions Release(TemporaryStore& received) {
  Versions versions;
  for (const auto& object : received.Release()) {
    const bool is_new = versions.emplace(object->name(), object->resource_version()).second;
    EXPECT_TRUE(is_new) << object->key() << " is there twice";
  }
  return versions;
}

TEST(TemporaryStoreTest, KeepsOrderOfKeys) {
  TemporaryStore received;
  for (const char* name : {"a", "b", "c"}) received.Upsert(MakeVersion(name, "1"));
  received.Upsert(MakeVersion("b", "2"));
  received.Delete("n/a");
  received.Delete("n/unknown");

  const auto objects = received.Release();

  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0]->key(), "n/b");
  EXPECT_EQ(objects[0]->resource_version(), "2");
  EXPECT_EQ(objects[1]->key(), "n/c");
  EXPECT_TRUE(received.Release().empty());
}

TEST(TemporaryStoreTest, HoldsTheSameObjectsAsAMapInAnyOrder) {
  for (unsigned int seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    TemporaryStore received;
    Versions expected;
    // The first steps are in order, 4 * seed of them.
    for (unsigned int step = 0; step < 200; ++step) {
      const auto number = step < seed * 4 ? step + 1000UL : random() % 300 + 900;
      const std::string name = std::to_string(number);
      const std::string version = std::to_string(step);
      if (step >= seed * 4 && random() % 4 == 0) {
        received.Delete("n/" + name);
        expected.erase(name);
      } else {
        received.Upsert(MakeVersion(name, version));
        expected[name] = version;
      }
    }

    EXPECT_EQ(Release(received), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace capstan::cache

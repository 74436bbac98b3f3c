// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/pointer_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

struct Entry {
  std::uint64_t key = 0;
};

std::uint64_t Mix(std::uint64_t number) {
  number = (number ^ number >> 31U) * 0x9e3779b97f4a7c15;
  return (number ^ number >> 29U) * 0xbf58476d1ce4e5b9;
}

struct GoodHash {
  std::uint64_t operator()(const Entry& entry) const { return Mix(entry.key); }
};
// All tags are the last ones, so all entries are in one cluster that continues at the first slot.
struct LastTagsHash {
  std::uint64_t operator()(const Entry& entry) const {
    return Mix(entry.key) << 16U | (0xffffU - entry.key % 3);
  }
};

template <class Hash>
struct Fixture {
  using Table = PointerTable<Entry, Hash>;

  typename Table::Position Find(std::uint64_t key) const {
    return table.Find(Hash()(Entry{key}), [&](const Entry& entry) { return entry.key == key; });
  }
  typename Table::Position Insert(std::uint64_t key) {
    entries[key] = std::make_unique<Entry>(Entry{key});
    return table.Insert(Hash()(Entry{key}), entries[key].get());
  }
  void Erase(std::uint64_t key) {
    table.Erase(Find(key));
    entries.erase(key);
  }
  // Compares the table with `entries` and `numbers`.
  void Check() const {
    ASSERT_EQ(table.size(), entries.size());
    std::set<const Entry*> seen;
    for (auto at = table.First(); at; at = table.Next(at)) seen.insert(table.At(at));
    EXPECT_EQ(seen.size(), entries.size());
    for (const auto& [key, entry] : entries) {
      const auto found = Find(key);
      ASSERT_TRUE(found) << key;
      EXPECT_EQ(table.At(found), entry.get());
      const auto number = numbers.find(key);
      EXPECT_EQ(table.Number(found, 1), number == numbers.end() ? 0 : number->second) << key;
      EXPECT_EQ(table.Number(found, 0), 0U);
      EXPECT_EQ(table.Number(found, 7), 0U);
    }
  }

  Table table;
  std::map<std::uint64_t, std::unique_ptr<Entry>> entries;
  std::map<std::uint64_t, std::uint32_t> numbers;
};

// Adds and removes entries at random, first more of the one, then of the other.
template <class Hash>
void ComparesWithMap(std::uint64_t keys, int steps) {
  std::mt19937 random(7);
  Fixture<Hash> fixture;
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t key = random() % keys;
    const bool grows = step % 4 != 0 ? step < steps / 2 : step >= steps / 2;
    if (!fixture.entries.contains(key)) {
      EXPECT_FALSE(fixture.Find(key));
      if (!grows) continue;
      const auto added = fixture.Insert(key);
      EXPECT_EQ(fixture.table.At(added)->key, key);
      if (key % 2 == 0) continue;
      fixture.table.SetNumber(added, 1, static_cast<std::uint32_t>(step));
      if (step != 0) fixture.numbers[key] = static_cast<std::uint32_t>(step);
    } else if (!grows) {
      fixture.Erase(key);
      fixture.numbers.erase(key);
    }
    if (step % (steps / 20) == 0) fixture.Check();
  }
  fixture.Check();
  while (!fixture.entries.empty()) fixture.Erase(fixture.entries.begin()->first);
  fixture.numbers.clear();
  fixture.Check();
  EXPECT_FALSE(fixture.table.First());
}

TEST(PointerTableTest, HoldsTheSameEntriesAsAMap) { ComparesWithMap<GoodHash>(20000, 60000); }

TEST(PointerTableTest, HoldsTheSameEntriesAsAMapWithFewTags) {
  ComparesWithMap<LastTagsHash>(60, 4000);
  ComparesWithMap<LastTagsHash>(2000, 6000);
}

TEST(PointerTableTest, EmptyTableHasNothing) {
  Fixture<GoodHash> fixture;
  EXPECT_FALSE(fixture.Find(1));
  EXPECT_FALSE(fixture.table.First());
  EXPECT_EQ(fixture.table.ByteSize(), 0U);
}

TEST(PointerTableTest, ReservesRoomOnlyWhenEmpty) {
  Fixture<GoodHash> fixture;
  fixture.table.Reserve(3000);
  const std::size_t reserved = fixture.table.ByteSize();
  for (std::uint64_t key = 0; key < 3000; ++key) fixture.Insert(key);
  fixture.Check();
  EXPECT_LE(fixture.table.ByteSize(), reserved + reserved / 10);

  fixture.table.Reserve(100000);
  fixture.Check();
}

TEST(PointerTableTest, ExchangeKeepsNumberAndMark) {
  Fixture<GoodHash> fixture;
  const auto position = fixture.Insert(1);
  fixture.table.SetNumber(position, 2, 9);
  EXPECT_FALSE(fixture.table.SetMark(position, true));

  Entry other{1};
  EXPECT_EQ(fixture.table.Exchange(position, &other), fixture.entries[1].get());

  EXPECT_EQ(fixture.table.At(fixture.Find(1)), &other);
  EXPECT_EQ(fixture.table.Number(position, 2), 9U);
  EXPECT_TRUE(fixture.table.SetMark(position, false));
  EXPECT_FALSE(fixture.table.SetMark(position, false));
}

TEST(PointerTableTest, KeepsMarksWhileItGrows) {
  Fixture<GoodHash> fixture;
  for (std::uint64_t key = 0; key < 5000; ++key) {
    fixture.table.SetMark(fixture.Insert(key), key % 3 == 0);
  }
  for (std::uint64_t key = 0; key < 5000; ++key) {
    EXPECT_EQ(fixture.table.SetMark(fixture.Find(key), false), key % 3 == 0) << key;
  }
}

TEST(PointerTableTest, UsesAtMost12BytesForEachEntryAndReportsThem) {
  constexpr std::size_t kEntries = 20000;
  std::vector<Entry> entries(kEntries);
  const std::size_t before = HeapBytesInUse();
  PointerTable<Entry, GoodHash> table;
  for (std::size_t i = 0; i < kEntries; ++i) {
    entries[i].key = i;
    table.Insert(GoodHash()(entries[i]), &entries[i]);
    if (i >= 500) {
      EXPECT_LE(table.ByteSize(), (i + 1) * 12 + 128) << i;
    }
  }
  if (before == 0) GTEST_SKIP() << "a sanitizer has its own heap";
  const auto used = static_cast<double>(HeapBytesInUse() - before);
  EXPECT_NEAR(static_cast<double>(table.ByteSize()), used, 0.05 * used);
}

TEST(PointerTableTest, ShrinksWhenEntriesAreRemoved) {
  Fixture<GoodHash> fixture;
  for (std::uint64_t key = 0; key < 20000; ++key) {
    fixture.table.SetNumber(fixture.Insert(key), 0, 1);
  }
  const std::size_t full = fixture.table.ByteSize();
  for (std::uint64_t key = 100; key < 20000; ++key) fixture.Erase(key);

  EXPECT_LT(fixture.table.ByteSize(), full / 10);
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(fixture.table.Number(fixture.Find(key), 0), 1U);
  }
}

}  // namespace
}  // namespace capstan::cache

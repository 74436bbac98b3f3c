// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/object.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace capstan::runtime {
namespace {

constexpr char kUuid[] = "3f2a9c1e-7b54-4d0e-9a6b-0123456789ab";

ObjectPtr Make(std::string_view uid, std::string_view version) {
  return MakeObject<Object>(
      {.namespace_ = "ns", .name = "n", .uid = uid, .resource_version = version});
}

// Counted counts the living objects, and has fields that own memory.
struct Counted : Object {
  Counted(const ObjectIdentity& meta, std::atomic<int>& living, std::string_view text)
      : Object(meta), living_(living), text_(text), owned_(std::make_unique<int>(7)) {
    ++living_;
  }
  ~Counted() override { --living_; }

  std::atomic<int>& living_;
  const std::string text_;
  const std::unique_ptr<int> owned_;
};

TEST(ObjectTest, ReturnsIdentityOfNamespacedObject) {
  const auto object =
      MakeObject<Object>({.namespace_ = "ns", .name = "n", .uid = "u-1", .resource_version = "42"});

  EXPECT_EQ(object->key(), "ns/n");
  EXPECT_EQ(object->namespace_(), "ns");
  EXPECT_EQ(object->name(), "n");
  EXPECT_EQ(object->uid(), "u-1");
  EXPECT_EQ(object->resource_version(), "42");
}

TEST(ObjectTest, ReturnsIdentityOfClusterScopedObject) {
  const auto object =
      MakeObject<Object>({.namespace_ = "", .name = "n", .uid = "u", .resource_version = ""});

  EXPECT_EQ(object->key(), "n");
  EXPECT_EQ(object->namespace_(), "");
  EXPECT_EQ(object->name(), "n");
  EXPECT_EQ(object->resource_version(), "");
  EXPECT_EQ(object->uid(), "u");
}

TEST(ObjectTest, NameOfClusterScopedObjectMayHaveSlash) {
  const auto object = MakeObject<Object>(
      {.namespace_ = "", .name = "system:a/b", .uid = "u", .resource_version = "1"});

  EXPECT_EQ(object->namespace_(), "");
  EXPECT_EQ(object->name(), "system:a/b");
}

TEST(ObjectTest, CopiesItsIdentity) {
  std::string name = "first";
  const auto object =
      MakeObject<Object>({.namespace_ = "ns", .name = name, .uid = "", .resource_version = "1"});
  name = "xxxxx";
  EXPECT_EQ(object->key(), "ns/first");
}

const std::vector<std::string>& Uids() {
  static const std::vector<std::string> uids = {
      kUuid,
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "3F2A9C1E-7B54-4D0E-9A6B-0123456789AB",    // upper case
      "3f2a9c1e-7b54-4d0e-9a6b-0123456789aB",    // mixed case
      "3f2a9c1e-7b54-4d0e-9a6b-0123456789ag",    // not hexadecimal
      "3f2a9c1e-7b54-4d0e-9a6b+0123456789ab",    // another separator
      "3f2a9c1-e7b54-4d0e-9a6b-0123456789ab",    // a dash in another place
      "3f2a9c1e-7b54-4d0e-9a6b-0123456789a",     // too short
      "3f2a9c1e-7b54-4d0e-9a6b-0123456789abc",   // too long
      "{3f2a9c1e-7b54-4d0e-9a6b-0123456789ab}",  // braces
      "3f2a9c1e7b544d0e9a6b0123456789ab",        // no dashes
      "u",
      "",
      std::string(4096, 'u')};
  return uids;
}

const std::vector<std::string>& Versions() {
  static const std::vector<std::string> versions = {
      "1",
      "0",
      "48000001",
      "18446744073709551615",  // the largest number of 64 bits
      "18446744073709551616",
      "99999999999999999999999",
      "007",  // leading zeros
      "00",
      "+1",
      "-1",
      " 1",
      "1 ",
      "1.5",
      "0x10",
      "12a",
      "v7",
      "",
      std::string(4096, '9')};
  return versions;
}

TEST(ObjectTest, KeepsEveryUidAndVersion) {
  for (const std::string& uid : Uids()) {
    for (const std::string& version : Versions()) {
      const auto object = Make(uid, version);
      EXPECT_EQ(object->uid(), uid);
      EXPECT_EQ(object->resource_version(), version);
      EXPECT_EQ(object->key(), "ns/n");
    }
  }
}

TEST(ObjectTest, IsTheSameVersionOnlyWithEqualUidAndVersion) {
  for (const std::string& uid : Uids()) {
    for (const std::string& version : Versions()) {
      const auto object = Make(uid, version);
      for (const std::string& other : Versions()) {
        EXPECT_EQ(object->HasSameVersion(*Make(uid, other)), version == other && !version.empty())
            << version << " and " << other;
      }
      for (const std::string& other : Uids()) {
        EXPECT_EQ(object->HasSameVersion(*Make(other, version)), uid == other && !version.empty())
            << uid << " and " << other;
      }
    }
  }
}

// A text with the length n and the number n have the same bits.
TEST(ObjectTest, TextIsNotTheSameVersionAsTheNumberOfItsLength) {
  EXPECT_FALSE(Make("u", "v7")->HasSameVersion(*Make("u", "2")));
  EXPECT_FALSE(Make("u", "1")->HasSameVersion(*Make("00000000-0000-0001-0000-000000000000", "1")));
}

// The memory use of a cache depends on this number.
TEST(ObjectTest, UsesItsKeyAnd40Bytes) {
  constexpr int kObjects = 1000;
  const std::string name(27, 'n');  // with "ns/" and 40 bytes 70 of the block's 72
  std::vector<ObjectPtr> objects;
  objects.reserve(kObjects);
  const struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < kObjects; ++i) {
    objects.push_back(MakeObject<Object>(
        {.namespace_ = "ns", .name = name, .uid = kUuid, .resource_version = "48000001"}));
  }
  const struct mallinfo2 after = mallinfo2();

  EXPECT_EQ(sizeof(Object), 40U);
  EXPECT_EQ(objects.front()->ByteSize(), 80U);
  if (after.uordblks == 0) GTEST_SKIP() << "a sanitizer has its own heap";
  EXPECT_NEAR(static_cast<double>(after.uordblks - before.uordblks), 80.0 * kObjects, 800);
}

TEST(ObjectTest, DerivedTypeHasFieldsAndIdentity) {
  std::atomic<int> living = 0;
  {
    const ObjectPtrTo<Counted> object = MakeObject<Counted>(
        {.namespace_ = "ns", .name = "n", .uid = "u", .resource_version = "v7"}, living, "text");
    EXPECT_EQ(object->text_, "text");
    EXPECT_EQ(object->key(), "ns/n");
    EXPECT_EQ(object->uid(), "u");
    EXPECT_EQ(object->resource_version(), "v7");
    EXPECT_GE(object->ByteSize(), sizeof(Counted) + 7);
    EXPECT_EQ(living, 1);
  }
  EXPECT_EQ(living, 0);
}

struct Before {
  virtual ~Before() = default;
  std::string own = "before";
};
// Its Object is not at its beginning.
struct SecondBase final : Before, Counted {
  using Counted::Counted;
};

TEST(ObjectTest, MayBeAnyBaseOfItsType) {
  std::atomic<int> living = 0;
  ObjectPtr object = MakeObject<SecondBase>(
      {.namespace_ = "ns", .name = "n", .uid = kUuid, .resource_version = "1"}, living, "text");

  EXPECT_EQ(object->key(), "ns/n");
  EXPECT_EQ(object->uid(), kUuid);
  EXPECT_GE(object->ByteSize(), sizeof(SecondBase));
  EXPECT_EQ(StaticObjectCast<SecondBase>(object)->own, "before");
  object.reset();
  EXPECT_EQ(living, 0);
}

struct Throws final : Counted {
  Throws(const ObjectIdentity& meta, std::atomic<int>& living) : Counted(meta, living, "text") {
    throw 7;
  }
};

TEST(ObjectTest, ConstructorMayThrow) {
  std::atomic<int> living = 0;
  EXPECT_THROW(MakeObject<Throws>({}, living), int);
  EXPECT_EQ(living, 0);
}

TEST(ObjectDeathTest, RejectsLengthsThatDoNotFit) {
  const std::string name(70'000, 'n');
  EXPECT_DEATH(
      MakeObject<Object>({.namespace_ = "", .name = name, .uid = "", .resource_version = ""}),
      "too long");
}

TEST(ObjectPtrTest, SharesItsObject) {
  std::atomic<int> living = 0;
  ObjectPtrTo<Counted> first = MakeObject<Counted>({}, living, "first");
  ObjectPtr second = first;
  EXPECT_EQ(first, second);
  EXPECT_TRUE(second);

  ObjectPtrTo<Counted> moved = std::move(first);
  EXPECT_EQ(first, nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved, second);
  moved = nullptr;
  EXPECT_EQ(living, 1);

  ObjectPtr& same = second;
  second = same;
  EXPECT_EQ(living, 1);
  second = MakeObject<Counted>({}, living, "second");
  EXPECT_EQ(living, 1);
  second.reset();
  EXPECT_EQ(living, 0);
}

TEST(ObjectPtrTest, DetachAndAdoptKeepTheReference) {
  std::atomic<int> living = 0;
  ObjectPtr object = MakeObject<Counted>({}, living, "text");
  const Object* const raw = object.Detach();
  EXPECT_EQ(object, nullptr);
  EXPECT_EQ(living, 1);

  ObjectPtr shared(raw);
  ObjectPtr::Adopt(raw).reset();
  EXPECT_EQ(living, 1);
  shared.reset();
  EXPECT_EQ(living, 0);
}

TEST(ObjectPtrTest, CastsToDerivedType) {
  std::atomic<int> living = 0;
  const ObjectPtr counted = MakeObject<Counted>({}, living, "text");
  const ObjectPtr plain = MakeObject<Object>({});

  EXPECT_EQ(StaticObjectCast<Counted>(counted)->text_, "text");
  EXPECT_EQ(DynamicObjectCast<Counted>(counted), counted);
  EXPECT_EQ(DynamicObjectCast<Counted>(plain), nullptr);
  EXPECT_EQ(StaticObjectCast<Counted>(ObjectPtr()), nullptr);
}

TEST(ObjectPtrTest, LastOfManyThreadsDestroysTheObject) {
  std::atomic<int> living = 0;
  for (int round = 0; round < 200; ++round) {
    ObjectPtr object = MakeObject<Counted>({}, living, "text");
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([object] {
        for (int copy = 0; copy < 50; ++copy) {
          // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): copies are what is tested
          const ObjectPtr mine = object;
          EXPECT_EQ(StaticObjectCast<Counted>(mine)->text_, "text");
        }
      });
    }
    object.reset();
  }
  EXPECT_EQ(living, 0);
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
}  // namespace capstan::runtime

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/received_objects.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

namespace clientgo::cache {
namespace {

using Versions = std::map<std::string, std::string>;

runtime::ObjectPtr MakeObject(const std::string& name, const std::string& version) {
  return std::make_shared<const runtime::Object>(runtime::ObjectMeta{
      .namespace_ = "n", .name = name, .uid = "u", .resource_version = version});
}

Versions Take(ReceivedObjects& received) {
  Versions versions;
  for (const auto& object : received.Take()) {
    const bool is_new = versions.emplace(object->name(), object->resource_version()).second;
    EXPECT_TRUE(is_new) << object->key() << " comes twice";
  }
  return versions;
}

TEST(ReceivedObjectsTest, KeepsTheOrderOfAServerThatHasOne) {
  ReceivedObjects received;
  for (const char* name : {"a", "b", "c"}) received.Upsert(MakeObject(name, "1"));
  received.Upsert(MakeObject("b", "2"));
  received.Delete("n/a");
  received.Delete("n/unknown");

  const auto objects = received.Take();

  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0]->key(), "n/b");
  EXPECT_EQ(objects[0]->resource_version(), "2");
  EXPECT_EQ(objects[1]->key(), "n/c");
  EXPECT_TRUE(received.Take().empty());
}

TEST(ReceivedObjectsTest, HoldsWhatAMapWouldWhateverTheOrder) {
  for (unsigned int seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    ReceivedObjects received;
    Versions expected;
    // The first steps are in order, as many as the seed says.
    for (unsigned int step = 0; step < 200; ++step) {
      const auto number = step < seed * 4 ? step + 1000UL : random() % 300 + 900;
      const std::string name = std::to_string(number);
      const std::string version = std::to_string(step);
      if (step >= seed * 4 && random() % 4 == 0) {
        received.Delete("n/" + name);
        expected.erase(name);
      } else {
        received.Upsert(MakeObject(name, version));
        expected[name] = version;
      }
    }

    EXPECT_EQ(Take(received), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace clientgo::cache

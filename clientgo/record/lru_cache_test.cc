// SPDX-License-Identifier: Apache-2.0
#include "clientgo/record/lru_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace clientgo::record {
namespace {

TEST(LruCacheTest, ForgetsWhatWasUsedLongestAgo) {
  LruCache<int, std::string> cache(2);
  cache.GetOrAdd(1) = "one";
  cache.GetOrAdd(2) = "two";
  EXPECT_EQ(cache.GetOrAdd(1), "one");  // now 2 is the oldest

  cache.GetOrAdd(3) = "three";

  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.GetOrAdd(1), "one");
  EXPECT_EQ(cache.GetOrAdd(2, "fresh"), "fresh");
}

TEST(LruCacheTest, NeverHoldsMoreThanItsSize) {
  LruCache<int, int> cache(10);

  for (int i = 0; i < 1000; ++i) cache.GetOrAdd(i % 37) = i;

  EXPECT_EQ(cache.size(), 10U);
}

}  // namespace
}  // namespace clientgo::record

// SPDX-License-Identifier: Apache-2.0
// The memory that the filter allocates, counted by replacing the global operator new of this test
// binary.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "capstan/runtime/json_filter.h"

namespace {

// Of the test's thread only.
thread_local std::size_t allocations = 0;
thread_local std::size_t largest_allocation = 0;

}  // namespace

// Not inlined: otherwise GCC warns that malloc's pointer goes to delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (bytes > largest_allocation) largest_allocation = bytes;
  if (void* p = std::malloc(bytes != 0 ? bytes : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace capstan::runtime {
namespace {

void FeedAll(JsonFilter& filter, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto taken = filter.Feed(bytes);
    ASSERT_TRUE(taken.has_value()) << taken.error().message;
    bytes.remove_prefix(*taken);
  }
}

TEST(JsonFilterMemoryTest, AllocatesNothingForDroppedStringOf90MiB) {
  const Projection projection = {{"name"}};
  JsonFilter filter(projection, {});
  const std::string piece(std::size_t{1} << 20U, 'x');
  FeedAll(filter, R"({"data":{"key":")");

  const std::size_t before = allocations;
  for (int i = 0; i < 90; ++i) FeedAll(filter, piece);
  EXPECT_EQ(allocations, before);

  FeedAll(filter, R"("},"name":"n"})");
  ASSERT_TRUE(filter.HasFrame());
  EXPECT_STREQ(filter.frame(), R"({"name":"n"})");
}

TEST(JsonFilterMemoryTest, AllocatesNothingForDroppedKeyOf10MiB) {
  const Projection projection = {{"name"}};
  JsonFilter filter(projection, {});
  const std::string piece(std::size_t{1} << 20U, 'n');
  FeedAll(filter, R"({"name":{},")");

  largest_allocation = 0;
  for (int i = 0; i < 10; ++i) FeedAll(filter, piece);
  FeedAll(filter, "\":1}");

  EXPECT_LT(largest_allocation, 1024U);
  EXPECT_STREQ(filter.frame(), R"({"name":{}})");
}

TEST(JsonFilterMemoryTest, LimitsAllocationForEndlessBrackets) {
  const Projection projection = {{"name"}};
  JsonFilter filter(projection, {});
  const std::string piece(std::size_t{1} << 20U, '[');
  largest_allocation = 0;

  EXPECT_FALSE(filter.Feed(piece).has_value());

  EXPECT_LT(largest_allocation, 16384U);
}

TEST(JsonFilterMemoryTest, AllocatesNothingForEventsOfSteadyWatch) {
  const Projection projection = {{"object", "metadata", "name"}};
  JsonFilter filter(projection, {});
  const std::string event =
      R"({"type":"ADDED","object":{"metadata":{"name":"n"},"data":{"a":[1,2,{"b":"c"}]}}})";
  FeedAll(filter, event);

  const std::size_t before = allocations;
  for (int i = 0; i < 1000; ++i) FeedAll(filter, event);

  EXPECT_EQ(allocations, before);
}

TEST(JsonFilterMemoryTest, AllocatesForLargestItemAndNotForLengthOfList) {
  const Projection projection = {{"items", "metadata", "name"}};
  JsonFilter filter(projection, {.framing = JsonFilter::Framing::kList});
  const std::string item =
      R"({"metadata":{"name":"n"},"data":{"k":")" + std::string(5000, 'x') + "\"}}";
  FeedAll(filter, R"({"items":[)" + item);

  const std::string next = "," + item;
  const std::size_t before = allocations;
  for (int i = 0; i < 1000; ++i) FeedAll(filter, next);

  EXPECT_EQ(allocations, before);
  EXPECT_LT(filter.largest_frame(), 64U);
}

TEST(JsonFilterMemoryTest, ReleasesBufferAfterHugeFrame) {
  const Projection projection = Projection::All();
  JsonFilter filter(projection, {});
  const std::string huge = '"' + std::string(std::size_t{3} << 20U, 'x') + '"';
  FeedAll(filter, huge);
  ASSERT_EQ(filter.frame_size(), huge.size());

  // If the buffer were still large enough for the huge frame, this one would allocate nothing.
  const std::string smaller = '"' + std::string(std::size_t{1} << 20U, 'y') + '"';
  FeedAll(filter, "[]");
  const std::size_t before = allocations;
  FeedAll(filter, smaller);

  EXPECT_GT(allocations, before);
  EXPECT_EQ(filter.largest_frame(), huge.size());
}

}  // namespace
}  // namespace capstan::runtime

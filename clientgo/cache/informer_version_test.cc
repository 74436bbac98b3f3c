// SPDX-License-Identifier: Apache-2.0
// Waits for a version of a SharedInformer's store.
#include <future>
#include <string>

#include "capstan/cache/shared_informer.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

struct InformerVersionTest : InformerFixture {
  // Starts a wait on another thread.
  std::future<Expected<void>> Wait(std::string version) {
    return std::async(std::launch::async, [this, call = rest::CallOptions(stop.get_token()),
                                           version = std::move(version)] {
      return informer->WaitForVersion(call, version);
    });
  }

  std::stop_source stop;
};

TEST_F(InformerVersionTest, ReturnsAtOnceIfStoreHasVersion) {
  const auto watch = StartWith({MakeObject("a", 9)});

  EXPECT_TRUE(informer->WaitForVersion({}, "9").has_value());
  EXPECT_TRUE(informer->WaitForVersion({}, "10").has_value());
}

TEST_F(InformerVersionTest, WaitsForEventWithVersion) {
  const auto watch = StartWith({MakeObject("a", 9)});
  auto result = Wait("12");

  watch->Modify(MakeObject("b", 11));
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(result.wait_for(seconds(0)), std::future_status::timeout);
  watch->Modify(MakeObject("a", 12));

  ASSERT_TRUE(result.get().has_value());
  EXPECT_EQ(informer->store().GetByKey("ns/a")->resource_version(), "12");
}

TEST_F(InformerVersionTest, LaterVersionOfAnotherObjectIsEnough) {
  const auto watch = StartWith({});
  auto result = Wait("12");

  watch->Add(MakeObject("b", 100));

  EXPECT_TRUE(result.get().has_value());
}

TEST_F(InformerVersionTest, BookmarkIsEnough) {
  const auto watch = StartWith({});
  auto result = Wait("12");

  watch->Bookmark("13");

  EXPECT_TRUE(result.get().has_value());
}

TEST_F(InformerVersionTest, WaitsForFirstListAndForRelist) {
  auto first = Wait("10");
  const auto watch = StartWith({});
  EXPECT_TRUE(first.get().has_value());
  auto second = Wait("40");

  Relist(*watch, {MakeObject("a", 40)});

  EXPECT_TRUE(second.get().has_value());
}

TEST_F(InformerVersionTest, DeadlineEndsWait) {
  const auto watch = StartWith({});

  const auto result = informer->WaitForVersion({stop.get_token(), clock.Now()}, "12");

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(result.error().message,
            "the cache of secrets does not have resourceVersion \"12\" yet: it is at "
            "resourceVersion \"10\"");
}

TEST_F(InformerVersionTest, StopOfCallerOrInformerEndsWait) {
  const auto watch = StartWith({});
  auto canceled = Wait("12");
  stop.request_stop();
  const auto by_caller = canceled.get();
  stop = std::stop_source();
  auto stopped = Wait("12");
  Stop();
  const auto by_informer = stopped.get();

  ASSERT_FALSE(by_caller.has_value());
  EXPECT_TRUE(IsCanceled(by_caller.error()));
  ASSERT_FALSE(by_informer.has_value());
  EXPECT_EQ(by_informer.error().message, "the cache of secrets has stopped");
}

TEST_F(InformerVersionTest, RejectsVersionWithoutAnOrder) {
  const auto result = informer->WaitForVersion({}, "abc");

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().reason, ErrorReason::kInvalidArgument);
}

TEST_F(InformerVersionTest, WaitsForDeletionOfThisUid) {
  const auto watch = StartWith({MakeObject("a", 9, "first"), MakeObject("b", 9, "kept")});
  auto result = std::async(std::launch::async,
                           [this] { return informer->WaitForDeletion({}, "ns/a", "first"); });

  watch->Delete(MakeObject("a", 11, "first"));
  watch->Add(MakeObject("a", 12, "second"));

  EXPECT_TRUE(result.get().has_value());
  EXPECT_TRUE(informer->WaitForDeletion({}, "ns/none", "first").has_value());
  EXPECT_EQ(informer->WaitForDeletion({{}, clock.Now()}, "ns/b", "kept").error().reason,
            ErrorReason::kDeadlineExceeded);
}

// The cache has not seen the object when the wait begins.
TEST_F(InformerVersionTest, WaitForDeletionAwaitsVersionOfDeletedObject) {
  const auto watch = StartWith({});
  EXPECT_EQ(informer->WaitForDeletion({{}, clock.Now()}, "ns/a", "first", "11").error().reason,
            ErrorReason::kDeadlineExceeded);
  auto result = std::async(std::launch::async,
                           [this] { return informer->WaitForDeletion({}, "ns/a", "first", "11"); });

  watch->Add(MakeObject("a", 11, "first"));
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(result.wait_for(seconds(0)), std::future_status::timeout);
  watch->Delete(MakeObject("a", 12, "first"));

  EXPECT_TRUE(result.get().has_value());
  EXPECT_TRUE(informer->WaitForDeletion({}, "ns/a", "first", "not a number").has_value());
}

}  // namespace
}  // namespace capstan::cache

// SPDX-License-Identifier: Apache-2.0
// Tests of how a reflector reads a busy watch.
#include <gtest/gtest.h>
#include "clientgo/cache/reflector_internal.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

struct ReflectorBatchTest : ReflectorFixture {
  // Starts after a list at version 10. The server sends these events at once.
  void StartWith(int events) {
    source.OnList(Page({MakeObject("a", 1)}, "10"));
    watch = source.OnWatch();
    Send(events);
    Start(Options(/*watch_list=*/false));
  }
  void Send(int events) {
    for (; events > 0; --events) watch->Modify(MakeObject("a", ++version));
  }
  // Sends each event after the previous one was read, and after the pause.
  bool SendOneByOne(int events, Clock::Duration pause = {}) {
    for (; events > 0; --events) {
      clock.Step(pause);
      Send(1);
      if (!watch->WaitUntilRead()) return false;
    }
    return true;
  }
  std::size_t Applied() const { return store.record.lines().size() - 1; }  // without the list

  std::shared_ptr<FakeWatch> watch;
  int version = 10;
};

TEST_F(ReflectorBatchTest, WaitsBeforeItReadsBusyWatchAgain) {
  StartWith(0);
  ASSERT_TRUE(SendOneByOne(32)) << "the first events are read at once";
  Send(1);
  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_EQ(Applied(), 33U);
  EXPECT_EQ(reflector->Status().resource_version, "43");

  Send(10);
  clock.Step(milliseconds(4));
  EXPECT_EQ(Applied(), 33U);
  clock.Step(milliseconds(1));
  ASSERT_TRUE(store.record.WaitForLines(1 + 43));
  ASSERT_TRUE(clock.BlockUntilWaiters());

  EXPECT_EQ(store.flushes, 34) << "the ten events are one batch";
  EXPECT_EQ(reflector->Status().resource_version, "53");
  EXPECT_EQ(reflector->Status().objects_received, 44U);
}

TEST_F(ReflectorBatchTest, ReadsAtOnceAfterBusyTimeIsOver) {
  StartWith(33);
  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(seconds(1));
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_TRUE(SendOneByOne(32));

  EXPECT_FALSE(clock.HasWaiters());
}

TEST_F(ReflectorBatchTest, ReadsFewEventsPerSecondAtOnce) {
  StartWith(0);

  EXPECT_TRUE(SendOneByOne(200, milliseconds(2)));

  EXPECT_EQ(store.flushes, 200);
}

TEST_F(ReflectorBatchTest, NeverWaitsWithoutBatchWait) {
  source.OnList(Page({}, "10"));
  watch = source.OnWatch();
  Send(1000);
  ReflectorOptions options = Options(/*watch_list=*/false);
  options.batch_wait = {};

  Start(options);

  EXPECT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(Applied(), 1000U);
}

TEST_F(ReflectorBatchTest, FlushesLargeBatchInParts) {
  StartWith(300);

  ASSERT_TRUE(clock.BlockUntilWaiters());

  EXPECT_EQ(Applied(), 300U);
  EXPECT_EQ(store.flushes, 3);
}

TEST_F(ReflectorBatchTest, FlushesEventsBeforeTheEndOfTheWatch) {
  source.OnList(Page({}, "10"));
  watch = source.OnWatch();
  Send(3);
  watch->Close();
  Start(Options(/*watch_list=*/false));

  ASSERT_EQ(Request(2), "WATCH rv=13 bookmarks timeout=300");
  EXPECT_EQ(store.flushes, 1);
  EXPECT_EQ(reflector->Status().resource_version, "13");
}

TEST_F(ReflectorBatchTest, StopEndsTheWait) {
  StartWith(33);
  ASSERT_TRUE(clock.BlockUntilWaiters());

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
}

}  // namespace
}  // namespace capstan::cache

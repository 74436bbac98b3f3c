// SPDX-License-Identifier: Apache-2.0
// Handlers that come late, leave early, block, or act on the informer from within a callback.
#include <atomic>
#include <set>

#include "clientgo/cache/informer_testing.h"
#include "clientgo/cache/processor_listener.h"

namespace clientgo::cache {
namespace {

using SharedInformerHandlersTest = InformerFixture;
using ::testing::UnorderedElementsAre;

TEST_F(SharedInformerHandlersTest, ALateHandlerGetsTheWholeStoreAndThenLiveEvents) {
  const auto watch = StartWith({MakeObject("a", 1), MakeObject("b", 2)});
  watch->Modify(MakeObject("b", 11));
  ASSERT_TRUE(watch->WaitUntilRead());

  AddHandler(RecordingHandler(record));
  ASSERT_TRUE(record.WaitFor(2));
  watch->Add(MakeObject("c", 12));

  ASSERT_TRUE(record.WaitFor(3));
  const auto lines = record.Lines();
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 2),
              UnorderedElementsAre("add ns/a=1 initial", "add ns/b=11 initial"));
  EXPECT_EQ(lines[2], "add ns/c=12");
}

TEST_F(SharedInformerHandlersTest, HandlersThatJoinDuringAStreamOfEventsLoseAndRepeatNothing) {
  constexpr int kObjects = 300;
  constexpr std::size_t kHandlers = 10;
  const auto watch = StartWith({});
  std::vector<std::unique_ptr<Record>> records;
  const std::jthread sender([&] {
    for (int i = 0; i < kObjects; ++i) watch->Add(MakeObject(std::to_string(i), 100 + i));
  });
  for (std::size_t i = 0; i < kHandlers; ++i) {
    records.push_back(std::make_unique<Record>());
    AddHandler(RecordingHandler(*records.back()));
  }

  for (const auto& joined : records) {
    ASSERT_TRUE(joined->WaitFor(kObjects));
    std::set<std::string> keys;
    for (const auto& line : joined->Lines()) keys.insert(line.substr(0, line.find('=')));
    EXPECT_EQ(keys.size(), std::size_t{kObjects});
    EXPECT_EQ(joined->Lines().size(), std::size_t{kObjects});
  }
  Stop();
}

TEST_F(SharedInformerHandlersTest, IsSyncedOnceItsOwnInitialAddsHaveReturned) {
  StartWith({MakeObject("a", 1)});
  Gate gate;
  const auto late = AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) { gate.Pass(); }});
  ASSERT_TRUE(gate.WaitForVisitor());

  EXPECT_TRUE(informer->HasSynced());
  EXPECT_FALSE(late->HasSynced());
  gate.Open();
  informer->RemoveEventHandler(late);  // waits for the callback

  EXPECT_TRUE(late->HasSynced());
}

TEST_F(SharedInformerHandlersTest, ABlockedHandlerDelaysNeitherTheOthersNorTheStream) {
  Gate gate;
  AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) { gate.Pass(); }});
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("a", 1)});
  ASSERT_TRUE(gate.WaitForVisitor());

  for (int i = 0; i < 100; ++i) watch->Modify(MakeObject("a", 100 + i));

  EXPECT_TRUE(record.WaitFor(101));
  EXPECT_TRUE(watch->WaitUntilRead());
  gate.Open();
  Stop();
}

TEST_F(SharedInformerHandlersTest, WhatIsQueuedWhileAHandlerBlocksStillEndsAsTheStoreDoes) {
  Gate gate;
  EventHandler handler = RecordingHandler(record);
  handler.on_add = [&, add = handler.on_add](const runtime::ObjectPtr& object, bool initial) {
    gate.Pass();
    add(object, initial);
  };
  AddHandler(std::move(handler));
  const auto watch = StartWith({MakeObject("a", 1)});
  ASSERT_TRUE(gate.WaitForVisitor());

  watch->Add(MakeObject("b", 11));       // made, and gone before the relist
  Relist(*watch, {MakeObject("a", 1)});  // while the handler knows of neither
  EXPECT_THAT(informer->store().ListKeys(), ElementsAre("ns/a"));
  gate.Open();

  ASSERT_TRUE(record.WaitFor(3));
  EXPECT_THAT(record.Lines(),
              ElementsAre("add ns/a=1 initial", "add ns/b=11", "delete ns/b=11 unknown"));
}

TEST_F(SharedInformerHandlersTest, ABlockedHandlerCostsFewBytesANotification) {
  constexpr int kChanges = 50000;
  if (HeapBytesInUse() == 0) GTEST_SKIP() << "the heap is a sanitizer's";
  const auto object = MakeObject("a", 1);
  Gate gate;
  ProcessorListener listener(
      {.on_update = [&](const runtime::ObjectPtr&, const runtime::ObjectPtr&) { gate.Pass(); }},
      clock, {.name = "handler"});
  listener.Enqueue({Change::Type::kUpdated, object, object});
  ASSERT_TRUE(gate.WaitForVisitor());
  const std::size_t before = HeapBytesInUse();

  for (int i = 0; i < kChanges; ++i) listener.Enqueue({Change::Type::kUpdated, object, object});

  EXPECT_LE(HeapBytesInUse() - before, std::size_t{60} * kChanges);
  listener.RequestStop();
  gate.Open();
}

TEST_F(SharedInformerHandlersTest, AHandlerRemovesItselfAndAddsAnotherFromItsCallback) {
  Record successor;
  std::shared_ptr<HandlerRegistration> self;
  self = AddHandler({.on_add = [&](const runtime::ObjectPtr& object, bool) {
    record.Add(Show(*object));
    informer->RemoveEventHandler(self);
    EXPECT_TRUE(informer->AddEventHandler(RecordingHandler(successor)));
  }});
  const auto watch = StartWith({MakeObject("a", 1), MakeObject("b", 2)});

  ASSERT_TRUE(successor.WaitFor(2));
  watch->Add(MakeObject("c", 11));
  ASSERT_TRUE(successor.WaitFor(3));
  Stop();

  EXPECT_THAT(record.Lines(), ElementsAre("ns/a=1"));
}

TEST_F(SharedInformerHandlersTest, NoCallbackRunsOrComesAfterTheRemoval) {
  Gate gate;
  std::atomic<int> calls = 0;
  std::atomic<bool> removed = false;
  std::atomic<bool> called_after = false;
  const auto registration = AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) {
    ++calls;
    gate.Pass();
    if (removed) called_after = true;
  }});
  const auto watch = StartWith({MakeObject("a", 1), MakeObject("b", 2)});
  ASSERT_TRUE(gate.WaitForVisitor());

  const std::jthread opener([&gate] { gate.Open(); });
  informer->RemoveEventHandler(registration);
  removed = true;
  const int calls_then = calls;
  watch->Add(MakeObject("c", 11));
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_FALSE(called_after);
  EXPECT_EQ(calls, calls_then);
}

TEST_F(SharedInformerHandlersTest, RemovingTwiceOrFromManyThreadsIsHarmless) {
  const auto registration = AddHandler(RecordingHandler(record));
  StartWith({MakeObject("a", 1)});
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { informer->RemoveEventHandler(registration); });
    }
  }
  informer->RemoveEventHandler(registration);
  Stop();
  informer->RemoveEventHandler(registration);
}

TEST_F(SharedInformerHandlersTest, AStopDropsWhatIsQueuedAndAwaitsTheRunningCallback) {
  Gate gate;
  std::atomic<int> returned = 0;
  AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) {
    gate.Pass();
    ++returned;
  }});
  StartWith({MakeObject("a", 1), MakeObject("b", 2), MakeObject("c", 3)});
  ASSERT_TRUE(gate.WaitForVisitor());

  thread.request_stop();
  // AddEventHandler fails from the moment on at which the handlers are being stopped.
  while (informer->AddEventHandler({})) std::this_thread::yield();
  gate.Open();
  Stop();

  EXPECT_EQ(returned, 1);
}

TEST_F(SharedInformerHandlersTest, AnInformerThatNeverRanLetsGoOfItsHandlers) {
  const auto held = std::make_shared<int>(1);
  const auto registration =
      AddHandler({.on_add = [held](const runtime::ObjectPtr&, bool) { FAIL(); }});

  informer.reset();

  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(registration->HasSynced());
}

}  // namespace
}  // namespace clientgo::cache

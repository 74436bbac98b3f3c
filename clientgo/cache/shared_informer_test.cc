// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/shared_informer.h"
#include <atomic>
#include <set>

#include "clientgo/cache/processor_listener.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

using SharedInformerTest = InformerFixture;
using ::testing::UnorderedElementsAre;

TEST_F(SharedInformerTest, UpdatesStoreBeforeHandlerGetsEvent) {
  AddHandler({.on_add = [this](const runtime::ObjectPtr& object, bool) {
    record.Write(informer->store().GetByKey(object->key()) == object ? "stored" : "not stored");
  }});

  const auto watch = StartWith({MakeObject("a", 1)});
  watch->Add(MakeObject("b", 11));

  ASSERT_TRUE(record.WaitForLines(2));
  EXPECT_THAT(record.lines(), ElementsAre("stored", "stored"));
}

TEST_F(SharedInformerTest, StoreDecidesBetweenAddAndUpdate) {
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("a", 1)});

  watch->Add(MakeObject("a", 11));
  watch->Modify(MakeObject("b", 12));
  watch->Delete(MakeObject("b", 13));
  watch->Delete(MakeObject("never-seen", 14));

  ASSERT_TRUE(record.WaitForLines(5));
  EXPECT_THAT(record.lines(),
              ElementsAre("add ns/a=1 initial", "update ns/a=1 ns/a=11", "add ns/b=12",
                          "delete ns/b=13", "delete ns/never-seen=14"));
  EXPECT_THAT(informer->store().ListKeys(), ElementsAre("ns/a"));
}

TEST_F(SharedInformerTest, RelistFindsDeletionsOnceAndSkipsUnchangedObjects) {
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("same", 1), MakeObject("gone", 2)});
  ASSERT_TRUE(record.WaitForLines(2));

  Relist(*watch, {MakeObject("same", 1), MakeObject("new", 40)});

  // The new object is last in the list, so all other calls were before it.
  ASSERT_TRUE(record.WaitForLines(4));
  EXPECT_THAT(record.lines(), ElementsAre("add ns/same=1 initial", "add ns/gone=2 initial",
                                          "delete ns/gone=2 unknown", "add ns/new=40"));
  EXPECT_THAT(informer->store().ListKeys(), UnorderedElementsAre("ns/new", "ns/same"));
}

TEST_F(SharedInformerTest, RecreatedObjectIsOneUpdateAndMovesInIndex) {
  ASSERT_TRUE(informer->AddIndex(
      "uid", [](const runtime::Object& object) { return std::vector<std::string>{object.uid()}; }));
  const auto uid = [](const runtime::ObjectPtr& object) { return object->uid(); };
  AddHandler(
      {.on_add = [&](const auto& object, bool) { record.Write("add " + uid(object)); },
       .on_update =
           [&](const auto& before, const auto& after) {
             record.Write("update " + uid(before) + " " + uid(after));
           },
       .on_delete = [&](const auto& object, bool) { record.Write("delete " + uid(object)); }});
  const auto watch = StartWith({MakeObject("a", 1, "first")});

  Relist(*watch, {MakeObject("a", 30, "second"), MakeObject("b", 31, "last")});

  ASSERT_TRUE(record.WaitForLines(3));
  EXPECT_THAT(record.lines(), ElementsAre("add first", "update first second", "add last"));
  EXPECT_THAT(informer->store().ByIndex("uid", "first"), IsEmpty());
  EXPECT_EQ(informer->store().ByIndex("uid", "second").size(), 1U);
}

TEST_F(SharedInformerTest, RepeatedEventReachesNoHandler) {
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("a", 1)});

  watch->Add(MakeObject("a", 1));
  watch->Modify(MakeObject("a", 11));

  ASSERT_TRUE(record.WaitForLines(2));
  EXPECT_THAT(record.lines(), ElementsAre("add ns/a=1 initial", "update ns/a=1 ns/a=11"));
}

TEST_F(SharedInformerTest, SyncsAtOnceWithEmptyList) {
  const auto registration = AddHandler(RecordingHandler(record));
  EXPECT_FALSE(informer->HasSynced());
  EXPECT_FALSE(registration->HasSynced());

  StartWith({});

  EXPECT_TRUE(informer->HasSynced());
  EXPECT_TRUE(registration->HasSynced());
}

TEST_F(SharedInformerTest, WaitForSyncEndsWhenWaiterOrInformerStops) {
  Start();
  ASSERT_TRUE(source.WaitForRequests(1));
  std::stop_source waiter;
  waiter.request_stop();
  EXPECT_FALSE(informer->WaitForSync(waiter.get_token()));

  const std::jthread waiting(
      [this] { record.Write(informer->WaitForSync(std::stop_token()) ? "synced" : "stopped"); });
  Stop();

  ASSERT_TRUE(record.WaitForLines(1));
  EXPECT_THAT(record.lines(), ElementsAre("stopped"));
}

TEST_F(SharedInformerTest, ReportsErrorOfFailingListAndDoesNotSync) {
  source.OnList(FailedPage(MakeError(ErrorReason::kForbidden, 403)));
  Start();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  EXPECT_FALSE(informer->HasSynced());
  const auto status = informer->Status();
  EXPECT_EQ(status.state, ReflectorState::kBackoff);
  ASSERT_TRUE(status.last_error);
  EXPECT_EQ(status.last_error->message, "failed to list secrets: Forbidden");
}

TEST_F(SharedInformerTest, ReportsSizeOfStoreAfterChanges) {
  const auto watch = StartWith({MakeObject("a", 1)});
  watch->Add(MakeObject("b", 11));
  ASSERT_TRUE(metrics.sizes.WaitForLines(2));
  watch->Delete(MakeObject("a", 12));

  ASSERT_TRUE(metrics.sizes.WaitForLines(3));
  EXPECT_THAT(metrics.sizes.lines(),
              ElementsAre("secrets 1 some bytes", "secrets 2 some bytes", "secrets 1 some bytes"));
}

TEST_F(SharedInformerTest, RejectsHandlersAndIndexesAfterStop) {
  StartWith({});
  Stop();

  const auto handler = informer->AddEventHandler(RecordingHandler(record));
  ASSERT_FALSE(handler);
  EXPECT_EQ(handler.error().message,
            "handler was not added to shared informer because it has stopped already");
  EXPECT_FALSE(informer->AddIndex(
      "late", [](const runtime::Object&) { return std::vector<std::string>(); }));
}

TEST_F(SharedInformerTest, ResyncRepeatsEveryObjectOnlyToHandlersWithResyncPeriod) {
  Journal other;
  AddHandler(RecordingHandler(other));
  StartWith({MakeObject("a", 1), MakeObject("b", 2)});
  AddHandler(RecordingHandler(record), std::chrono::minutes(10));
  ASSERT_TRUE(other.WaitForLines(2));
  ASSERT_TRUE(record.WaitForLines(2));

  for (const std::size_t calls : {4U, 6U}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    clock.Step(std::chrono::minutes(10));
    ASSERT_TRUE(record.WaitForLines(calls));
  }

  Stop();
  const auto lines = record.lines();
  EXPECT_THAT(lines, UnorderedElementsAre("add ns/a=1 initial", "add ns/b=2 initial",
                                          "update ns/a=1 ns/a=1", "update ns/b=2 ns/b=2",
                                          "update ns/a=1 ns/a=1", "update ns/b=2 ns/b=2"));
  EXPECT_THAT(other.lines(), ElementsAre("add ns/a=1 initial", "add ns/b=2 initial"));
}

TEST_F(SharedInformerTest, ResyncPeriodIsAtLeastASecond) {
  StartWith({MakeObject("a", 1)});
  AddHandler(RecordingHandler(record), milliseconds(1));
  ASSERT_TRUE(record.WaitForLines(1));

  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(milliseconds(999));
  EXPECT_TRUE(clock.HasWaiters());
  EXPECT_EQ(record.lines().size(), 1U);
  clock.Step(milliseconds(1));

  EXPECT_TRUE(record.WaitForLines(2));
}

using SharedInformerHandlersTest = InformerFixture;

TEST_F(SharedInformerHandlersTest, PredicateDropsWatchEventsAfterTheStoreHasChanged) {
  EventHandler handler = RecordingHandler(record);
  Journal checked;
  handler.predicate = [&](const Change& change) {
    const auto& object = change.new_object ? change.new_object : change.old_object;
    const bool stored = informer->store().GetByKey(object->key()) == change.new_object;
    checked.Write(std::string(object->key()) + (stored ? "" : " not stored"));
    return object->key() != "ns/other";
  };
  AddHandler(std::move(handler));
  const auto watch = StartWith({MakeObject("other", 1)});

  watch->Modify(MakeObject("other", 11));
  watch->Add(MakeObject("a", 12));
  watch->Delete(MakeObject("other", 13));
  watch->Delete(MakeObject("a", 14));

  ASSERT_TRUE(record.WaitForLines(3));
  EXPECT_THAT(record.lines(),
              ElementsAre("add ns/other=1 initial", "add ns/a=12", "delete ns/a=14"));
  EXPECT_THAT(checked.lines(), ElementsAre("ns/other", "ns/a", "ns/other", "ns/a"));
}

TEST_F(SharedInformerHandlersTest, WakesHandlerOnceForABatch) {
  ProcessorListener listener(RecordingHandler(record), clock, {.name = "handler"});
  ASSERT_TRUE(clock.BlockUntilAnyWaiters(1));

  for (const int version : {2, 3, 4}) {
    listener.Enqueue({Change::Type::kAdded, nullptr, MakeObject("a", version)});
  }
  EXPECT_THAT(record.lines(), IsEmpty());
  listener.Wake();

  ASSERT_TRUE(record.WaitForLines(3));
  EXPECT_THAT(record.lines(), ElementsAre("add ns/a=2", "add ns/a=3", "add ns/a=4"));
}

TEST_F(SharedInformerHandlersTest, LateHandlerGetsWholeStoreAndThenEvents) {
  const auto watch = StartWith({MakeObject("a", 1), MakeObject("b", 2)});
  watch->Modify(MakeObject("b", 11));
  ASSERT_TRUE(watch->WaitUntilRead());

  AddHandler(RecordingHandler(record));
  ASSERT_TRUE(record.WaitForLines(2));
  watch->Add(MakeObject("c", 12));

  ASSERT_TRUE(record.WaitForLines(3));
  const auto lines = record.lines();
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 2),
              UnorderedElementsAre("add ns/a=1 initial", "add ns/b=11 initial"));
  EXPECT_EQ(lines[2], "add ns/c=12");
}

TEST_F(SharedInformerHandlersTest, HandlersAddedDuringEventsLoseAndRepeatNothing) {
  constexpr int kObjects = 300;
  constexpr std::size_t kHandlers = 10;
  const auto watch = StartWith({});
  std::vector<std::unique_ptr<Journal>> records;
  const std::jthread sender([&] {
    for (int i = 0; i < kObjects; ++i) watch->Add(MakeObject(std::to_string(i), 100 + i));
  });
  for (std::size_t i = 0; i < kHandlers; ++i) {
    records.push_back(std::make_unique<Journal>());
    AddHandler(RecordingHandler(*records.back()));
  }

  for (const auto& joined : records) {
    ASSERT_TRUE(joined->WaitForLines(kObjects));
    std::set<std::string> keys;
    for (const auto& line : joined->lines()) keys.insert(line.substr(0, line.find('=')));
    EXPECT_EQ(keys.size(), std::size_t{kObjects});
    EXPECT_EQ(joined->lines().size(), std::size_t{kObjects});
  }
  Stop();
}

TEST_F(SharedInformerHandlersTest, HasSyncedOnceItsInitialAddsHaveReturned) {
  StartWith({MakeObject("a", 1)});
  Gate gate;
  const auto late = AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) { gate.Pass(); }});
  ASSERT_TRUE(gate.WaitForHandler());

  EXPECT_TRUE(informer->HasSynced());
  EXPECT_FALSE(late->HasSynced());
  gate.Open();
  informer->RemoveEventHandler(late);  // waits for the callback

  EXPECT_TRUE(late->HasSynced());
}

TEST_F(SharedInformerHandlersTest, BlockedHandlerDelaysNeitherOtherHandlersNorTheStream) {
  Gate gate;
  AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) { gate.Pass(); }});
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("a", 1)});
  ASSERT_TRUE(gate.WaitForHandler());

  for (int i = 0; i < 100; ++i) watch->Modify(MakeObject("a", 100 + i));

  EXPECT_TRUE(record.WaitForLines(101));
  EXPECT_TRUE(watch->WaitUntilRead());
  gate.Open();
  Stop();
}

TEST_F(SharedInformerHandlersTest, BlockedHandlerEndsInTheStateOfTheStore) {
  Gate gate;
  EventHandler handler = RecordingHandler(record);
  handler.on_add = [&, add = handler.on_add](const runtime::ObjectPtr& object, bool initial) {
    gate.Pass();
    add(object, initial);
  };
  AddHandler(std::move(handler));
  const auto watch = StartWith({MakeObject("a", 1)});
  ASSERT_TRUE(gate.WaitForHandler());

  watch->Add(MakeObject("b", 11));       // created, and deleted before the relist,
  Relist(*watch, {MakeObject("a", 1)});  // while the handler has seen neither
  EXPECT_THAT(informer->store().ListKeys(), ElementsAre("ns/a"));
  gate.Open();

  ASSERT_TRUE(record.WaitForLines(3));
  EXPECT_THAT(record.lines(),
              ElementsAre("add ns/a=1 initial", "add ns/b=11", "delete ns/b=11 unknown"));
}

TEST_F(SharedInformerHandlersTest, BlockedHandlerUsesFewBytesPerNotification) {
  constexpr int kChanges = 50000;
  if (HeapBytesInUse() == 0) GTEST_SKIP() << "a sanitizer has its own heap";
  const auto object = MakeObject("a", 1);
  Gate gate;
  ProcessorListener listener(
      {.on_update = [&](const runtime::ObjectPtr&, const runtime::ObjectPtr&) { gate.Pass(); }},
      clock, {.name = "handler"});
  listener.Enqueue({Change::Type::kUpdated, object, object});
  listener.Wake();
  ASSERT_TRUE(gate.WaitForHandler());
  const std::size_t before = HeapBytesInUse();

  for (int i = 0; i < kChanges; ++i) listener.Enqueue({Change::Type::kUpdated, object, object});

  EXPECT_LE(HeapBytesInUse() - before, std::size_t{60} * kChanges);
  listener.RequestStop();
  gate.Open();
}

TEST_F(SharedInformerHandlersTest, HandlerRemovesItselfAndAddsAnotherInItsCallback) {
  Journal successor;
  std::shared_ptr<HandlerRegistration> self;
  self = AddHandler({.on_add = [&](const runtime::ObjectPtr& object, bool) {
    record.Write(Show(*object));
    informer->RemoveEventHandler(self);
    EXPECT_TRUE(informer->AddEventHandler(RecordingHandler(successor)));
  }});
  const auto watch = StartWith({MakeObject("a", 1), MakeObject("b", 2)});

  ASSERT_TRUE(successor.WaitForLines(2));
  watch->Add(MakeObject("c", 11));
  ASSERT_TRUE(successor.WaitForLines(3));
  Stop();

  EXPECT_THAT(record.lines(), ElementsAre("ns/a=1"));
}

TEST_F(SharedInformerHandlersTest, NoCallbackRunsAfterRemoval) {
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
  ASSERT_TRUE(gate.WaitForHandler());

  const std::jthread opener([&gate] { gate.Open(); });
  informer->RemoveEventHandler(registration);
  removed = true;
  const int calls_then = calls;
  watch->Add(MakeObject("c", 11));
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_FALSE(called_after);
  EXPECT_EQ(calls, calls_then);
}

TEST_F(SharedInformerHandlersTest, CanBeRemovedTwiceAndByManyThreads) {
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

TEST_F(SharedInformerHandlersTest, StopDropsQueuedNotificationsAndWaitsForRunningCallback) {
  Gate gate;
  std::atomic<int> returned = 0;
  AddHandler({.on_add = [&](const runtime::ObjectPtr&, bool) {
    gate.Pass();
    ++returned;
  }});
  StartWith({MakeObject("a", 1), MakeObject("b", 2), MakeObject("c", 3)});
  ASSERT_TRUE(gate.WaitForHandler());

  thread.request_stop();
  // AddEventHandler fails once the handlers are being stopped.
  while (informer->AddEventHandler({})) std::this_thread::yield();
  gate.Open();
  Stop();

  EXPECT_EQ(returned, 1);
}

TEST_F(SharedInformerHandlersTest, InformerThatNeverRanReleasesItsHandlers) {
  const auto held = std::make_shared<int>(1);
  const auto registration =
      AddHandler({.on_add = [held](const runtime::ObjectPtr&, bool) { FAIL(); }});

  informer.reset();

  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(registration->HasSynced());
}

}  // namespace
}  // namespace capstan::cache

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/shared_informer.h"

#include "clientgo/cache/informer_testing.h"

namespace clientgo::cache {
namespace {

using SharedInformerTest = InformerFixture;
using ::testing::UnorderedElementsAre;

TEST_F(SharedInformerTest, TheStoreHoldsTheObjectBeforeAHandlerSeesIt) {
  AddHandler({.on_add = [this](const runtime::ObjectPtr& object, bool) {
    record.Add(informer->store().GetByKey(object->key()) == object ? "held" : "not held");
  }});

  const auto watch = StartWith({MakeObject("a", 1)});
  watch->Add(MakeObject("b", 11));

  ASSERT_TRUE(record.WaitFor(2));
  EXPECT_THAT(record.Lines(), ElementsAre("held", "held"));
}

TEST_F(SharedInformerTest, TheStoreDecidesBetweenAddAndUpdateNotTheEvent) {
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("a", 1)});

  watch->Add(MakeObject("a", 11));
  watch->Modify(MakeObject("b", 12));
  watch->Delete(MakeObject("b", 13));
  watch->Delete(MakeObject("never-seen", 14));

  ASSERT_TRUE(record.WaitFor(5));
  EXPECT_THAT(record.Lines(),
              ElementsAre("add ns/a=1 initial", "update ns/a=1 ns/a=11", "add ns/b=12",
                          "delete ns/b=13", "delete ns/never-seen=14"));
  EXPECT_THAT(informer->store().ListKeys(), ElementsAre("ns/a"));
}

TEST_F(SharedInformerTest, ARelistFindsDeletionsOnceAndLeavesTheUnchangedAlone) {
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("same", 1), MakeObject("gone", 2)});
  ASSERT_TRUE(record.WaitFor(2));

  Relist(*watch, {MakeObject("same", 1), MakeObject("new", 40)});

  // The new object is the last of the list: whatever else came, came before it.
  ASSERT_TRUE(record.WaitFor(4));
  EXPECT_THAT(record.Lines(), ElementsAre("add ns/same=1 initial", "add ns/gone=2 initial",
                                          "delete ns/gone=2 unknown", "add ns/new=40"));
  EXPECT_THAT(informer->store().ListKeys(), UnorderedElementsAre("ns/new", "ns/same"));
}

TEST_F(SharedInformerTest, DeletedAndMadeAgainWhileAwayIsOneUpdateAndMovesInTheIndex) {
  ASSERT_TRUE(informer->AddIndex("uid", [](const runtime::Object& object) {
    return std::vector<std::string>{std::string(object.uid())};
  }));
  const auto uid = [](const runtime::ObjectPtr& object) { return std::string(object->uid()); };
  AddHandler({.on_add = [&](const auto& object, bool) { record.Add("add " + uid(object)); },
              .on_update =
                  [&](const auto& before, const auto& after) {
                    record.Add("update " + uid(before) + " " + uid(after));
                  },
              .on_delete = [&](const auto& object, bool) { record.Add("delete " + uid(object)); }});
  const auto watch = StartWith({MakeObject("a", 1, "first")});

  Relist(*watch, {MakeObject("a", 30, "second"), MakeObject("b", 31, "last")});

  ASSERT_TRUE(record.WaitFor(3));
  EXPECT_THAT(record.Lines(), ElementsAre("add first", "update first second", "add last"));
  EXPECT_THAT(informer->store().ByIndex("uid", "first"), IsEmpty());
  EXPECT_EQ(informer->store().ByIndex("uid", "second").size(), 1U);
}

TEST_F(SharedInformerTest, AnEventThatRepeatsWhatIsHeldReachesNoHandler) {
  AddHandler(RecordingHandler(record));
  const auto watch = StartWith({MakeObject("a", 1)});

  watch->Add(MakeObject("a", 1));
  watch->Modify(MakeObject("a", 11));

  ASSERT_TRUE(record.WaitFor(2));
  EXPECT_THAT(record.Lines(), ElementsAre("add ns/a=1 initial", "update ns/a=1 ns/a=11"));
}

TEST_F(SharedInformerTest, AnEmptyListSyncsAtOnce) {
  const auto registration = AddHandler(RecordingHandler(record));
  EXPECT_FALSE(informer->HasSynced());
  EXPECT_FALSE(registration->HasSynced());

  StartWith({});

  EXPECT_TRUE(informer->HasSynced());
  EXPECT_TRUE(registration->HasSynced());
}

TEST_F(SharedInformerTest, WaitingForTheSyncEndsWithTheWaitersStopOrTheInformers) {
  Start();
  ASSERT_TRUE(source.WaitForRequests(1));
  std::stop_source waiter;
  waiter.request_stop();
  EXPECT_FALSE(informer->WaitForSync(waiter.get_token()));

  const std::jthread waiting(
      [this] { record.Add(informer->WaitForSync(std::stop_token()) ? "synced" : "stopped"); });
  Stop();

  ASSERT_TRUE(record.WaitFor(1));
  EXPECT_THAT(record.Lines(), ElementsAre("stopped"));
}

TEST_F(SharedInformerTest, AFailingListLeavesItUnsyncedAndTheStatusTellsWhy) {
  source.OnList(FailedPage(MakeError(ErrorReason::kForbidden, 403)));
  Start();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  EXPECT_FALSE(informer->HasSynced());
  const auto status = informer->Status();
  EXPECT_EQ(status.state, ReflectorState::kBackoff);
  ASSERT_TRUE(status.last_error);
  EXPECT_EQ(status.last_error->message, "failed to list secrets: Forbidden");
}

TEST_F(SharedInformerTest, TellsTheSizeOfTheStoreAfterEveryChange) {
  const auto watch = StartWith({MakeObject("a", 1)});
  watch->Add(MakeObject("b", 11));
  watch->Delete(MakeObject("a", 12));

  ASSERT_TRUE(metrics.sizes.WaitFor(3));
  EXPECT_THAT(metrics.sizes.Lines(),
              ElementsAre("secrets 1 some bytes", "secrets 2 some bytes", "secrets 1 some bytes"));
}

TEST_F(SharedInformerTest, AfterTheStopNothingIsAdded) {
  StartWith({});
  Stop();

  const auto handler = informer->AddEventHandler(RecordingHandler(record));
  ASSERT_FALSE(handler);
  EXPECT_EQ(handler.error().message,
            "handler was not added to shared informer because it has stopped already");
  EXPECT_FALSE(informer->AddIndex(
      "late", [](const runtime::Object&) { return std::vector<std::string>(); }));
}

TEST_F(SharedInformerTest, AResyncRepeatsEveryObjectToWhoAskedForItOnly) {
  Record other;
  AddHandler(RecordingHandler(other));
  StartWith({MakeObject("a", 1), MakeObject("b", 2)});
  AddHandler(RecordingHandler(record), std::chrono::minutes(10));
  ASSERT_TRUE(other.WaitFor(2));
  ASSERT_TRUE(record.WaitFor(2));

  for (const std::size_t calls : {4U, 6U}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    clock.Step(std::chrono::minutes(10));
    ASSERT_TRUE(record.WaitFor(calls));
  }

  Stop();
  const auto lines = record.Lines();
  EXPECT_THAT(lines, UnorderedElementsAre("add ns/a=1 initial", "add ns/b=2 initial",
                                          "update ns/a=1 ns/a=1", "update ns/b=2 ns/b=2",
                                          "update ns/a=1 ns/a=1", "update ns/b=2 ns/b=2"));
  EXPECT_THAT(other.Lines(), ElementsAre("add ns/a=1 initial", "add ns/b=2 initial"));
}

TEST_F(SharedInformerTest, AResyncPeriodIsAtLeastASecond) {
  StartWith({MakeObject("a", 1)});
  AddHandler(RecordingHandler(record), milliseconds(1));
  ASSERT_TRUE(record.WaitFor(1));

  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(milliseconds(999));
  EXPECT_TRUE(clock.HasWaiters());
  EXPECT_EQ(record.Lines().size(), 1U);
  clock.Step(milliseconds(1));

  EXPECT_TRUE(record.WaitFor(2));
}

}  // namespace
}  // namespace clientgo::cache

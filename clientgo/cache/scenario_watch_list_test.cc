// SPDX-License-Identifier: Apache-2.0
// WATCH-LIST: what is a list and what is not, and what becomes of it on servers that cannot do it.
#include "clientgo/cache/scenario_testing.h"

namespace clientgo::cache {
namespace {

using ScenarioWatchListTest = ScenarioFixture;

const ScenarioOptions kWatchList = {.watch_list = true};

struct ScenarioSyncedWatchListTest : ScenarioFixture {
  // Synced with a=1, b=2, c=3 at version 10.
  ScenarioSyncedWatchListTest() {
    stream = OnWatch();
    stream->Push(Added("a", "1") + Added("b", "2") + Added("c", "3") + BookmarkJson("10", "true"));
    Start(kWatchList);
    EXPECT_TRUE(record->WaitFor(3));
    EXPECT_TRUE(stream->BlockUntilDrained());
  }
  std::shared_ptr<FakeBody> stream;
};

TEST_F(ScenarioWatchListTest, OnlyTheAnnotationWithTheValueTrueEndsTheInitialEvents) {
  const auto stream = OnWatch();
  Start(kWatchList);

  for (const std::string& bookmark : {BookmarkJson("8"), BookmarkJson("9", "false")}) {
    stream->Push(Added("a", "1") + bookmark);
    ASSERT_TRUE(stream->BlockUntilDrained());
    EXPECT_FALSE(informer->HasSynced());
    EXPECT_THAT(Stored(), IsEmpty());
    EXPECT_THAT(record->Lines(), IsEmpty());
  }
  stream->Push(BookmarkJson("10", "true"));
  ASSERT_TRUE(stream->BlockUntilDrained());

  EXPECT_TRUE(informer->HasSynced());
  EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/a=1 initial"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList));
}

TEST_F(ScenarioWatchListTest, WhatIsDeletedMeanwhileGoesEvenIfItsLastStateCannotBeDecoded) {
  type.decode = [](const runtime::ObjectMeta& meta,
                   const runtime::JsonValue&) -> util::Expected<runtime::ObjectPtr> {
    if (meta.resource_version == "7") return util::Err(ErrorReason::kDecode, "it is damaged");
    return std::make_shared<const runtime::Object>(meta);
  };
  const auto stream = OnWatch();
  stream->Push(Added("a", "5") + Added("b", "6") + Deleted("a", "7") + BookmarkJson("10", "true"));

  Start(kWatchList);

  EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/b=6 initial"));
  EXPECT_THAT(Stored(), ElementsAre("ns/b=6"));
}

TEST_F(ScenarioWatchListTest, AnEndThatNeverComesIsListedAfterTwentySilentSeconds) {
  const auto mute = OnWatch();
  mute->Push(Added("a", "1") + Added("b", "2") + BookmarkJson("9"));
  Start(kWatchList);
  ASSERT_TRUE(mute->BlockUntilDrained());
  OnList(ListJson("10", {Json("a", "1"), Json("b", "2")}));
  const auto watch = OnWatch();

  ASSERT_TRUE(Pass(seconds(20)));

  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_TRUE(mute->BlockUntilClosed());
  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, kFirstList, WatchAt("10")));
  watch->Push(Added("c", "11"));
  EXPECT_THAT(CallsAfter(0, 3),
              ElementsAre("add ns/a=1 initial", "add ns/b=2 initial", "add ns/c=11"));
}

TEST_F(ScenarioWatchListTest, AServerThatRefusesItIsListedOnceAndWatchedFromThere) {
  const std::vector<std::pair<int, std::string>> refusals = {
      {422, "Invalid"}, {400, "BadRequest"}, {403, "Forbidden"}, {500, "InternalError"}};
  for (const auto& [code, reason] : refusals) {
    OnStatus(code, reason,
             "sendInitialEvents is forbidden for watch unless the WatchList feature gate is on");
    OnList(ListJson("10", {Json("a", "1")}));
    const auto watch = OnWatch();
    Start(kWatchList);
    ASSERT_TRUE(watch->BlockUntilDrained()) << code;

    EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, kFirstList, WatchAt("10")));
    EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/a=1 initial"));
    EXPECT_FALSE(clock.HasWaiters());
    Stop();
  }
}

TEST_F(ScenarioWatchListTest, ACutAmongTheInitialEventsStartsAfreshSinceTheirVersionsHaveNoOrder) {
  const auto cut = OnWatch();
  cut->Push(Added("a", "99") + Added("b", "3"));
  cut->Fail({.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"});
  const auto stream = OnWatch();
  // By key: "c" would be missing from a watch that went on at 99, and "d" be there twice at 3.
  stream->Push(Added("a", "99") + Added("b", "3") + Added("c", "50") + Added("d", "7"));
  stream->Push(BookmarkJson("120", "true"));
  Start(kWatchList);
  ASSERT_TRUE(stream->BlockUntilDrained());

  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, kFirstWatchList));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=99", "ns/b=3", "ns/c=50", "ns/d=7"));
  stream->Push(Added("e", "121"));
  EXPECT_THAT(CallsAfter(0, 5),
              ElementsAre(::testing::_, ::testing::_, ::testing::_, ::testing::_, "add ns/e=121"));
}

TEST_F(ScenarioSyncedWatchListTest, ChangesAmongTheInitialEventsReachNobodyBeforeTheirEnd) {
  const auto again = OnWatch();
  again->Push(Added("a", "1") + Added("b", "2") + Added("c", "3") + Added("d", "4"));
  again->Push(Modified("b", "21") + Deleted("c", "22") + Deleted("d", "23"));
  stream->Push(EventJson("ERROR", StatusJson(410, "Expired", "too old resource version")));
  ASSERT_TRUE(again->BlockUntilDrained());

  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, WatchListAt("10")));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=2", "ns/c=3"));
  EXPECT_EQ(record->Lines().size(), 3U);
  again->Push(BookmarkJson("24", "true"));

  EXPECT_THAT(CallsAfter(3, 2), ElementsAre("delete ns/c=3 unknown", "update ns/b=2 ns/b=21"));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=21"));
}

TEST_F(ScenarioSyncedWatchListTest, AReconnectIsAPlainWatchThatSendsNothingAgain) {
  const auto resumed = OnWatch();
  stream->Push(BookmarkJson("15"));
  clock.Step(std::chrono::minutes(5));
  stream->End();
  ASSERT_TRUE(resumed->BlockUntilDrained());
  resumed->Push(Modified("a", "16"));

  EXPECT_THAT(CallsAfter(3, 1), ElementsAre("update ns/a=1 ns/a=16"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, WatchAt("15")));
}

}  // namespace
}  // namespace clientgo::cache

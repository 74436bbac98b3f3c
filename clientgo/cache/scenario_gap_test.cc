// SPDX-License-Identifier: Apache-2.0
// What happened while no watch was open: nothing is lost, nothing comes twice, and no more is
// listed than has to be.
#include "clientgo/cache/scenario_testing.h"

namespace clientgo::cache {
namespace {

using ScenarioGapTest = ScenarioFixture;
using std::chrono::minutes;

constexpr char kTooOld[] = "too old resource version: 10 (99)";

std::string ExpiredEvent() { return EventJson("ERROR", StatusJson(410, "Expired", kTooOld)); }

TEST_F(ScenarioGapTest, A410ListsAtTheLastVersionAndA410ThereListsTheNewestAtOnce) {
  OnList(ListJson("10", {Json("a", "1")}));
  OnStatus(410, "Expired", kTooOld);  // the watch
  OnStatus(410, "Gone", kTooOld);     // the list at the last version
  OnList(ListJson("50", {Json("a", "40")}));
  const auto watch = OnWatch();
  Start();

  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_THAT(Requests(),
              ElementsAre(kFirstList, WatchAt("10"), ListAt("10"), kNewestList, WatchAt("50")));
  EXPECT_FALSE(clock.HasWaiters());
  EXPECT_THAT(CallsAfter(0, 2), ElementsAre("add ns/a=1 initial", "update ns/a=1 ns/a=40"));
}

TEST_F(ScenarioGapTest, A410WithinTheStreamIsNoObjectAndListsAtTheLastVersion) {
  const auto watch = StartWith({Json("a", "1")});

  OnStatus(410, "Expired", kTooOld);
  OnList(ListJson("50", {Json("a", "1")}));
  const auto next = OnWatch();
  watch->Push(BookmarkJson("12") + ExpiredEvent());

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Requests(),
              ElementsAre(kFirstList, WatchAt("10"), ListAt("12"), kNewestList, WatchAt("50")));
  next->Push(Added("b", "51"));
  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("add ns/b=51")) << "nothing before it";
}

TEST_F(ScenarioGapTest, ADeletionDuringAShortGapComesByTheResumedWatch) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  const auto resumed = OnWatch();
  resumed->Push(Deleted("a", "14"));

  watch->Push(Modified("b", "12"));
  watch->Fail({.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"});

  ASSERT_TRUE(resumed->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("12")));
  EXPECT_THAT(Stored(), ElementsAre("ns/b=12"));
  EXPECT_THAT(CallsAfter(2, 2), ElementsAre("update ns/b=2 ns/b=12", "delete ns/a=14"));
}

TEST_F(ScenarioGapTest, ADeletionDuringALongGapIsFoundOnceByTheRelist) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  OnList(ListJson("50", {Json("b", "2")}));
  const auto next = OnWatch();

  watch->Push(ExpiredEvent());

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Stored(), ElementsAre("ns/b=2"));
  next->Push(Added("c", "51"));
  EXPECT_THAT(CallsAfter(2, 2), ElementsAre("delete ns/a=1 unknown", "add ns/c=51"));
}

TEST_F(ScenarioGapTest, AnHourOfBookmarksIsResumedFromTheLastOne) {
  auto watch = StartWith({Json("a", "1")});
  std::vector<std::string> expected = {kFirstList, WatchAt("10")};
  int version = 10;
  for (int round = 0; round < 12; ++round) {
    for (int minute = 0; minute < 5; ++minute) {
      clock.Step(minutes(1));
      watch->Push(BookmarkJson(std::to_string(version += 1000)));
      ASSERT_TRUE(watch->BlockUntilDrained());
    }
    const auto next = OnWatch();
    if (round < 11) {
      watch->End();
    } else {
      watch->Fail({.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"});
    }
    ASSERT_TRUE(next->BlockUntilDrained());
    expected.push_back(WatchAt(std::to_string(version)));
    watch = next;
  }

  EXPECT_EQ(Requests(), expected);
  watch->Push(Added("b", "70000"));
  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("add ns/b=70000"));
}

TEST_F(ScenarioGapTest, NoListAfterTheFirstAsksForAnyVersion) {
  const auto first = StartWith({Json("a", "1")});
  OnStatus(500, "InternalError", "etcd is away");
  OnList(ListJson("20", {Json("a", "1")}));
  OnStatus(403, "Forbidden", "no");  // a watch
  OnList(ListJson("25", {Json("a", "1")}));
  const auto second = OnWatch();
  second->Push(Modified("a", "30") + ExpiredEvent());
  OnStatus(410, "Expired", kTooOld);
  OnStatus(500, "InternalError", "etcd is away");  // the list of the newest
  OnList(ListJson("60", {Json("a", "55")}));
  const auto third = OnWatch();
  first->Push(ExpiredEvent());

  for (const int delay : {800, 1600, 3200}) ASSERT_TRUE(Pass(milliseconds(delay)));

  ASSERT_TRUE(third->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), ListAt("10"), ListAt("10"),
                                      WatchAt("20"), ListAt("20"), WatchAt("25"), ListAt("30"),
                                      kNewestList, kNewestList, WatchAt("60")));
}

TEST_F(ScenarioGapTest, AServerThatWentBackInTimeIsMuteUntilAListFindsOut) {
  // A server restored from a backup: it is at version 40, and "a" is another object there.
  auto watch = StartWith({Json("a", "95")});
  watch->Push(BookmarkJson("100"));
  for (int i = 0; i < 3; ++i) {
    const auto mute = OnWatch();
    clock.Step(minutes(5));
    watch->End();
    ASSERT_TRUE(mute->BlockUntilDrained());
    watch = mute;
  }
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("100"), WatchAt("100"),
                                      WatchAt("100")));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=95"));

  On({.status = 504,
      .headers = {{"Retry-After", "1"}},
      .chunks = {StatusJson(504, "Timeout", "Too large resource version: 100, current: 40",
                            R"({"causes":[{"reason":"ResourceVersionTooLarge"}]})")}});
  OnList(ListJson("40", {Json("a", "33", "another")}));
  const auto healed = OnWatch();
  watch->Push(EventJson("ERROR", StatusJson(500, "InternalError", "whatever makes it list")));
  ASSERT_TRUE(Pass(milliseconds(800)));

  ASSERT_TRUE(healed->BlockUntilDrained());
  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("update ns/a=95 ns/a=33"));
  EXPECT_EQ(Requests().back(), WatchAt("40"));
}

}  // namespace
}  // namespace clientgo::cache

// SPDX-License-Identifier: Apache-2.0
// Tests an informer with a server that is overloaded or unreachable, denies access or changes, and
// with gaps between watches.

#include "capstan/testing/temp_dir.h"
#include "clientgo/cache/testing/scenario_fixture.h"

namespace capstan::cache {
namespace {

using ScenarioServerTest = ScenarioFixture;
using std::chrono::minutes;
using ::testing::HasSubstr;

Error Broken() {
  return {.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"};
}

TEST_F(ScenarioServerTest, FallsBackToFullListAfterExpiredContinueToken) {
  OnList(ListJson("10", {Json("a", "1"), Json("b", "2")}, "next"));
  On({.status = 410,
      .chunks = {R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"inconsistent"},)"
                 R"("status":"Failure","message":"The provided continue parameter is too old",)"
                 R"("reason":"Expired","code":410})"}});
  OnList(ListJson("12", {Json("a", "11"), Json("c", "3"), Json("d", "4")}));
  const auto watch = OnWatch();
  Start();
  ASSERT_TRUE(watch->BlockUntilDrained());

  EXPECT_THAT(Requests(), ElementsAre(kFirstList, "/api/v1/secrets?limit=500&continue=next",
                                      ListAt("0"), WatchAt("12")));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=11", "ns/c=3", "ns/d=4"));
  watch->Push(Added("e", "13"));
  EXPECT_THAT(CallsAfter(0, 4), ElementsAre("add ns/a=11 initial", "add ns/c=3 initial",
                                            "add ns/d=4 initial", "add ns/e=13"));
}

TEST_F(ScenarioServerTest, ListsWithoutVersionAtOnceAfterTooLargeVersion) {
  const auto watch = StartWith({Json("a", "1")});
  On({.status = 504,
      .headers = {{"Retry-After", "1"}},
      .chunks = {
          StatusJson(504, "Timeout", "Timeout: Too large resource version: 10, current: 7",
                     R"({"retryAfterSeconds":1,"causes":[{"reason":)"
                     R"("ResourceVersionTooLarge","message":"Too large resource version"}]})")}});
  OnList(ListJson("7", {Json("a", "1")}));
  const auto next = OnWatch();

  watch->Push(EventJson("ERROR", StatusJson(410, "Expired", "too old resource version")));

  ASSERT_TRUE(next->BlockUntilDrained()) << "the list without a version waited";
  EXPECT_THAT(Requests(),
              ElementsAre(kFirstList, WatchAt("10"), ListAt("10"), kNewestList, WatchAt("7")));
}

TEST_F(ScenarioServerTest, ResumesWithoutListAfterRetryAfter) {
  OnList(ListJson("10", {Json("a", "1")}));
  On({.status = 429,
      .headers = {{"Retry-After", "5"}, {"Content-Type", "text/plain"}},
      .chunks = {"Too many requests, please try again later.\n"}});
  const auto watch = OnWatch();
  Start();

  ASSERT_TRUE(Pass(milliseconds(4999)));
  ASSERT_TRUE(clock.BlockUntilWaiters()) << "the reflector did not wait for 5 s";
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10")));
  ASSERT_TRUE(Pass(milliseconds(1)));
  ASSERT_TRUE(watch->BlockUntilDrained());

  const auto resumed = OnWatch();
  watch->Push(Modified("a", "12") +
              EventJson("ERROR", StatusJson(429, "TooManyRequests", "overloaded")));
  ASSERT_TRUE(Pass(milliseconds(1600)));
  ASSERT_TRUE(resumed->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("10"), WatchAt("12")));
}

TEST_F(ScenarioServerTest, ListsAfterTenWatchRetriesOn503WithRetryAfter) {
  OnList(ListJson("10", {Json("a", "1")}));
  const auto overloaded = [this] { On({.status = 503, .headers = {{"Retry-After", "31"}}}); };
  overloaded();
  Start();
  std::vector<std::string> expected = {kFirstList, WatchAt("10")};
  for (int retry = 0; retry < 10; ++retry) {
    overloaded();
    ASSERT_TRUE(Pass(seconds(31)));
    expected.push_back(WatchAt("10"));
  }
  OnList(ListJson("20", {Json("a", "1")}));
  const auto watch = OnWatch();
  ASSERT_TRUE(Pass(seconds(31)));

  ASSERT_TRUE(watch->BlockUntilDrained());
  expected.insert(expected.end(), {ListAt("10"), WatchAt("20")});
  EXPECT_EQ(Requests(), expected);
}

TEST_F(ScenarioServerTest, LimitsRetryAfterToOneMinute) {
  OnList(ListJson("10", {}));
  On({.status = 429, .headers = {{"Retry-After", "86400"}}});
  const auto watch = OnWatch();
  Start();

  ASSERT_TRUE(Pass(seconds(60)));

  EXPECT_TRUE(watch->BlockUntilDrained());
}

TEST_F(ScenarioServerTest, SendsOneProbeASecondDuringFiveMinutesOfConnectionRefused) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  server.is_up = false;
  clock.Step(std::chrono::minutes(1));
  watch->Fail(Broken());
  for (milliseconds passed(0); passed < std::chrono::minutes(5); passed += milliseconds(50)) {
    ASSERT_TRUE(Pass(milliseconds(50)));
  }
  ASSERT_TRUE(clock.BlockUntilWaiters()) << "the last probe of the outage has not failed";
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("10")));
  EXPECT_GE(server.probes, 250);
  EXPECT_LE(server.probes, 400);

  const auto back = OnWatch();
  back->Push(Deleted("a", "20"));
  server.is_up = true;
  ASSERT_TRUE(Pass(milliseconds(1050)));  // the longest interval between two probes

  ASSERT_TRUE(back->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("10"), WatchAt("10")));
  EXPECT_THAT(CallsAfter(2, 1), ElementsAre("delete ns/a=20"));

  const auto next = OnWatch();
  back->Push(EventJson("ERROR", StatusJson(429, "TooManyRequests", "overloaded")));
  ASSERT_TRUE(Pass(milliseconds(800)));
  EXPECT_TRUE(next->BlockUntilDrained()) << "the outage made the next backoff longer";
}

TEST_F(ScenarioServerTest, KeepsStoreAfterStoreReadErrorUntilList) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  watch->Push(EventJson("ERROR", StatusJson(500, "StoreReadError", "corrupt object deleted")));
  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=2"));
  EXPECT_EQ(record->lines().size(), 2U);

  OnList(ListJson("20", {Json("b", "2")}));
  const auto next = OnWatch();
  ASSERT_TRUE(Pass(milliseconds(800)));

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), ListAt("10"), WatchAt("20")));
  EXPECT_THAT(CallsAfter(2, 1), ElementsAre("delete ns/a=1 unknown"));
}

TEST_F(ScenarioServerTest, UsesRotatedTokenWithinAMinuteAndAtOnceAfter401) {
  const testing::TempDir dir;
  auto watch =
      StartWith({Json("a", "1")}, {.config = {.bearer_token_file = dir.Write("token", "first")}});
  const auto tokens = [this] {
    std::vector<std::string> sent;
    for (const auto& request : transport->requests()) {
      sent.emplace_back(transport::FindHeader(request.headers, "Authorization"));
    }
    return sent;
  };

  dir.Write("token", "second");
  clock.Step(seconds(59));
  const auto renewed = OnWatch();
  watch->End();
  ASSERT_TRUE(renewed->BlockUntilDrained());

  dir.Write("token", "third");
  clock.Step(seconds(2));
  OnStatus(401, "Unauthorized", "Unauthorized");
  OnList(ListJson("20", {Json("a", "1")}));
  const auto last = OnWatch();
  renewed->End();
  ASSERT_TRUE(Pass(milliseconds(800)));
  ASSERT_TRUE(last->BlockUntilDrained());

  EXPECT_THAT(tokens(), ElementsAre("Bearer first", "Bearer first", "Bearer second",
                                    "Bearer second", "Bearer third", "Bearer third"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("10"), WatchAt("10"),
                                      ListAt("10"), WatchAt("20")));
}

TEST_F(ScenarioServerTest, ResumesWithoutListAfterConnectionsCloseForNewCertificate) {
  auto watch = StartWith({Json("a", "1")});
  for (const auto reason : {ErrorReason::kUnexpectedEof, ErrorReason::kTransport}) {
    const auto remade = OnWatch();
    clock.Step(std::chrono::minutes(1));
    watch->Fail({.reason = reason, .message = "the client certificate was replaced"});
    ASSERT_TRUE(remade->BlockUntilDrained());
    watch = remade;
  }
  watch->Push(Deleted("a", "14"));

  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("delete ns/a=14"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("10"), WatchAt("10")));
  EXPECT_FALSE(clock.HasWaiters());
}

TEST_F(ScenarioServerTest, SyncsWhenPermissionIsGrantedAfterThreeMinutes) {
  const auto forbid = [this] {
    OnStatus(403, "Forbidden", R"(secrets is forbidden: User \"x\" cannot list resource)");
  };
  forbid();
  Start();
  Clock::Duration forbidden{0};
  milliseconds delay(800);
  std::size_t requests = 1;
  for (; forbidden < std::chrono::minutes(3);
       delay = std::min<milliseconds>(delay * 2, seconds(30))) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    EXPECT_FALSE(informer->HasSynced());
    EXPECT_THAT(informer->Status().last_error->message,
                HasSubstr("failed to list secrets: secrets is forbidden: User \"x\""));
    EXPECT_EQ(Requests(), std::vector<std::string>(requests++, kFirstList));
    forbidden += delay;
    if (forbidden < std::chrono::minutes(3)) {
      forbid();
    } else {
      OnList(ListJson("10", {Json("a", "1")}));
    }
    clock.Step(delay);
  }

  EXPECT_TRUE(informer->WaitForSync(std::stop_token()));
  EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/a=1 initial"));
}

TEST_F(ScenarioServerTest, KeepsStoreWhileCrdIsMissing) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  for (int i = 0; i < 4; ++i) {
    On({.status = 404, .chunks = {"404 page not found\n"}});  // the watch, then three lists
  }
  watch->Push(Deleted("a", "11"));
  watch->End();

  for (const int delay : {800, 1600, 3200}) {
    ASSERT_TRUE(Pass(milliseconds(delay)));
    ASSERT_TRUE(clock.BlockUntilWaiters());
    EXPECT_THAT(Stored(), ElementsAre("ns/b=2"));
  }
  OnList(ListJson("70", {Json("b", "60", "recreated")}));
  const auto recovered = OnWatch();
  ASSERT_TRUE(Pass(milliseconds(6400)));

  ASSERT_TRUE(recovered->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("11"), ListAt("11"),
                                      ListAt("11"), ListAt("11"), ListAt("11"), WatchAt("70")));
  EXPECT_THAT(CallsAfter(2, 2), ElementsAre("delete ns/a=11", "update ns/b=2 ns/b=60"));
}

TEST_F(ScenarioServerTest, LosesNoEventWhenServerClosesEveryConnection) {
  On({.fail = Broken()});  // the connection was closed during the first request
  OnList(ListJson("10", {}));
  auto watch = OnWatch();
  Start();
  ASSERT_TRUE(Pass(seconds(1)));
  std::vector<std::string> requests = {kFirstList, kFirstList, WatchAt("10")};
  std::vector<std::string> calls;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "n" + std::to_string(i);
    const std::string version = std::to_string(100 + i);
    const auto next = OnWatch();
    watch->Push(Added(name, version));
    if (i % 2 == 0) {
      watch->End();
    } else {
      watch->Fail(Broken());
    }
    ASSERT_TRUE(next->BlockUntilDrained());
    watch = next;
    requests.push_back(WatchAt(version));
    calls.push_back(std::string("add ns/").append(name).append("=").append(version));
  }

  EXPECT_EQ(Requests(), requests);
  EXPECT_EQ(CallsAfter(0, calls.size()), calls);
  EXPECT_FALSE(clock.HasWaiters()) << "the reflector waited before it resumed";
}

TEST_F(ScenarioServerTest, KeepsStoreAndListsAgainWhenListBreaks) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  const std::string whole = ListJson("50", {Json("a", "40"), Json("c", "41")});
  On({.headers = {{"Transfer-Encoding", "chunked"}},
      .chunks = {whole.substr(0, whole.size() / 2), whole.substr(whole.size() / 2, 60)},
      .end = testing::FakeEnd::kError,
      .error = Broken()});
  watch->Push(EventJson("ERROR", StatusJson(410, "Expired", "too old resource version")));
  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=2"));
  EXPECT_EQ(record->lines().size(), 2U);

  OnList(whole);
  const auto next = OnWatch();
  ASSERT_TRUE(Pass(milliseconds(1600)));

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Requests(),
              ElementsAre(kFirstList, WatchAt("10"), ListAt("10"), ListAt("10"), WatchAt("50")));
  EXPECT_THAT(CallsAfter(2, 3),
              ElementsAre("delete ns/b=2 unknown", "update ns/a=1 ns/a=40", "add ns/c=41"));
}

using ScenarioGapTest = ScenarioFixture;

constexpr char kTooOld[] = "too old resource version: 10 (99)";

std::string ExpiredEvent() { return EventJson("ERROR", StatusJson(410, "Expired", kTooOld)); }

TEST_F(ScenarioGapTest, ListsAtLastVersionAfter410AndAtNewestAfterSecond410) {
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

TEST_F(ScenarioGapTest, ListsAtLastVersionAfter410InStream) {
  const auto watch = StartWith({Json("a", "1")});

  OnStatus(410, "Expired", kTooOld);
  OnList(ListJson("50", {Json("a", "1")}));
  const auto next = OnWatch();
  watch->Push(BookmarkJson("12") + ExpiredEvent());

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Requests(),
              ElementsAre(kFirstList, WatchAt("10"), ListAt("12"), kNewestList, WatchAt("50")));
  next->Push(Added("b", "51"));
  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("add ns/b=51")) << "the relist notified the handler";
}

TEST_F(ScenarioGapTest, ResumedWatchReportsDeletionDuringShortGap) {
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

TEST_F(ScenarioGapTest, RelistReportsDeletionOnceAfterLongGap) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});
  OnList(ListJson("50", {Json("b", "2")}));
  const auto next = OnWatch();

  watch->Push(ExpiredEvent());

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Stored(), ElementsAre("ns/b=2"));
  next->Push(Added("c", "51"));
  EXPECT_THAT(CallsAfter(2, 2), ElementsAre("delete ns/a=1 unknown", "add ns/c=51"));
}

TEST_F(ScenarioGapTest, ResumesFromLastBookmarkAfterAnHour) {
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

TEST_F(ScenarioGapTest, RequestsAnyVersionOnlyInFirstList) {
  const auto first = StartWith({Json("a", "1")});
  OnStatus(500, "InternalError", "etcd is unavailable");
  OnList(ListJson("20", {Json("a", "1")}));
  OnStatus(403, "Forbidden", "no");  // a watch
  OnList(ListJson("25", {Json("a", "1")}));
  const auto second = OnWatch();
  second->Push(Modified("a", "30") + ExpiredEvent());
  OnStatus(410, "Expired", kTooOld);
  OnStatus(500, "InternalError", "etcd is unavailable");  // the list at the newest version
  OnList(ListJson("60", {Json("a", "55")}));
  const auto third = OnWatch();
  first->Push(ExpiredEvent());

  for (const int delay : {800, 1600, 3200}) ASSERT_TRUE(Pass(milliseconds(delay)));

  ASSERT_TRUE(third->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), ListAt("10"), ListAt("10"),
                                      WatchAt("20"), ListAt("20"), WatchAt("25"), ListAt("30"),
                                      kNewestList, kNewestList, WatchAt("60")));
}

TEST_F(ScenarioGapTest, RecoversFromRestoredServerAtNextList) {
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
  watch->Push(EventJson("ERROR", StatusJson(500, "InternalError", "an error that causes a list")));
  ASSERT_TRUE(Pass(milliseconds(800)));

  ASSERT_TRUE(healed->BlockUntilDrained());
  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("update ns/a=95 ns/a=33"));
  EXPECT_EQ(Requests().back(), WatchAt("40"));
}

}  // namespace
}  // namespace capstan::cache

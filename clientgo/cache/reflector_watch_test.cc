// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "clientgo/cache/reflector_internal.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// ReflectorWatchTest scripts a first LIST that returns a=1 at version 10.
struct ReflectorWatchTest : ReflectorFixture {
  ReflectorWatchTest() { source.OnList(Page({MakeObject("a", 1)}, "10")); }
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/false)); }
  // Starts the reflector and waits until it has read all events of `watch`.
  void Start(const std::shared_ptr<FakeWatch>& watch) {
    Start();
    ASSERT_TRUE(watch->WaitUntilRead());
  }
};

TEST_F(ReflectorWatchTest, AppliesEveryEventAndUpdatesVersion) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("b", 11));
  watch->Modify(MakeObject("a", 12));
  watch->Bookmark("15");
  watch->Delete(MakeObject("b", 16));
  Start(watch);

  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1", "upsert ns/b=11",
                                                "upsert ns/a=12", "delete ns/b=16"));
  EXPECT_EQ(reflector->Status().resource_version, "16");
  EXPECT_EQ(reflector->Status().state, ReflectorState::kWatching);
  EXPECT_EQ(reflector->Status().objects_received, 5U);
}

TEST_F(ReflectorWatchTest, AppliesEventWithOlderVersion) {
  const auto watch = source.OnWatch();
  watch->Modify(MakeObject("a", 50));
  watch->Delete(MakeObject("a", 7));
  watch->Close();
  Start();

  EXPECT_EQ(Request(2), "WATCH rv=7 bookmarks timeout=300");
  EXPECT_EQ(store.GetByKey("ns/a"), nullptr);
}

TEST_F(ReflectorWatchTest, ResumesFromLastBookmarkAfterCleanClose) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("b", 11));
  watch->Bookmark("90");
  Start(watch);

  clock.Step(std::chrono::minutes(6));
  watch->Close();

  EXPECT_EQ(Request(2), "WATCH rv=90 bookmarks timeout=300");
}

TEST_F(ReflectorWatchTest, ResumesAfterBrokenConnection) {
  for (const auto reason : {ErrorReason::kUnexpectedEof, ErrorReason::kTransport}) {
    const auto watch = source.OnWatch();
    watch->Bookmark("20");
    watch->Break(MakeError(reason));
  }
  Start();

  EXPECT_EQ(Request(3), "WATCH rv=20 bookmarks timeout=300");
  EXPECT_EQ(source.Requests()[2], "WATCH rv=20 bookmarks timeout=300");
  EXPECT_FALSE(reflector->Status().last_error);
  EXPECT_THAT(metrics.errors.lines(), ElementsAre("UnexpectedEOF", "Transport"));
}

TEST_F(ReflectorWatchTest, ListsWithGrowingDelaysAfterVeryShortWatches) {
  std::vector<std::string> expected = {kFirstPage, kWatchAt10};
  for (int i = 0; i < 8; ++i) {
    source.OnWatch()->Close();
    source.OnList(Page({}, "10"));
  }
  Start();

  // With jitter, a delay is up to twice as long: 30 to 60 s from the seventh on.
  for (const int delay : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    clock.Step(milliseconds(delay - 1));
    ASSERT_TRUE(clock.BlockUntilWaiters()) << "the reflector did not wait for " << delay << " ms";
    EXPECT_EQ(source.Requests(), expected);
    clock.Step(milliseconds(1));
    expected.insert(expected.end(), {"LIST rv=10", kWatchAt10});
    ASSERT_TRUE(source.WaitForRequests(expected.size()));
  }
  EXPECT_EQ(source.Requests(), expected);
  EXPECT_EQ(metrics.errors.lines(), std::vector<std::string>(8, "VeryShortWatch"));
}

TEST_F(ReflectorWatchTest, MeasuresAgeOfWatchFromItsRequest) {
  Start();
  ASSERT_EQ(Request(1), kWatchAt10);

  clock.Step(seconds(2));  // a proxy holds the response back
  source.OnWatch()->Close();

  EXPECT_EQ(Request(2), kWatchAt10);
}

TEST_F(ReflectorWatchTest, ResumesWithoutListAfterShortWatchWithBookmark) {
  const auto watch = source.OnWatch();
  watch->Bookmark("11");
  watch->Close();
  Start();

  EXPECT_EQ(Request(2), "WATCH rv=11 bookmarks timeout=300");
}

TEST_F(ReflectorWatchTest, ResumesWithoutListAfterOverloadOrBrokenConnection) {
  source.OnWatchError(MakeError(ErrorReason::kConnectionRefused));
  source.OnWatchError(MakeError(ErrorReason::kTooManyRequests, 429));
  source.OnWatchError({.http_code = 429, .message = "Too many requests, please try again later."});
  source.OnWatchError(MakeError(ErrorReason::kUnexpectedEof));
  Start();

  for (const int delay : {800, 1600, 3200, 6400}) ASSERT_TRUE(Pass(milliseconds(delay)));

  ASSERT_EQ(Request(5), kWatchAt10);
  EXPECT_THAT(source.Requests(),
              ElementsAre(kFirstPage, kWatchAt10, kWatchAt10, kWatchAt10, kWatchAt10, kWatchAt10));
}

TEST_F(ReflectorWatchTest, ResumesWithoutListWhenWatchGetsNoResponse) {
  const std::vector reasons = {ErrorReason::kUnexpectedEof, ErrorReason::kNoSuchHost,
                               ErrorReason::kProxy, ErrorReason::kCertificate,
                               ErrorReason::kTransport};
  for (const auto reason : reasons) source.OnWatchError(MakeError(reason));
  Start();

  for (const int delay : {800, 1600, 3200, 6400, 12800}) ASSERT_TRUE(Pass(milliseconds(delay)));

  ASSERT_EQ(Request(6), kWatchAt10);
  EXPECT_THAT(source.Requests(), ElementsAre(kFirstPage, kWatchAt10, kWatchAt10, kWatchAt10,
                                             kWatchAt10, kWatchAt10, kWatchAt10));
}

TEST_F(ReflectorWatchTest, WaitsAndWatchesAgainAfterTooManyRequestsInStream) {
  const auto watch = source.OnWatch();
  watch->Bookmark("12");
  watch->SendError(MakeError(ErrorReason::kTooManyRequests, 429));
  Start();

  ASSERT_TRUE(Pass(milliseconds(800)));

  EXPECT_EQ(Request(2), "WATCH rv=12 bookmarks timeout=300");
}

TEST_F(ReflectorWatchTest, ListsWhenWatchReturns403Or404Or500) {
  const std::vector<Error> errors = {MakeError(ErrorReason::kForbidden, 403),
                                     MakeError(ErrorReason::kNotFound, 404),
                                     MakeError(ErrorReason::kInternalError, 500)};
  for (const auto& error : errors) {
    source.OnWatchError(error);
    source.OnList(Page({}, "10"));
  }
  Start();

  std::size_t requests = 2;
  for (const int delay : {800, 1600, 3200}) {
    ASSERT_TRUE(Pass(milliseconds(delay)));
    EXPECT_EQ(Request(requests), "LIST rv=10");
    requests += 2;
  }
}

TEST_F(ReflectorWatchTest, KeepsStoreAndListsAtLastVersionAfterErrorEvent) {
  const std::vector<Error> errors = {MakeError(ErrorReason::kStoreReadError, 500),
                                     MakeError(ErrorReason::kInternalError, 500)};
  for (const auto& error : errors) {
    const auto watch = source.OnWatch();
    watch->Bookmark("12");
    watch->SendError(error);
    source.OnList(Page({MakeObject("a", 1)}, "10"));
  }
  Start();

  std::size_t requests = 2;
  for (const int delay : {800, 1600}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    EXPECT_NE(store.GetByKey("ns/a"), nullptr);
    clock.Step(milliseconds(delay));
    EXPECT_EQ(Request(requests), "LIST rv=12");
    requests += 2;
  }
}

TEST_F(ReflectorWatchTest, ListsAgainAfterInvalidBytesInStream) {
  const auto watch = source.OnWatch();
  watch->Bookmark("12");
  watch->Break(MakeError(ErrorReason::kDecode));
  Start();

  ASSERT_TRUE(Pass(milliseconds(800)));

  EXPECT_EQ(Request(2), "LIST rv=12");
  EXPECT_THAT(metrics.errors.lines(), ElementsAre("Decode"));
}

TEST_F(ReflectorWatchTest, SkipsUnknownAndUndecodableEventsButAdvancesVersion) {
  const auto watch = source.OnWatch();
  watch->Send({.type = runtime::EventType::kUnknown, .resource_version = "20"});
  watch->Send({.type = runtime::EventType::kModified,
               .resource_version = "21",
               .error = MakeError(ErrorReason::kDecode)});
  Start(watch);

  EXPECT_EQ(reflector->Status().resource_version, "21");
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_THAT(metrics.errors.lines(), ElementsAre("UnknownEventType", "Decode"));
}

TEST_F(ReflectorWatchTest, PicksTimeoutBetweenMinimumAndTwiceMinimum) {
  auto options = Options(/*watch_list=*/false);
  options.random = [] { return 0.75; };
  ReflectorFixture::Start(std::move(options));

  EXPECT_EQ(Request(1), "WATCH rv=10 bookmarks timeout=525");
}

TEST_F(ReflectorWatchTest, StopOfSilentWatchIsNoError) {
  const auto watch = source.OnWatch();
  watch->Bookmark("11");
  Start(watch);

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_THAT(metrics.errors.lines(), IsEmpty());
}

TEST_F(ReflectorWatchTest, StopsWhileWatchIsBeingOpened) {
  const auto watch = source.OnWatch();
  Start(watch);
  watch->Bookmark("11");
  watch->Close();
  ASSERT_EQ(Request(2), "WATCH rv=11 bookmarks timeout=300");  // gets no response

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_THAT(metrics.errors.lines(), IsEmpty());
  EXPECT_THAT(metrics.watches.lines(), ElementsAre("secrets"));
}

using ReflectorUnversionedWatchTest = ReflectorFixture;

TEST_F(ReflectorUnversionedWatchTest, DoesNotResumeFromVersionOfSyntheticAdds) {
  source.OnList(Page({}, ""));
  const auto synthetic = source.OnWatch();
  synthetic->Add(MakeObject("b", 9));
  synthetic->Add(MakeObject("a", 7));
  synthetic->Close();
  const auto live = source.OnWatch();
  live->Add(MakeObject("b", 9));
  live->Bookmark("12");
  live->Add(MakeObject("c", 13));
  live->Close();

  Start(Options(/*watch_list=*/false));

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_THAT(source.Requests(),
              ElementsAre(kFirstPage, "WATCH bookmarks timeout=300", "WATCH bookmarks timeout=300",
                          "WATCH rv=13 bookmarks timeout=300"));
}

constexpr char kWatchAt30[] = "WATCH rv=30 bookmarks timeout=300";

struct ReflectorSilenceTest : ReflectorFixture {
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/false)); }
  // Starts a watch that has received two bookmarks, a minute apart. The last one has version 30.
  std::shared_ptr<FakeWatch> StartWithBookmarks() {
    source.OnList(Page({MakeObject("a", 1)}, "10"));
    const auto watch = source.OnWatch();
    Start();
    for (const char* version : {"20", "30"}) {
      EXPECT_TRUE(watch->WaitUntilRead());
      clock.Step(seconds(60));
      watch->Bookmark(version);
    }
    EXPECT_TRUE(watch->WaitUntilRead());
    return watch;
  }
};

TEST_F(ReflectorSilenceTest, ReopensWatchAtOnceWhenTwoBookmarksAreMissing) {
  StartWithBookmarks();
  const auto reopened = source.OnWatch();

  clock.Step(seconds(129));
  EXPECT_EQ(source.Requests().size(), 2U);
  clock.Step(seconds(1));

  EXPECT_EQ(Request(2), kWatchAt30);
  reopened->Modify(MakeObject("a", 31));
  ASSERT_TRUE(reopened->WaitUntilRead());
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1", "upsert ns/a=31"));
  EXPECT_THAT(metrics.errors.lines(), ElementsAre("Silent"));
  EXPECT_FALSE(reflector->Status().last_error);
}

TEST_F(ReflectorSilenceTest, KeepsSilentWatchOpenAfterOnlyOneBookmark) {
  source.OnList(Page({}, "10"));
  const auto watch = source.OnWatch();
  watch->Bookmark("20");
  Start();
  ASSERT_TRUE(watch->WaitUntilRead());

  clock.Step(std::chrono::hours(1));
  watch->Add(MakeObject("a", 21));

  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(source.Requests().size(), 2U);
}

TEST_F(ReflectorSilenceTest, RetriesUnansweredWatchWithDoubledTimeout) {
  StartWithBookmarks();
  clock.Step(seconds(130));
  ASSERT_EQ(Request(2), kWatchAt30);  // gets no response

  ASSERT_TRUE(Pass(seconds(30)));
  ASSERT_TRUE(PassBackoff(3, milliseconds(800)));
  ASSERT_EQ(Request(3), kWatchAt30);  // gets no response
  ASSERT_TRUE(Pass(seconds(59)));
  EXPECT_EQ(source.Requests().size(), 4U);
  ASSERT_TRUE(Pass(seconds(1)));
  ASSERT_TRUE(PassBackoff(4, milliseconds(1600)));

  EXPECT_EQ(Request(4), kWatchAt30);
  const auto answered = source.OnWatch();
  EXPECT_TRUE(answered->WaitUntilRead());
  EXPECT_THAT(metrics.lists.lines(), ElementsAre("ok"));
  EXPECT_THAT(metrics.errors.lines(),
              ElementsAre("Silent", "DeadlineExceeded", "DeadlineExceeded"));
}

TEST_F(ReflectorSilenceTest, WaitsLongerThanThirtySecondsForList) {
  Start();
  ASSERT_EQ(Request(0), kFirstPage);
  ASSERT_TRUE(Pass(seconds(64)));

  source.OnList(Page({MakeObject("a", 1)}, "10"));

  EXPECT_EQ(Request(1), "WATCH rv=10 bookmarks timeout=300");
  EXPECT_THAT(metrics.lists.lines(), ElementsAre("ok"));
}

TEST_F(ReflectorSilenceTest, RetriesUnansweredListWithDoubledTimeout) {
  Start();
  ASSERT_EQ(Request(0), kFirstPage);

  ASSERT_TRUE(Pass(seconds(65)));
  ASSERT_TRUE(PassBackoff(1, milliseconds(800)));
  ASSERT_EQ(Request(1), kFirstPage);
  ASSERT_TRUE(Pass(seconds(129)));
  source.OnList(Page({MakeObject("a", 1)}, "10"));

  EXPECT_EQ(Request(2), "WATCH rv=10 bookmarks timeout=300");
  EXPECT_THAT(metrics.lists.lines(), ElementsAre("failed", "ok"));
}

TEST(AdaptiveTimeoutTest, DoublesUpToMaximumWithoutResponse) {
  AdaptiveTimeout limit(seconds(30), seconds(100));
  EXPECT_EQ(limit.current(), seconds(30));

  limit.OnUnanswered();
  EXPECT_EQ(limit.current(), seconds(60));
  limit.OnUnanswered();
  limit.OnUnanswered();
  EXPECT_EQ(limit.current(), seconds(100));
}

TEST(AdaptiveTimeoutTest, ResetsAfterQuickResponseButNotAfterSlowOne) {
  AdaptiveTimeout limit(seconds(30), seconds(240));
  limit.OnUnanswered();

  limit.OnAnswered(seconds(45));
  EXPECT_EQ(limit.current(), seconds(60)) << "a slow response reset the timeout";
  limit.OnAnswered(seconds(1));
  EXPECT_EQ(limit.current(), seconds(30));
}

using TimePoint = BookmarkMonitor::TimePoint;

constexpr auto kForEver = BookmarkMonitor::Duration::max();

struct BookmarkMonitorTest : ::testing::Test {
  BookmarkMonitorTest() { monitor.OnOpened(now); }
  void Bookmark(seconds after) {
    now += after;
    monitor.OnEvent(now, /*is_bookmark=*/true);
  }
  // Returns how much longer the watch may be silent.
  seconds Allowed() const { return std::chrono::duration_cast<seconds>(monitor.Allowed(now)); }
  TimePoint now = TimePoint(minutes(1000));
  BookmarkMonitor monitor;
};

TEST_F(BookmarkMonitorTest, AllowsSilenceWithoutBookmarks) {
  EXPECT_EQ(monitor.Allowed(now), kForEver);
  monitor.OnEvent(now, /*is_bookmark=*/false);
  monitor.OnEvent(now + minutes(1), /*is_bookmark=*/false);
  EXPECT_EQ(monitor.Allowed(now), kForEver);
}

TEST_F(BookmarkMonitorTest, AllowsSilenceAfterOneBookmark) {
  Bookmark(seconds(60));

  EXPECT_EQ(monitor.Allowed(now), kForEver);
}

TEST_F(BookmarkMonitorTest, AllowsTwoMissingBookmarksAfterTwoReceived) {
  Bookmark(seconds(60));
  Bookmark(seconds(61));

  EXPECT_EQ(Allowed(), seconds(2 * 61 + 10));
}

TEST_F(BookmarkMonitorTest, ExpectsBookmarksAtMostOnceAMinute) {
  Bookmark(seconds(1));
  Bookmark(seconds(1));

  EXPECT_EQ(Allowed(), seconds(130));
}

TEST_F(BookmarkMonitorTest, AllowsLongerSilenceForBookmarkIntervalsUpToFiveMinutes) {
  Bookmark(seconds(90));
  Bookmark(seconds(90));
  EXPECT_EQ(Allowed(), seconds(190));

  Bookmark(std::chrono::hours(3));  // this process was suspended
  EXPECT_EQ(Allowed(), seconds(610));
}

TEST_F(BookmarkMonitorTest, RestartsAllowedSilenceAfterAnyEvent) {
  Bookmark(seconds(60));
  Bookmark(seconds(60));
  now += seconds(100);

  monitor.OnEvent(now, /*is_bookmark=*/false);

  EXPECT_EQ(Allowed(), seconds(130));
}

TEST_F(BookmarkMonitorTest, MeasuresSilenceFromStartOfNextWatch) {
  Bookmark(seconds(60));
  Bookmark(seconds(60));
  now += minutes(4);

  monitor.OnOpened(now);

  EXPECT_EQ(Allowed(), seconds(130));
  Bookmark(seconds(1));
  EXPECT_EQ(Allowed(), seconds(130)) << "bookmarks of two watches were taken as an interval";
}

TEST_F(BookmarkMonitorTest, DoublesAllowedSilenceAfterEachSilentWatch) {
  Bookmark(seconds(60));
  Bookmark(seconds(60));

  for (const int allowed : {130, 260, 520, 1040, 2080, 2080}) {
    EXPECT_EQ(Allowed(), seconds(allowed));
    monitor.OnSilent();
    monitor.OnOpened(now);
  }

  Bookmark(seconds(60));
  EXPECT_EQ(Allowed(), seconds(130));
}

}  // namespace
}  // namespace capstan::cache

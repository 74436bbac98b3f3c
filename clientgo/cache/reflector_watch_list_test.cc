// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

constexpr char kFirst[] = "WATCH initialEvents match=NotOlderThan bookmarks timeout=300";

struct ReflectorWatchListTest : ReflectorFixture {
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/true)); }
  // Returns a stream that has synced with a=1 at version 10.
  std::shared_ptr<FakeWatch> Sync() {
    auto watch = source.OnWatch();
    watch->Add(MakeObject("a", 1));
    watch->Bookmark("10", /*initial_events_end=*/true);
    Start();
    EXPECT_TRUE(watch->WaitUntilRead());
    return watch;
  }
};

TEST_F(ReflectorWatchListTest, SyncsAtEndBookmarkAndContinuesAsWatch) {
  const auto watch = Sync();

  watch->Modify(MakeObject("a", 11));
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_THAT(source.Requests(), ElementsAre(kFirst));
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1", "upsert ns/a=11"));
  EXPECT_EQ(reflector->Status().state, ReflectorState::kWatching);
  EXPECT_EQ(reflector->Status().list_mode, "WATCH-LIST");
  EXPECT_EQ(reflector->Status().resource_version, "11");
  EXPECT_THAT(metrics.lists.lines(), IsEmpty());
}

TEST_F(ReflectorWatchListTest, DoesNotSyncAtOtherBookmark) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("a", 1));
  watch->Bookmark("9");
  Start();
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_THAT(store.record.lines(), IsEmpty());
  EXPECT_EQ(reflector->Status().state, ReflectorState::kInitialWatchList);
  EXPECT_EQ(reflector->Status().resource_version, "");
  EXPECT_EQ(reflector->Status().objects_received, 2U);
}

TEST_F(ReflectorWatchListTest, ReconnectsAsPlainWatchAfterSync) {
  const auto watch = Sync();

  watch->Close();

  EXPECT_EQ(Request(1), "WATCH rv=10 bookmarks timeout=300");
}

TEST_F(ReflectorWatchListTest, RestartsAtLastVersionWhileOldStoreServes) {
  const auto before = Sync();
  const auto object = store.GetByKey("ns/a");
  const auto watch = source.OnWatch();
  before->SendError(MakeError(ErrorReason::kExpired, 410));
  ASSERT_EQ(Request(1), "WATCH rv=10 initialEvents match=NotOlderThan bookmarks timeout=300");

  watch->Add(MakeObject("a", 1));
  watch->Add(MakeObject("b", 2));
  watch->Add(MakeObject("c", 3));
  watch->Modify(MakeObject("b", 21));
  watch->Delete(MakeObject("c", 22));
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1"));

  watch->Bookmark("23", /*initial_events_end=*/true);
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_THAT(store.record.lines(),
              ElementsAre("replace @10 ns/a=1", "replace @23 ns/a=1 ns/b=21"));
  EXPECT_EQ(store.GetByKey("ns/a"), object) << "an unchanged object was replaced";
}

TEST_F(ReflectorWatchListTest, RestartsAfterFirstBreakAndListsForAnHourAfterSecond) {
  for (int i = 0; i < 2; ++i) {
    const auto watch = source.OnWatch();
    watch->Add(MakeObject("z", 99));
    watch->Close();
  }
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
  Start();

  EXPECT_EQ(Request(4), "LIST rv=10");
  EXPECT_EQ(source.Requests()[3], "WATCH rv=10 bookmarks timeout=300");
  EXPECT_EQ(reflector->Status().list_mode, "LIST (WATCH-LIST: Closed)");
  EXPECT_EQ(source.Requests()[0], kFirst);
  EXPECT_EQ(source.Requests()[1], kFirst) << "it resumed from an initial event";
  EXPECT_EQ(source.Requests()[2], kFirstPage);
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_THAT(metrics.fallbacks.lines(), ElementsAre("Closed"));
}

TEST_F(ReflectorWatchListTest, ListsForAnHourWhenWatchListIsNotSupported) {
  for (const auto reason :
       {ErrorReason::kInvalid, ErrorReason::kBadRequest, ErrorReason::kMethodNotAllowed}) {
    Stop();
    source.OnWatchError(MakeError(reason));
    source.OnList(Page({}, "10"));
    source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
    const std::size_t before = source.Requests().size();
    Start();

    EXPECT_EQ(Request(before + 3), "LIST rv=10");
    EXPECT_EQ(source.Requests()[before + 2], "WATCH rv=10 bookmarks timeout=300");
    EXPECT_EQ(reflector->Status().list_mode,
              "LIST (WATCH-LIST: " + std::string(ToString(reason)) + ")");
    EXPECT_EQ(source.Requests()[before], kFirst);
    EXPECT_EQ(source.Requests()[before + 1], kFirstPage);
  }
  EXPECT_THAT(metrics.fallbacks.lines(), ElementsAre("Invalid", "BadRequest", "MethodNotAllowed"));
}

TEST_F(ReflectorWatchListTest, TriesWatchListAgainAnHourAfterFallback) {
  std::shared_ptr<FakeWatch> watch;
  const auto expire_after = [&](seconds passed) {
    EXPECT_TRUE(watch->WaitUntilRead());
    clock.Step(passed);
    watch->Bookmark("15");  // the version is no longer that of a list
    watch->SendError(MakeError(ErrorReason::kExpired, 410));
  };
  for (int i = 0; i < 2; ++i) {
    const auto restarting = source.OnWatch();
    restarting->Add(MakeObject("a", 1));
    restarting->Break(MakeError(ErrorReason::kUnexpectedEof));
  }
  source.OnList(Page({}, "10"));
  watch = source.OnWatch();
  Start();

  expire_after(seconds(3599));
  source.OnList(Page({}, "20"));
  watch = source.OnWatch();
  EXPECT_EQ(Request(4), "LIST rv=15") << "before the hour has passed";

  expire_after(seconds(200));
  source.OnWatch()->Break(MakeError(ErrorReason::kUnexpectedEof));
  source.OnList(Page({}, "30"));
  watch = source.OnWatch();
  EXPECT_EQ(Request(6), "WATCH rv=15 initialEvents match=NotOlderThan bookmarks timeout=300");
  EXPECT_EQ(Request(7), "LIST rv=15") << "one failure is enough after a fallback";

  expire_after(seconds(3600));
  watch = source.OnWatch();
  watch->Bookmark("40", /*initial_events_end=*/true);
  ASSERT_TRUE(source.WaitForRequests(10));
  ASSERT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(reflector->Status().list_mode, "WATCH-LIST");
  EXPECT_EQ(source.Requests().size(), 10U);
}

TEST_F(ReflectorWatchListTest, ListsOnceAfterAnyOtherError) {
  std::size_t requests = 0;
  std::vector<int> delays = {800, 1600, 3200, 6400};
  for (const auto reason : {ErrorReason::kForbidden, ErrorReason::kNotFound,
                            ErrorReason::kInternalError, ErrorReason::kUnexpectedEof}) {
    source.OnWatchError(MakeError(reason));
    source.OnList(FailedPage(MakeError(reason)));
  }
  Start();

  for (const int delay : delays) {
    EXPECT_EQ(Request(requests), kFirst);
    EXPECT_EQ(Request(requests + 1), kFirstPage);
    requests += 2;
    ASSERT_TRUE(PassBackoff(requests, milliseconds(delay)));
  }
  EXPECT_EQ(Request(requests), kFirst) << "it did not try again";
  EXPECT_THAT(metrics.fallbacks.lines(),
              ElementsAre("Forbidden", "NotFound", "InternalError", "UnexpectedEOF"));
}

TEST_F(ReflectorWatchListTest, ListsOnceAfterErrorOrInvalidBytesInStream) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("z", 9));
  watch->SendError(MakeError(ErrorReason::kStoreReadError, 500));
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  source.OnWatch()->Break(MakeError(ErrorReason::kDecode));
  source.OnList(Page({}, "10"));
  Start();

  ASSERT_TRUE(PassBackoff(2, milliseconds(800)));

  ASSERT_EQ(Request(4), "WATCH rv=10 bookmarks timeout=300");
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10"));
  EXPECT_THAT(metrics.fallbacks.lines(), ElementsAre("StoreReadError", "Decode"));
}

TEST_F(ReflectorWatchListTest, ListsForAnHourAfterSilenceWithoutEndBookmark) {
  const auto watch = source.OnWatch();
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
  Start();
  ASSERT_TRUE(watch->WaitUntilRead());

  ASSERT_TRUE(Pass(seconds(19)));
  watch->Add(MakeObject("z", 9));  // not silent: 20 s more
  ASSERT_TRUE(watch->WaitUntilRead());
  ASSERT_TRUE(Pass(seconds(19)));
  EXPECT_THAT(source.Requests(), ElementsAre(kFirst));
  ASSERT_TRUE(Pass(seconds(1)));

  EXPECT_EQ(Request(1), kFirstPage);
  EXPECT_EQ(Request(2), "WATCH rv=10 bookmarks timeout=300");
  EXPECT_EQ(Request(3), "LIST rv=10");
  EXPECT_THAT(metrics.fallbacks.lines(), ElementsAre("NoBookmark"));
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1"));
}

TEST_F(ReflectorWatchListTest, ListsOnceWithoutResponse) {
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  Start();
  ASSERT_EQ(Request(0), kFirst);

  ASSERT_TRUE(Pass(seconds(20)));

  EXPECT_EQ(Request(1), kFirstPage);
  ASSERT_TRUE(Pass(milliseconds(800)));
  EXPECT_EQ(Request(2), kFirst);
  EXPECT_THAT(metrics.fallbacks.lines(), ElementsAre("NoAnswer"));
}

TEST_F(ReflectorWatchListTest, RunsNoTimerAfterSync) {
  const auto watch = Sync();

  EXPECT_FALSE(clock.HasWaiters());
  clock.Step(std::chrono::minutes(5));
  watch->Bookmark("11");
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_THAT(source.Requests(), ElementsAre(kFirst));
}

TEST_F(ReflectorWatchListTest, ListsOnceAfterVeryShortStream) {
  source.OnWatch()->Close();
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  Start();

  EXPECT_EQ(Request(1), kFirstPage);
  ASSERT_TRUE(Pass(milliseconds(800)));
  EXPECT_EQ(Request(2), kFirst);
  EXPECT_THAT(metrics.fallbacks.lines(), ElementsAre("VeryShortWatch"));
}

TEST_F(ReflectorWatchListTest, WaitsAndRepeatsWatchListAfterOverload) {
  source.OnWatchError(MakeError(ErrorReason::kConnectionRefused));
  source.OnWatchError(MakeError(ErrorReason::kTooManyRequests, 429));
  Start();

  ASSERT_TRUE(PassBackoff(1, milliseconds(800)));
  ASSERT_TRUE(PassBackoff(2, milliseconds(1600)));

  ASSERT_TRUE(source.WaitForRequests(3));
  EXPECT_THAT(source.Requests(), ElementsAre(kFirst, kFirst, kFirst));
}

TEST_F(ReflectorWatchListTest, RepeatsWithoutVersionAtOnceWhenVersionIsUnavailable) {
  for (const Error& error : {MakeError(ErrorReason::kExpired, 410), TooLarge()}) {
    Stop();
    const std::size_t before = source.Requests().size();
    const auto watch = Sync();
    const auto restarted = source.OnWatch();
    restarted->SendError(error);
    const auto fresh = source.OnWatch();
    fresh->Bookmark("30", /*initial_events_end=*/true);

    watch->SendError(MakeError(ErrorReason::kInternalError, 500));
    ASSERT_TRUE(Pass(milliseconds(800)));

    EXPECT_EQ(Request(before + 1),
              "WATCH rv=10 initialEvents match=NotOlderThan bookmarks timeout=300");
    EXPECT_EQ(Request(before + 2), kFirst);
    ASSERT_TRUE(fresh->WaitUntilRead());
    EXPECT_EQ(reflector->Status().resource_version, "30");
  }
}

TEST_F(ReflectorWatchListTest, ListsWhenUnavailableWithoutVersion) {
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
  Start();

  EXPECT_EQ(Request(1), kFirstPage);
}

TEST_F(ReflectorWatchListTest, StopsBeforeEndBookmark) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("a", 1));
  Start();
  ASSERT_TRUE(watch->WaitUntilRead());

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_THAT(store.record.lines(), IsEmpty());
  EXPECT_THAT(metrics.fallbacks.lines(), IsEmpty());
  EXPECT_FALSE(clock.HasWaiters());
}

}  // namespace
}  // namespace capstan::cache

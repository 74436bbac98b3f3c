// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector_testing.h"

namespace clientgo::cache {
namespace {

constexpr char kFirstList[] = "LIST rv=0 limit=500";
constexpr char kWatchAt10[] = "WATCH rv=10 bookmarks timeout=300";

// Starts from a store that holds a=1, listed at version 10.
struct ReflectorWatchTest : ReflectorFixture {
  ReflectorWatchTest() { source.OnList(Page({MakeObject("a", 1)}, "10")); }
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/false)); }
  // The first watch, read up to its end so far.
  void Start(const std::shared_ptr<testing::FakeWatch>& watch) {
    Start();
    ASSERT_TRUE(watch->WaitUntilRead());
  }
};

TEST_F(ReflectorWatchTest, AppliesEveryEventAndFollowsTheVersions) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("b", 11));
  watch->Modify(MakeObject("a", 12));
  watch->Bookmark("15");
  watch->Delete(MakeObject("b", 16));
  Start(watch);

  EXPECT_THAT(store.record.Lines(),
              ElementsAre("replace @10 ns/a=1", "upsert ns/b=11", "upsert ns/a=12", "bookmark @15",
                          "delete ns/b=16"));
  EXPECT_EQ(reflector->Status().resource_version, "16");
  EXPECT_EQ(reflector->Status().state, ReflectorState::kWatching);
  EXPECT_EQ(reflector->Status().objects_received, 5U);
}

TEST_F(ReflectorWatchTest, AnOldVersionIsNotIgnoredForVersionsHaveNoOrder) {
  const auto watch = source.OnWatch();
  watch->Modify(MakeObject("a", 50));
  watch->Delete(MakeObject("a", 7));
  watch->Close();
  Start();

  EXPECT_EQ(Request(2), "WATCH rv=7 bookmarks timeout=300");
  EXPECT_EQ(store.GetByKey("ns/a"), nullptr);
}

TEST_F(ReflectorWatchTest, ResumesACleanCloseFromTheLastBookmarkWithoutAListOrADelay) {
  const auto watch = source.OnWatch();
  watch->Add(MakeObject("b", 11));
  watch->Bookmark("90");
  Start(watch);

  clock.Step(std::chrono::minutes(6));
  watch->Close();

  EXPECT_EQ(Request(2), "WATCH rv=90 bookmarks timeout=300");
}

TEST_F(ReflectorWatchTest, ABrokenConnectionIsResumedLikeACleanClose) {
  for (const auto reason : {ErrorReason::kUnexpectedEof, ErrorReason::kTransport}) {
    const auto watch = source.OnWatch();
    watch->Bookmark("20");
    watch->Break(MakeError(reason));
  }
  Start();

  EXPECT_EQ(Request(3), "WATCH rv=20 bookmarks timeout=300");
  EXPECT_EQ(source.Requests()[2], "WATCH rv=20 bookmarks timeout=300");
  EXPECT_FALSE(reflector->Status().last_error);
  EXPECT_THAT(metrics.errors.Lines(), ElementsAre("UnexpectedEOF", "Transport"));
}

TEST_F(ReflectorWatchTest, VeryShortWatchesListEachTimeWithGrowingDelays) {
  std::vector<std::string> expected = {kFirstList, kWatchAt10};
  for (int i = 0; i < 8; ++i) {
    source.OnWatch()->Close();
    source.OnList(Page({}, "10"));
  }
  Start();

  // With the jitter a delay is up to twice as long: 30 to 60 s from the seventh on.
  for (const int delay : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    clock.Step(milliseconds(delay - 1));
    ASSERT_TRUE(clock.BlockUntilWaiters()) << "it did not wait for " << delay << " ms";
    EXPECT_EQ(source.Requests(), expected);
    clock.Step(milliseconds(1));
    expected.insert(expected.end(), {"LIST rv=10", kWatchAt10});
    ASSERT_TRUE(source.WaitForRequests(expected.size()));
  }
  EXPECT_EQ(source.Requests(), expected);
  EXPECT_EQ(metrics.errors.Lines(), std::vector<std::string>(8, "VeryShortWatch"));
}

TEST_F(ReflectorWatchTest, AWatchIsAsOldAsItsRequest) {
  Start();
  ASSERT_EQ(Request(1), kWatchAt10);

  clock.Step(seconds(2));  // a proxy holds the response back
  source.OnWatch()->Close();

  EXPECT_EQ(Request(2), kWatchAt10);
}

TEST_F(ReflectorWatchTest, ABookmarkIsAnEventSoThatItsWatchIsNotVeryShort) {
  const auto watch = source.OnWatch();
  watch->Bookmark("11");
  watch->Close();
  Start();

  EXPECT_EQ(Request(2), "WATCH rv=11 bookmarks timeout=300");
}

TEST_F(ReflectorWatchTest, ARefusedWatchIsAskedForAgainWithoutAList) {
  source.OnWatchError(MakeError(ErrorReason::kConnectionRefused));
  source.OnWatchError(MakeError(ErrorReason::kTooManyRequests, 429));
  source.OnWatchError({.http_code = 429, .message = "Too many requests, please try again later."});
  source.OnWatchError(MakeError(ErrorReason::kUnexpectedEof));
  Start();

  for (const int delay : {800, 1600, 3200, 6400}) ASSERT_TRUE(Pass(milliseconds(delay)));

  ASSERT_EQ(Request(5), kWatchAt10);
  EXPECT_THAT(source.Requests(),
              ElementsAre(kFirstList, kWatchAt10, kWatchAt10, kWatchAt10, kWatchAt10, kWatchAt10));
}

TEST_F(ReflectorWatchTest, AWatchThatNobodyAnswersIsAskedForAgainWithoutAList) {
  const std::vector reasons = {ErrorReason::kUnexpectedEof, ErrorReason::kNoSuchHost,
                               ErrorReason::kProxy, ErrorReason::kCertificate,
                               ErrorReason::kTransport};
  for (const auto reason : reasons) source.OnWatchError(MakeError(reason));
  Start();

  for (const int delay : {800, 1600, 3200, 6400, 12800}) ASSERT_TRUE(Pass(milliseconds(delay)));

  ASSERT_EQ(Request(6), kWatchAt10);
  EXPECT_THAT(source.Requests(), ElementsAre(kFirstList, kWatchAt10, kWatchAt10, kWatchAt10,
                                             kWatchAt10, kWatchAt10, kWatchAt10));
}

TEST_F(ReflectorWatchTest, TooManyRequestsWithinTheStreamWaitsAndWatchesAgain) {
  const auto watch = source.OnWatch();
  watch->Bookmark("12");
  watch->SendError(MakeError(ErrorReason::kTooManyRequests, 429));
  Start();

  ASSERT_TRUE(Pass(milliseconds(800)));

  EXPECT_EQ(Request(2), "WATCH rv=12 bookmarks timeout=300");
}

TEST_F(ReflectorWatchTest, AnyOtherRefusalOfAWatchListsAgain) {
  const std::vector<util::Error> errors = {MakeError(ErrorReason::kForbidden, 403),
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

TEST_F(ReflectorWatchTest, AnErrorEventKeepsTheStoreAndListsAtTheLastVersion) {
  const std::vector<util::Error> errors = {MakeError(ErrorReason::kStoreReadError, 500),
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

TEST_F(ReflectorWatchTest, GarbageInTheStreamListsAgainAndAdvancesNothing) {
  const auto watch = source.OnWatch();
  watch->Bookmark("12");
  watch->Break(MakeError(ErrorReason::kDecode));
  Start();

  ASSERT_TRUE(Pass(milliseconds(800)));

  EXPECT_EQ(Request(2), "LIST rv=12");
  EXPECT_THAT(metrics.errors.Lines(), ElementsAre("Decode"));
}

TEST_F(ReflectorWatchTest, WhatCannotBeUnderstoodIsSkippedAndItsVersionKept) {
  const auto watch = source.OnWatch();
  watch->Send({.type = runtime::EventType::kUnknown, .resource_version = "20"});
  watch->Send({.type = runtime::EventType::kModified,
               .resource_version = "21",
               .error = MakeError(ErrorReason::kDecode)});
  Start(watch);

  EXPECT_EQ(reflector->Status().resource_version, "21");
  EXPECT_THAT(store.record.Lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_THAT(metrics.errors.Lines(), ElementsAre("UnknownEventType", "Decode"));
}

TEST_F(ReflectorWatchTest, TheTimeoutIsSpreadOverTwiceTheMinimum) {
  auto options = Options(/*watch_list=*/false);
  options.random = [] { return 0.75; };
  ReflectorFixture::Start(std::move(options));

  EXPECT_EQ(Request(1), "WATCH rv=10 bookmarks timeout=525");
}

TEST_F(ReflectorWatchTest, StopsWhileAWatchIsSilentOrBeingOpened) {
  const auto watch = source.OnWatch();
  Start(watch);
  watch->Bookmark("11");
  watch->Close();
  ASSERT_EQ(Request(2), "WATCH rv=11 bookmarks timeout=300");  // hangs

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_THAT(metrics.errors.Lines(), IsEmpty());
  EXPECT_THAT(metrics.watches.Lines(), ElementsAre("secrets"));
}

using ReflectorUnversionedWatchTest = ReflectorFixture;

TEST_F(ReflectorUnversionedWatchTest, SyntheticAddsAreNoVersionToResumeFrom) {
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
              ElementsAre(kFirstList, "WATCH bookmarks timeout=300", "WATCH bookmarks timeout=300",
                          "WATCH rv=13 bookmarks timeout=300"));
}

}  // namespace
}  // namespace clientgo::cache

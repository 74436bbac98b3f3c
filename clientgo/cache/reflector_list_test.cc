// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector_testing.h"

namespace clientgo::cache {
namespace {

struct ReflectorListTest : ReflectorFixture {
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/false)); }
  // Brings it to a synced watch at version 10 that holds a=1, and then makes that watch expire.
  void ExpireFirstWatch() {
    source.OnList(Page({MakeObject("a", 1)}, "10"));
    source.OnWatch()->SendError(MakeError(ErrorReason::kExpired, 410));
    Start();
    ASSERT_TRUE(source.WaitForRequests(3));
  }
  std::vector<std::string> RequestsAfterTheFirstWatch(std::size_t count) {
    EXPECT_TRUE(source.WaitForRequests(2 + count));
    auto requests = source.Requests();
    requests.erase(requests.begin(), requests.begin() + 2);
    return requests;
  }
};

TEST_F(ReflectorListTest, ListsAnyVersionFirstAndWatchesFromTheListsVersion) {
  source.OnList(Page({MakeObject("a", 1), MakeObject("b", 2)}, "10"));

  Start();

  ASSERT_TRUE(source.WaitForRequests(2));
  EXPECT_THAT(source.Requests(),
              ElementsAre("LIST rv=0 limit=500", "WATCH rv=10 bookmarks timeout=300"));
  EXPECT_THAT(store.record.Lines(), ElementsAre("replace @10 ns/a=1 ns/b=2"));
  EXPECT_THAT(metrics.lists.Lines(), ElementsAre("ok"));
  EXPECT_EQ(reflector->Status().list_way, "LIST");
  EXPECT_EQ(reflector->Status().resource_version, "10");
}

TEST_F(ReflectorListTest, FurtherPagesSendOnlyTheLimitAndTheToken) {
  source.OnList(Page({MakeObject("a", 1)}, "10", "next1"));
  source.OnList(Page({MakeObject("b", 2)}, "10", "next2"));
  source.OnList(Page({MakeObject("c", 3)}, "10"));

  Start();

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_THAT(source.Requests(),
              ElementsAre("LIST rv=0 limit=500", "LIST limit=500 continue=next1",
                          "LIST limit=500 continue=next2", "WATCH rv=10 bookmarks timeout=300"));
  EXPECT_THAT(store.record.Lines(), ElementsAre("replace @10 ns/a=1 ns/b=2 ns/c=3"));
}

TEST_F(ReflectorListTest, AnExpiredTokenListsInOnePieceAtTheFirstVersion) {
  source.OnList(Page({MakeObject("a", 1)}, "10", "next"));
  source.OnList(FailedPage(MakeError(ErrorReason::kExpired, 410)));
  source.OnList(Page({MakeObject("b", 2), MakeObject("c", 3)}, "12"));

  Start();

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_THAT(source.Requests(), ElementsAre("LIST rv=0 limit=500", "LIST limit=500 continue=next",
                                             "LIST rv=0", "WATCH rv=12 bookmarks timeout=300"));
  EXPECT_THAT(store.record.Lines(), ElementsAre("replace @12 ns/b=2 ns/c=3"));
}

TEST_F(ReflectorListTest, RelistsAtTheLastVersionWithoutLimitSoThatTheWatchCacheAnswers) {
  ExpireFirstWatch();

  EXPECT_THAT(RequestsAfterTheFirstWatch(1), ElementsAre("LIST rv=10"));
}

TEST_F(ReflectorListTest, RelistsInPagesOnceTheServerShowedThatItHasNoWatchCache) {
  source.OnList(Page({MakeObject("a", 1)}, "10", "next"));
  source.OnList(Page({}, "10"));
  source.OnWatch()->SendError(MakeError(ErrorReason::kGone, 410));
  Start();

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_EQ(source.Requests()[3], "LIST rv=10 limit=500");
}

TEST_F(ReflectorListTest, AnExpiredRelistAsksWithoutAVersionAtOnce) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));  // as the HTTP status
  source.OnList(FailedPage(MakeError(ErrorReason::kExpired, 410)));
  source.OnList(Page({MakeObject("a", 5)}, "20"));
  Start();

  EXPECT_THAT(RequestsAfterTheFirstWatch(3),
              ElementsAre("LIST rv=10", "LIST limit=500", "WATCH rv=20 bookmarks timeout=300"));
}

TEST_F(ReflectorListTest, ATooLargeVersionAsksWithoutAVersionAtOnce) {
  ExpireFirstWatch();
  source.OnList(FailedPage(TooLarge()));
  source.OnList(Page({MakeObject("a", 5)}, "7"));

  EXPECT_THAT(RequestsAfterTheFirstWatch(3),
              ElementsAre("LIST rv=10", "LIST limit=500", "WATCH rv=7 bookmarks timeout=300"));
}

TEST_F(ReflectorListTest, AsksWithoutAVersionOnlyOnceAtOnceAndUntilItSucceeds) {
  ExpireFirstWatch();
  for (int i = 0; i < 3; ++i) {
    source.OnList(FailedPage(MakeError(ErrorReason::kExpired, 410)));
  }

  EXPECT_THAT(RequestsAfterTheFirstWatch(2), ElementsAre("LIST rv=10", "LIST limit=500"));
  ASSERT_TRUE(Pass(milliseconds(800)));
  // The wait was taken, so "at once" was once; and the version is still not asked for.
  EXPECT_THAT(RequestsAfterTheFirstWatch(4),
              ElementsAre("LIST rv=10", "LIST limit=500", "LIST limit=500", "LIST limit=500"));
}

TEST_F(ReflectorListTest, AFailingListIsRetriedWithGrowingDelaysForEver) {
  for (int i = 0; i < 8; ++i) source.OnList(FailedPage(MakeError(ErrorReason::kForbidden, 403)));
  Start();

  std::size_t requests = 1;
  for (const int delay : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    EXPECT_EQ(reflector->Status().state, ReflectorState::kBackoff);
    clock.Step(milliseconds(delay - 1));
    EXPECT_EQ(source.Requests().size(), requests);
    clock.Step(milliseconds(1));
    ASSERT_TRUE(source.WaitForRequests(++requests)) << "after " << delay << " ms";
  }
  ASSERT_TRUE(reflector->Status().last_error);
  EXPECT_EQ(reflector->Status().last_error->message, "failed to list secrets: Forbidden");
  EXPECT_THAT(store.record.Lines(), IsEmpty());
  EXPECT_EQ(metrics.errors.Lines(), std::vector<std::string>(8, "Forbidden"));
}

TEST_F(ReflectorListTest, PermissionGrantedLaterSyncsByItself) {
  source.OnList(FailedPage(MakeError(ErrorReason::kForbidden, 403)));
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  Start();

  ASSERT_TRUE(Pass(milliseconds(800)));

  ASSERT_TRUE(source.WaitForRequests(3));
  EXPECT_THAT(store.record.Lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_FALSE(reflector->Status().last_error);
}

TEST_F(ReflectorListTest, AListThatBreaksMidWayLeavesTheStoreUntouched) {
  ExpireFirstWatch();
  source.OnList({.items = {MakeObject("b", 2)}, .error = MakeError(ErrorReason::kUnexpectedEof)});

  ASSERT_TRUE(source.WaitForRequests(3));
  ASSERT_TRUE(clock.BlockUntilWaiters());

  EXPECT_THAT(store.record.Lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_NE(store.GetByKey("ns/a"), nullptr);
}

TEST_F(ReflectorListTest, AnUnchangedObjectKeepsItsIdentityOverARelist) {
  ExpireFirstWatch();
  const auto before = store.GetByKey("ns/a");

  source.OnList(Page({MakeObject("a", 1)}, "20"));

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_EQ(store.GetByKey("ns/a"), before);
}

TEST_F(ReflectorListTest, TheDelayStartsOverAfterTwoQuietMinutes) {
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  source.OnList(Page({}, "10"));
  const auto watch = source.OnWatch();
  Start();
  ASSERT_TRUE(Pass(milliseconds(800)));
  ASSERT_TRUE(Pass(milliseconds(1600)));
  ASSERT_TRUE(watch->WaitUntilRead());

  clock.Step(seconds(121));
  watch->SendError(MakeError(ErrorReason::kInternalError, 500));

  ASSERT_TRUE(Pass(milliseconds(800)));
  EXPECT_TRUE(source.WaitForRequests(5)) << "the delay did not start over";
}

TEST_F(ReflectorListTest, StopsDuringAListThatHangsAndTellsItsProgressMeanwhile) {
  source.OnList({.items = {MakeObject("a", 1), MakeObject("b", 2)}, .hang = true});
  Start();
  ASSERT_TRUE(source.WaitForHanging());

  EXPECT_EQ(reflector->Status().objects_received, 2U);
  EXPECT_EQ(reflector->Status().state, ReflectorState::kInitialList);
  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_THAT(store.record.Lines(), IsEmpty());
  EXPECT_FALSE(reflector->Status().last_error);
}

TEST_F(ReflectorListTest, StopsDuringABackoff) {
  source.OnList(FailedPage(MakeError(ErrorReason::kConnectionRefused)));
  Start();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_EQ(source.Requests().size(), 1U);
}

}  // namespace
}  // namespace clientgo::cache

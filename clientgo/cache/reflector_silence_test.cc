// SPDX-License-Identifier: Apache-2.0
// Servers that hang: a watch without its bookmarks, a watch or a list without an answer.
#include "clientgo/cache/reflector_testing.h"

namespace clientgo::cache {
namespace {

constexpr char kFirstList[] = "LIST rv=0 limit=500";
constexpr char kWatchAt30[] = "WATCH rv=30 bookmarks timeout=300";

struct ReflectorSilenceTest : ReflectorFixture {
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/false)); }
  // A watch on which two bookmarks have come, a minute apart; the last one is of version 30.
  std::shared_ptr<testing::FakeWatch> StartWithBookmarks() {
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

TEST_F(ReflectorSilenceTest, ReopensAWatchThatMissesTwoBookmarksWithoutAListOrADelay) {
  StartWithBookmarks();
  const auto reopened = source.OnWatch();

  clock.Step(seconds(129));
  EXPECT_EQ(source.Requests().size(), 2U);
  clock.Step(seconds(1));

  EXPECT_EQ(Request(2), kWatchAt30);
  reopened->Modify(MakeObject("a", 31));
  ASSERT_TRUE(reopened->WaitUntilRead());
  EXPECT_THAT(store.record.Lines(),
              ElementsAre("replace @10 ns/a=1", "bookmark @20", "bookmark @30", "upsert ns/a=31"));
  EXPECT_THAT(metrics.errors.Lines(), ElementsAre("Silent"));
  EXPECT_FALSE(reflector->Status().last_error);
}

TEST_F(ReflectorSilenceTest, AWatchWithoutBookmarksMayBeQuiet) {
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

TEST_F(ReflectorSilenceTest, AWatchWithoutAnAnswerIsRepeatedWithTwiceTheTimeAndWithoutAList) {
  StartWithBookmarks();
  clock.Step(seconds(130));
  ASSERT_EQ(Request(2), kWatchAt30);  // hangs

  ASSERT_TRUE(Pass(seconds(30)));
  ASSERT_TRUE(PassBackoff(3, milliseconds(800)));
  ASSERT_EQ(Request(3), kWatchAt30);  // hangs
  ASSERT_TRUE(Pass(seconds(59)));
  EXPECT_EQ(source.Requests().size(), 4U);
  ASSERT_TRUE(Pass(seconds(1)));
  ASSERT_TRUE(PassBackoff(4, milliseconds(1600)));

  EXPECT_EQ(Request(4), kWatchAt30);
  const auto answered = source.OnWatch();
  EXPECT_TRUE(answered->WaitUntilRead());
  EXPECT_THAT(metrics.lists.Lines(), ElementsAre("ok"));
  EXPECT_THAT(metrics.errors.Lines(),
              ElementsAre("Silent", "DeadlineExceeded", "DeadlineExceeded"));
}

TEST_F(ReflectorSilenceTest, AListMayTakeLongerThanThirtySeconds) {
  Start();
  ASSERT_EQ(Request(0), kFirstList);
  ASSERT_TRUE(Pass(seconds(64)));

  source.OnList(Page({MakeObject("a", 1)}, "10"));

  EXPECT_EQ(Request(1), "WATCH rv=10 bookmarks timeout=300");
  EXPECT_THAT(metrics.lists.Lines(), ElementsAre("ok"));
}

TEST_F(ReflectorSilenceTest, AListWithoutAnAnswerIsRepeatedWithTwiceTheTime) {
  Start();
  ASSERT_EQ(Request(0), kFirstList);

  ASSERT_TRUE(Pass(seconds(65)));
  ASSERT_TRUE(PassBackoff(1, milliseconds(800)));
  ASSERT_EQ(Request(1), kFirstList);
  ASSERT_TRUE(Pass(seconds(129)));
  source.OnList(Page({MakeObject("a", 1)}, "10"));

  EXPECT_EQ(Request(2), "WATCH rv=10 bookmarks timeout=300");
  EXPECT_THAT(metrics.lists.Lines(), ElementsAre("failed", "ok"));
}

}  // namespace
}  // namespace clientgo::cache

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/bookmark_monitor.h"

#include <gtest/gtest.h>

namespace clientgo::cache {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using TimePoint = BookmarkMonitor::TimePoint;

constexpr auto kForEver = BookmarkMonitor::Duration::max();

struct BookmarkMonitorTest : ::testing::Test {
  BookmarkMonitorTest() { monitor.OnOpened(now); }
  void Bookmark(seconds after) {
    now += after;
    monitor.OnEvent(now, /*is_bookmark=*/true);
  }
  // How long the watch may be silent from now on.
  seconds Allowed() const { return std::chrono::duration_cast<seconds>(monitor.Allowed(now)); }
  TimePoint now = TimePoint(minutes(1000));
  BookmarkMonitor monitor;
};

TEST_F(BookmarkMonitorTest, AServerThatSendsNoBookmarksMayBeSilentForEver) {
  EXPECT_EQ(monitor.Allowed(now), kForEver);
  monitor.OnEvent(now, /*is_bookmark=*/false);
  monitor.OnEvent(now + minutes(1), /*is_bookmark=*/false);
  EXPECT_EQ(monitor.Allowed(now), kForEver);
}

TEST_F(BookmarkMonitorTest, OneBookmarkProvesNothing) {
  Bookmark(seconds(60));

  EXPECT_EQ(monitor.Allowed(now), kForEver);
}

TEST_F(BookmarkMonitorTest, AfterTwoBookmarksTwoMayBeMissing) {
  Bookmark(seconds(60));
  Bookmark(seconds(61));

  EXPECT_EQ(Allowed(), seconds(2 * 61 + 10));
}

TEST_F(BookmarkMonitorTest, NeverExpectsBookmarksMoreOftenThanOnceAMinute) {
  Bookmark(seconds(1));
  Bookmark(seconds(1));

  EXPECT_EQ(Allowed(), seconds(130));
}

TEST_F(BookmarkMonitorTest, AServerWithALongerIntervalGetsMoreTimeUpToFiveMinutesEach) {
  Bookmark(seconds(90));
  Bookmark(seconds(90));
  EXPECT_EQ(Allowed(), seconds(190));

  Bookmark(std::chrono::hours(3));  // this process was suspended
  EXPECT_EQ(Allowed(), seconds(610));
}

TEST_F(BookmarkMonitorTest, AnyEventShowsThatTheServerIsThere) {
  Bookmark(seconds(60));
  Bookmark(seconds(60));
  now += seconds(100);

  monitor.OnEvent(now, /*is_bookmark=*/false);

  EXPECT_EQ(Allowed(), seconds(130));
}

TEST_F(BookmarkMonitorTest, TheNextWatchOfAServerThatSendsBookmarksIsJudgedFromItsBeginning) {
  Bookmark(seconds(60));
  Bookmark(seconds(60));
  now += minutes(4);

  monitor.OnOpened(now);

  EXPECT_EQ(Allowed(), seconds(130));
  Bookmark(seconds(1));
  EXPECT_EQ(Allowed(), seconds(130)) << "the time between two watches is no interval";
}

TEST_F(BookmarkMonitorTest, ASilentServerThatAnswersIsReopenedMoreAndMoreSeldom) {
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
}  // namespace clientgo::cache

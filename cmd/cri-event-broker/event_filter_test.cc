// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/event_filter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "clientgo/testing/fake_clock.h"

namespace cmd::cri_event_broker {
namespace {

using clientgo::testing::FakeClock;
using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr int kCreated = 0;
constexpr int kStarted = 1;
constexpr int kStopped = 2;
constexpr int kDeleted = 3;

class EventFilterTest : public ::testing::Test {
 protected:
  std::int64_t At(nanoseconds after_now) const {
    return duration_cast<nanoseconds>(clock_.WallNow().time_since_epoch() + after_now).count();
  }

  FakeClock clock_;
  EventMailbox mailbox_;
  EventFilter filter_{clock_, mailbox_};
};

TEST_F(EventFilterTest, OnlyCreatedAndDeletedCount) {
  for (const int type : {kCreated, kStarted, kStopped, kDeleted, 7, -1,
                         std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    filter_.OnEvent(type, At(seconds(0)));
  }

  const auto batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 1U);
  EXPECT_EQ(batch.deleted, 1U);
  EXPECT_FALSE(batch.full_pass);
}

TEST_F(EventFilterTest, AnEmptyMessageIsACreated) {
  filter_.OnEvent(0, 0);

  EXPECT_EQ(mailbox_.Take().created, 1U);
}

TEST_F(EventFilterTest, EventsWithoutATimeOrOfTheFutureAreNew) {
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{-1}, At(hours(1)), std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    filter_.OnEvent(kDeleted, time);
  }

  const auto batch = mailbox_.Take();
  EXPECT_EQ(batch.deleted, 5U);
  EXPECT_FALSE(batch.full_pass);
}

TEST_F(EventFilterTest, FiveSecondsOldIsNewAndMoreIsAReplay) {
  filter_.OnEvent(kCreated, At(-seconds(5)));
  auto batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 1U);
  EXPECT_FALSE(batch.full_pass);

  filter_.OnEvent(kCreated, At(-milliseconds(5001)));
  batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 0U);
  EXPECT_TRUE(batch.full_pass);
}

TEST_F(EventFilterTest, ABacklogOfFiveMinutesIsOneFullPass) {
  int passes = 0;
  for (int i = 300; i > 5; --i) {
    filter_.OnEvent(i % 2 == 0 ? kCreated : kDeleted, At(-seconds(i)));
    const auto batch = mailbox_.Take();
    passes += batch.full_pass ? 1 : 0;
    EXPECT_EQ(batch.created + batch.deleted, 0U);
  }

  EXPECT_EQ(passes, 1);
}

TEST_F(EventFilterTest, EventsThatAreAlwaysLateStillWakeTheLoop) {
  int passes = 0;
  for (int i = 0; i < 60; ++i) {  // a minute, one a second, each ten seconds late
    filter_.OnEvent(kCreated, At(-seconds(10)));
    passes += mailbox_.Take().full_pass ? 1 : 0;
    clock_.Step(seconds(1));
  }

  EXPECT_EQ(passes, 12);
}

TEST_F(EventFilterTest, TheSameEventTwiceAndDeletedFirstAreJustCounted) {
  filter_.OnEvent(kDeleted, At(seconds(0)));
  filter_.OnEvent(kCreated, At(-seconds(1)));
  filter_.OnEvent(kCreated, At(-seconds(1)));

  const auto batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 2U);
  EXPECT_EQ(batch.deleted, 1U);
}

}  // namespace
}  // namespace cmd::cri_event_broker

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/record/event_correlator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "capstan/testing/fake_clock.h"

namespace capstan::record {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::StartsWith;

class EventCorrelatorTest : public ::testing::Test {
 protected:
  std::optional<EventCorrelator::Result> Send(const std::string& object, const std::string& message,
                                              const std::string& reason = "Injected") {
    const std::string number = std::to_string(++sent_);
    return correlator_.Correlate({.name = object + "." + number,
                                  .fields = {.involved_object = {.kind = "Secret",
                                                                 .namespace_ = "ns",
                                                                 .name = object,
                                                                 .uid = "uid-" + object},
                                             .type = "Normal",
                                             .reason = reason,
                                             .message = message,
                                             .first_timestamp = "t" + number,
                                             .last_timestamp = "t" + number}});
  }

  testing::FakeClock clock_;
  EventCorrelator correlator_{clock_};
  int sent_ = 0;
};

TEST_F(EventCorrelatorTest, CombinesEqualEventsIntoOneWithCount) {
  const auto first = Send("a", "same");
  const auto second = Send("a", "same");
  const auto third = Send("a", "same");

  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(first->seen_before);
  EXPECT_EQ(first->event.fields.count, 1);
  EXPECT_TRUE(second->seen_before);
  EXPECT_EQ(second->event.name, "a.1");
  EXPECT_EQ(second->event.fields.count, 2);
  EXPECT_EQ(third->event.name, "a.1");
  EXPECT_EQ(third->event.fields.count, 3);
  EXPECT_EQ(third->event.fields.first_timestamp, "t1");
  EXPECT_EQ(third->event.fields.last_timestamp, "t3");
}

TEST_F(EventCorrelatorTest, KeepsEventsThatDifferInAnyPartSeparate) {
  EXPECT_FALSE(Send("a", "message")->seen_before);
  EXPECT_FALSE(Send("a", "other message")->seen_before);
  EXPECT_FALSE(Send("b", "message")->seen_before);
  EXPECT_FALSE(Send("a", "message", "OtherReason")->seen_before);
}

TEST_F(EventCorrelatorTest, CombinesSimilarEventsFromTheTenthMessage) {
  for (int i = 1; i <= 9; ++i) {
    const auto own = Send("a", "message " + std::to_string(i));
    ASSERT_TRUE(own);
    EXPECT_FALSE(own->seen_before);
    EXPECT_EQ(own->event.fields.message, "message " + std::to_string(i));
  }

  const auto tenth = Send("a", "message 10");
  const auto eleventh = Send("a", "message 11");
  const auto known = Send("a", "message 3");

  ASSERT_TRUE(tenth && eleventh && known);
  EXPECT_FALSE(tenth->seen_before);
  EXPECT_EQ(tenth->event.fields.message, "(combined from similar events): message 10");
  EXPECT_TRUE(eleventh->seen_before);
  EXPECT_EQ(eleventh->event.name, tenth->event.name);
  EXPECT_EQ(eleventh->event.fields.count, 2);
  EXPECT_EQ(eleventh->event.fields.message, "(combined from similar events): message 11");
  EXPECT_TRUE(known->seen_before);
  EXPECT_EQ(known->event.name, "a.3");
}

TEST_F(EventCorrelatorTest, EndsCombiningAfterTenQuietMinutes) {
  for (int i = 1; i <= 10; ++i) Send("a", "message " + std::to_string(i));

  clock_.Step(minutes(10));
  EXPECT_THAT(Send("a", "after ten minutes")->event.fields.message, StartsWith("(combined"));
  clock_.Step(minutes(10) + seconds(1));

  EXPECT_EQ(Send("a", "after more")->event.fields.message, "after more");
}

TEST_F(EventCorrelatorTest, TruncatesCombinedMessage) {
  for (int i = 1; i <= 9; ++i) Send("a", std::to_string(i));

  const auto combined = Send("a", std::string(kMessageBytesMax, 'x'));

  EXPECT_EQ(combined->event.fields.message.size(), kMessageBytesMax);
}

TEST_F(EventCorrelatorTest, DropsFloodAboutOneObjectOnly) {
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(Send("a", "same")) << i;

  EXPECT_FALSE(Send("a", "same"));
  EXPECT_FALSE(Send("a", "another", "AnotherReason"));
  EXPECT_TRUE(Send("b", "same"));
}

TEST_F(EventCorrelatorTest, AllowsOneEventEachFiveMinutesAfterFlood) {
  for (int i = 0; i < 30; ++i) Send("a", "same");

  clock_.Step(seconds(299));
  EXPECT_FALSE(Send("a", "same"));
  clock_.Step(seconds(1));
  const auto next = Send("a", "same");

  ASSERT_TRUE(next);
  EXPECT_EQ(next->event.fields.count, 32);  // dropped events are counted
  EXPECT_FALSE(Send("a", "same"));
}

TEST_F(EventCorrelatorTest, RemembersTheLast4096Objects) {
  Send("first", "same");
  for (int i = 0; i < 4095; ++i) Send(std::to_string(i), "same");
  EXPECT_TRUE(Send("first", "same")->seen_before);

  for (int i = 0; i < 4096; ++i) Send("more-" + std::to_string(i), "same");
  EXPECT_FALSE(Send("first", "same")->seen_before);
}

constexpr Clock::WallTime kTime{std::chrono::nanoseconds(0x18b4c5d6e7f80912)};

TEST(EventNameTest, ConsistsOfObjectAndTimeInHexNanoseconds) {
  EXPECT_EQ(EventName("my-webhook", kTime), "my-webhook.18b4c5d6e7f80912");
  EXPECT_EQ(EventName("v1.metrics.k8s.io", kTime), "v1.metrics.k8s.io.18b4c5d6e7f80912");
}

TEST(EventNameTest, IsValidForObjectsWithUnsuitableNames) {
  const std::string plain = "event.18b4c5d6e7f80912";
  EXPECT_EQ(EventName(std::string(237, 'a'), kTime), plain);
  EXPECT_EQ(EventName(std::string(236, 'a'), kTime).size(), 253U);
  for (const char* bad : {"system:node", "Upper", "a_b", "-a", "a-", "a..b", ".a", "a.-b", ""}) {
    EXPECT_EQ(EventName(bad, kTime), plain) << bad;
  }
}

TEST(ToPatchTest, ContainsOnlyCountTimeAndMessage) {
  const EventRecord event{.name = "x",
                          .fields = {.reason = "Injected",
                                     .message = "say \"hi\"",
                                     .last_timestamp = "2026-01-02T00:00:00Z",
                                     .count = 7}};

  EXPECT_EQ(ToPatch(event),
            R"({"count":7,"lastTimestamp":"2026-01-02T00:00:00Z","message":"say \"hi\""})");
}

TEST(LruCacheTest, RemovesLeastRecentlyUsedEntry) {
  LruCache<int, std::string> cache(2);
  cache.GetOrAdd(1) = "one";
  cache.GetOrAdd(2) = "two";
  EXPECT_EQ(cache.GetOrAdd(1), "one");  // now 2 is the oldest

  cache.GetOrAdd(3) = "three";

  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.GetOrAdd(1), "one");
  EXPECT_EQ(cache.GetOrAdd(2, "fresh"), "fresh");
}

TEST(LruCacheTest, HoldsNoMoreThanItsSize) {
  LruCache<int, int> cache(10);

  for (int i = 0; i < 1000; ++i) cache.GetOrAdd(i % 37) = i;

  EXPECT_EQ(cache.size(), 10U);
}

}  // namespace
}  // namespace capstan::record

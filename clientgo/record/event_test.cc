// SPDX-License-Identifier: Apache-2.0
#include "clientgo/record/event.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace clientgo::record {
namespace {

constexpr util::Clock::WallTime kTime{std::chrono::nanoseconds(0x18b4c5d6e7f80912)};

TEST(EventNameTest, IsTheObjectAndTheTimeInHexNanoseconds) {
  EXPECT_EQ(EventName("my-webhook", kTime), "my-webhook.18b4c5d6e7f80912");
  EXPECT_EQ(EventName("v1.metrics.k8s.io", kTime), "v1.metrics.k8s.io.18b4c5d6e7f80912");
}

TEST(EventNameTest, IsValidForObjectsWhoseNamesAreNotGoodForIt) {
  const std::string plain = "event.18b4c5d6e7f80912";
  EXPECT_EQ(EventName(std::string(237, 'a'), kTime), plain);
  EXPECT_EQ(EventName(std::string(236, 'a'), kTime).size(), 253U);
  for (const char* bad : {"system:node", "Upper", "a_b", "-a", "a-", "a..b", ".a", "a.-b", ""}) {
    EXPECT_EQ(EventName(bad, kTime), plain) << bad;
  }
}

TEST(TruncateTest, CutsAtTheLimitButNotInsideACharacter) {
  EXPECT_EQ(Truncate("abc", 3), "abc");
  EXPECT_EQ(Truncate("abcd", 3), "abc");
  EXPECT_EQ(Truncate("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(Truncate("ab\xe2\x82\xac!", 4), "ab");
  EXPECT_EQ(Truncate("ab\xe2\x82\xac!", 5), "ab\xe2\x82\xac");
  EXPECT_EQ(Truncate("\x80\x80\x80\x80", 3), "");
}

TEST(ToPatchTest, TellsCountTimeAndMessageAndNothingElse) {
  const EventRecord event{.name = "x",
                          .fields = {.reason = "Injected",
                                     .message = "say \"hi\"",
                                     .last_timestamp = "2026-01-02T00:00:00Z",
                                     .count = 7}};

  EXPECT_EQ(ToPatch(event),
            R"({"count":7,"lastTimestamp":"2026-01-02T00:00:00Z","message":"say \"hi\""})");
}

}  // namespace
}  // namespace clientgo::record

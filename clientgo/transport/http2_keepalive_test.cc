// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http2_keepalive.h"

#include <gtest/gtest.h>

namespace capstan::transport {
namespace {

using Action = Http2Keepalive::Action;
using std::chrono::seconds;

class Http2KeepaliveTest : public ::testing::Test {
 protected:
  Action Due(bool has_streams = true) { return keepalive_.Due(now_, has_streams); }

  Http2Keepalive::TimePoint now_{seconds(1000)};
  Http2Keepalive keepalive_{{.ping_after = seconds(15),
                             .ping_timeout = seconds(15),
                             .idle_timeout = seconds(60),
                             .unresponsive_after = seconds(1)},
                            now_};
};

TEST_F(Http2KeepaliveTest, FindsSilentServerDeadAfterThirtySeconds) {
  EXPECT_EQ(keepalive_.Next(true), now_ + seconds(15));
  now_ += seconds(14);
  EXPECT_EQ(Due(), Action::kNone);
  now_ += seconds(1);
  EXPECT_EQ(Due(), Action::kPing);
  EXPECT_EQ(Due(), Action::kNone) << "one PING only";
  EXPECT_EQ(keepalive_.Next(true), now_ + seconds(15));
  now_ += seconds(15);

  EXPECT_EQ(Due(), Action::kDead);
}

TEST_F(Http2KeepaliveTest, IsUnresponsiveUntilAnyByteAnswersPing) {
  const auto pings = [&] { return keepalive_.PingsAfterSilence(now_, seconds(0), now_); };
  EXPECT_TRUE(pings());
  EXPECT_FALSE(pings()) << "one PING only";
  EXPECT_FALSE(keepalive_.IsUnresponsive(now_));
  now_ += seconds(1);
  EXPECT_TRUE(keepalive_.IsUnresponsive(now_));

  keepalive_.OnBytes(now_);

  EXPECT_FALSE(keepalive_.IsUnresponsive(now_));
}

TEST_F(Http2KeepaliveTest, PingsWhenRequestHasWaitedInSilence) {
  const auto begin = now_;
  const auto pings = [&] { return keepalive_.PingsAfterSilence(begin, seconds(2), now_); };
  now_ += seconds(1);
  keepalive_.OnBytes(now_);
  now_ += seconds(1);
  EXPECT_FALSE(pings()) << "something has arrived a second ago";
  now_ += seconds(1);

  EXPECT_TRUE(pings());
}

TEST_F(Http2KeepaliveTest, AnyByteAnswersPing) {
  now_ += seconds(15);
  ASSERT_EQ(Due(), Action::kPing);
  now_ += seconds(14);
  keepalive_.OnBytes(now_);
  now_ += seconds(14);
  EXPECT_EQ(Due(), Action::kNone);
  now_ += seconds(1);

  EXPECT_EQ(Due(), Action::kPing);
}

TEST_F(Http2KeepaliveTest, DoesNotPingServerThatSends) {
  for (int i = 0; i < 10; ++i) {
    now_ += seconds(10);
    keepalive_.OnBytes(now_);
    EXPECT_EQ(Due(), Action::kNone);
  }
}

TEST_F(Http2KeepaliveTest, ClosesConnectionWithoutStreamsAfterIdleTimeout) {
  now_ += seconds(59);
  EXPECT_EQ(Due(/*has_streams=*/false), Action::kNone);
  now_ += seconds(1);

  EXPECT_EQ(Due(/*has_streams=*/false), Action::kUnused);
}

TEST_F(Http2KeepaliveTest, CountsIdleTimeFromLastStream) {
  now_ += seconds(10);
  EXPECT_EQ(Due(), Action::kNone);
  now_ += seconds(59);
  EXPECT_EQ(Due(/*has_streams=*/false), Action::kNone);
  now_ += seconds(1);

  EXPECT_EQ(Due(/*has_streams=*/false), Action::kUnused);
}

// The server may have died while nobody used the connection.
TEST_F(Http2KeepaliveTest, PingsAtOnceWhenRequestFollowsLongSilence) {
  now_ += seconds(50);

  EXPECT_EQ(Due(), Action::kPing);
}

TEST_F(Http2KeepaliveTest, AwaitsAnswerToPingWithoutStreams) {
  now_ += seconds(15);
  ASSERT_EQ(Due(), Action::kPing);
  now_ += seconds(15);

  EXPECT_EQ(Due(/*has_streams=*/false), Action::kDead);
}

}  // namespace
}  // namespace capstan::transport

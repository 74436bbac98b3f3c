// SPDX-License-Identifier: Apache-2.0
// Delays are a millisecond when an address must be given up, and an hour when it must not be waited
// for.
#include "clientgo/transport/socket.h"

#include <gtest/gtest.h>

#include <future>

#include "clientgo/transport/resolver.h"
#include "clientgo/transport/testing/loopback_server.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

constexpr auto kNever = Clock::TimePoint::max();
constexpr DialOptions kEager{.attempt_delay = std::chrono::milliseconds(1)};
constexpr DialOptions kPatient{.attempt_delay = std::chrono::hours(1)};

TEST(DialerTest, ConnectsToNextAddressWhenFirstOnesDropPackets) {
  const DroppingListener one;
  const DroppingListener two;
  LoopbackServer server(ReplyOk);
  const Endpoint good = Loopback(server.port());

  auto dialed = Dialer().Dial({one.endpoint(), two.endpoint(), good}, kEager, kNever);

  ASSERT_TRUE(dialed.has_value()) << dialed.error().message;
  EXPECT_TRUE(SameAddress(dialed->endpoint, good));
  EXPECT_TRUE(server.AwaitOpen(1));
}

TEST(DialerTest, StartsNextAddressAtOnceWhenOneFails) {
  const Endpoint refuses = Loopback(ClosedPort());
  LoopbackServer server(ReplyOk);

  auto dialed = Dialer().Dial({refuses, refuses, Loopback(server.port())}, kPatient, kNever);

  EXPECT_TRUE(dialed.has_value()) << dialed.error().message;
}

TEST(DialerTest, LeavesSecondAddressAloneWhenFirstAnswers) {
  LoopbackServer first(ReplyOk);
  LoopbackServer second(ReplyOk);

  auto dialed = Dialer().Dial({Loopback(first.port()), Loopback(second.port())}, kPatient, kNever);

  ASSERT_TRUE(dialed.has_value()) << dialed.error().message;
  EXPECT_TRUE(SameAddress(dialed->endpoint, Loopback(first.port())));
  EXPECT_EQ(second.connections(), 0);
}

TEST(DialerTest, ReportsRefusalWhenNoAddressAccepts) {
  const Endpoint refuses = Loopback(ClosedPort());
  Endpoint unreachable = Resolver().Resolve({}, "255.255.255.255", "1").value().front();

  auto dialed = Dialer().Dial({refuses, unreachable}, kPatient, kNever);

  ASSERT_FALSE(dialed.has_value());
  EXPECT_EQ(dialed.error().reason, ErrorReason::kConnectionRefused);
  EXPECT_EQ(dialed.error().message, "connect: connection refused");
}

TEST(DialerTest, GivesUpAtTimeoutOrDeadline) {
  const DroppingListener dropping;
  DialOptions options = kEager;
  options.timeout = std::chrono::milliseconds(30);

  auto at_timeout = Dialer().Dial({dropping.endpoint()}, options, kNever);
  auto at_deadline = Dialer().Dial({dropping.endpoint()}, kEager, ShortDeadline());

  ASSERT_FALSE(at_timeout.has_value() || at_deadline.has_value());
  EXPECT_EQ(at_timeout.error().reason, ErrorReason::kTransport);
  EXPECT_EQ(at_timeout.error().message, "connect: connection timed out");
  EXPECT_EQ(at_deadline.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST(DialerTest, CancelEndsEveryAttempt) {
  const DroppingListener one;
  const DroppingListener two;
  Dialer dialer;
  auto reason = std::async(std::launch::async, [&] {
    return dialer.Dial({one.endpoint(), two.endpoint()}, kEager, kNever).error().reason;
  });

  dialer.Cancel();

  EXPECT_EQ(reason.get(), ErrorReason::kCanceled);
}

}  // namespace
}  // namespace capstan::transport

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/httpserver/newcomers.h"

#include <gtest/gtest.h>

namespace capstan::httpserver {
namespace {

using boost::asio::ip::make_address;

TEST(PeerCountsTest, TakesAnIpv6NetworkForOnePeer) {
  const auto peer = [](const char* text) { return PeerCounts::PeerOf(make_address(text)); };
  EXPECT_EQ(peer("fd00:1:2:3::4"), peer("fd00:1:2:3:ffff::5"));
  EXPECT_NE(peer("fd00:1:2:3::4"), peer("fd00:1:2:4::4"));
  EXPECT_NE(peer("10.0.0.1"), peer("10.0.0.2"));
  EXPECT_EQ(peer("::ffff:10.0.0.1"), peer("10.0.0.1"));
}

TEST(PeerCountsTest, ForgetsPeerWithoutConnections) {
  PeerCounts counts;
  const auto peer = make_address("10.0.0.1");
  counts.Add(peer);
  counts.Add(peer);
  EXPECT_EQ(counts.Of(peer), 2U);
  counts.Remove(peer);
  counts.Remove(peer);
  EXPECT_EQ(counts.Of(peer), 0U);
}

}  // namespace
}  // namespace capstan::httpserver

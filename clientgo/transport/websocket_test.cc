// SPDX-License-Identifier: Apache-2.0
// Tests of the WebSocket beside Boost.Beast's server.
#include "clientgo/transport/websocket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "capstan/transport/http2_transport.h"
#include "clientgo/transport/testing/websocket_server.h"

namespace capstan::transport {
namespace {

using ::testing::HasSubstr;
using Peer = WebSocketServer::Peer;

Expected<std::unique_ptr<WebSocket>> Open(HttpTransport& transport, std::stop_token stop = {}) {
  const WebSocketHandshake handshake({"one", "two"});
  const auto response = transport.RoundTrip(std::move(stop), handshake.Request("/a?b=c"));
  if (!response) return Err(response.error());
  return WebSocket::Open(handshake, **response);
}

std::unique_ptr<HttpTransport> NewClient(const WebSocketServer& server) {
  return *NewHttpTransport(server.ServerConfig());
}

class WebSocketTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Tls, WebSocketTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Tls" : "Plain"; });

TEST_P(WebSocketTest, CarriesMessagesOfEachLengthInBothDirections) {
  const WebSocketServer server(
      "two",
      [](const Peer& peer, const std::string& target) {
        peer.Write(target);
        for (std::string message = peer.Read(); message != "end"; message = peer.Read()) {
          peer.Write(message);
        }
      },
      GetParam());
  const auto client = NewClient(server);
  const auto socket = Open(*client);
  ASSERT_TRUE(socket.has_value()) << socket.error().message;
  EXPECT_EQ((*socket)->protocol(), "two");
  EXPECT_EQ(*(*socket)->Read(Clock::Duration::max()), "/a?b=c");
  for (const std::size_t size : {0U, 1U, 125U, 126U, 65535U, 65536U, 3000000U}) {
    const std::string message(size, 'x');
    // The server also writes while this is sent.
    std::thread writer([&] { EXPECT_TRUE((*socket)->Write(message).has_value()); });
    const auto echoed = (*socket)->Read(Clock::Duration::max());
    writer.join();
    ASSERT_TRUE(echoed.has_value()) << echoed.error().message;
    EXPECT_TRUE(*echoed == message) << size;
  }
  ASSERT_TRUE((*socket)->Write("end").has_value());
  const auto end = (*socket)->Read(Clock::Duration::max());
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(*end, std::nullopt);
}

TEST_P(WebSocketTest, AnswersAPing) {
  const WebSocketServer server(
      "one",
      [](const Peer& peer, const std::string&) {
        bool answered = false;
        const auto serve = [&](auto& stream) {
          stream.control_callback([&](boost::beast::websocket::frame_type type, auto payload) {
            answered = type == boost::beast::websocket::frame_type::pong && payload == "p";
          });
          stream.ping("p");
        };
        peer.plain != nullptr ? serve(*peer.plain) : serve(*peer.tls);
        peer.Write("read me");
        peer.Read();
        peer.Write(answered ? "answered" : "not answered");
      },
      GetParam());
  const auto client = NewClient(server);
  const auto socket = Open(*client);
  ASSERT_TRUE(socket.has_value()) << socket.error().message;
  EXPECT_EQ(*(*socket)->Read(Clock::Duration::max()), "read me");
  ASSERT_TRUE((*socket)->Write("go on").has_value());
  EXPECT_EQ(*(*socket)->Read(Clock::Duration::max()), "answered");
}

TEST_P(WebSocketTest, EndsWithItsCall) {
  const WebSocketServer server(
      "one", [](const Peer& peer, const std::string&) { peer.Read(); }, GetParam());
  const auto client = NewClient(server);
  std::stop_source stop;
  const auto socket = Open(*client, stop.get_token());
  ASSERT_TRUE(socket.has_value()) << socket.error().message;
  std::thread stopper([&] { stop.request_stop(); });
  const auto message = (*socket)->Read(Clock::Duration::max());
  stopper.join();
  ASSERT_FALSE(message.has_value());
  EXPECT_EQ(message.error().reason, ErrorReason::kCanceled);
}

TEST(WebSocketErrorTest, AnAnswerInHttpIsNoWebSocket) {
  const WebSocketServer server("", {});
  const auto client = NewClient(server);
  const WebSocketHandshake handshake({"one"});
  const auto response = client->RoundTrip({}, handshake.Request("/"));
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->status(), 403);
  EXPECT_THAT(std::string(*(*response)->Read()), HasSubstr("no exec for you"));
  EXPECT_FALSE(WebSocket::Open(handshake, **response).has_value());
}

TEST(WebSocketErrorTest, RefusesAProtocolThatWasNotOffered) {
  const WebSocketServer server("three", [](const Peer&, const std::string&) {});
  const auto client = NewClient(server);
  const auto socket = Open(*client);
  ASSERT_FALSE(socket.has_value());
  EXPECT_THAT(socket.error().message, HasSubstr("the server chooses the protocol \"three\""));
}

}  // namespace
}  // namespace capstan::transport

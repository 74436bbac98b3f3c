// SPDX-License-Identifier: Apache-2.0
// What a Server does with more clients than ServerOptions::connections_max: who only holds a
// connection keeps nobody out, and a stream is never ended for a newcomer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <vector>

#include "httpserver/raw_client.h"
#include "httpserver/server.h"

namespace httpserver {
namespace {

using testing::StartsWith;

constexpr std::uint32_t kOtherPeer = (127U << 24U) + 2;
constexpr char kProbe[] = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

// Answers "/livez" at once, "/large" with more than sockets buffer, and keeps the exchanges of
// "/stream".
class ConnectionsMaxTest : public testing::Test {
 protected:
  void Start(std::size_t connections_max) {
    server_ = std::make_unique<Server>(
        ServerOptions{.name = "test-server", .connections_max = connections_max},
        [this](const Request& request, std::shared_ptr<Exchange> exchange) {
          if (request.path == "/stream") {
            exchange->Begin(200, "text/plain");
            exchange->Write("first");
            streams_.push_back(std::move(exchange));
          } else {
            exchange->Respond(200, "text/plain",
                              request.path == "/large" ? std::string(32U << 20U, 'x') : "ok");
          }
        });
    const auto started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }
  // `count` clients of one peer that each sent `bytes`.
  std::vector<std::unique_ptr<RawClient>> Clients(int count, std::string_view bytes,
                                                  std::uint32_t from = INADDR_LOOPBACK) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<RawClient>(server_->port(), 4096, from));
      clients.back()->Send(bytes);
    }
    return clients;
  }
  void ExpectAnswered() {
    RawClient probe(server_->port());
    probe.Send(kProbe);
    EXPECT_THAT(probe.ReadAll(), StartsWith("HTTP/1.1 200 "));
  }
  void EndStream(std::size_t index) {
    std::latch done(1);
    ASSERT_TRUE(server_->Post([&] {
      streams_[index]->End();
      done.count_down();
    }));
    done.wait();
  }

  std::vector<std::shared_ptr<Exchange>> streams_;  // of the server's thread; outlives the server
  std::unique_ptr<Server> server_;
};

TEST_F(ConnectionsMaxTest, AnswersWhileOnePeerHoldsManyIdleConnections) {
  Start(64);
  const auto silent = Clients(100, "");
  const auto idle = Clients(100, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");

  ExpectAnswered();
}

TEST_F(ConnectionsMaxTest, AnswersWhileOnePeerSendsManyRequestsSlowly) {
  Start(64);
  const auto slow = Clients(200, "GET /livez HTTP/1.1\r\nX-Slow: ");
  for (const auto& client : slow) client->Send("x");

  ExpectAnswered();
}

TEST_F(ConnectionsMaxTest, AnswersWhileOnePeerTakesNoAnswer) {
  Start(8);
  const auto greedy = Clients(20, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");

  ExpectAnswered();
}

TEST_F(ConnectionsMaxTest, AnswersAClientThatReconnectsWhenItIsClosed) {
  Start(4);
  for (int round = 0; round < 50; ++round) {
    const auto idle = Clients(8, "");
    ExpectAnswered();
  }
}

TEST_F(ConnectionsMaxTest, ClosesTheConnectionThatWaitedLongest) {
  Start(2);
  RawClient first(server_->port());
  first.Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.ReadAnswer().second, "ok");
  RawClient second(server_->port());
  second.Send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(second.ReadAnswer().second, "ok");
  first.Send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.ReadAnswer().second, "ok");

  ExpectAnswered();

  EXPECT_TRUE(second.ClosedByServer());
  first.Send("GET /4 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.ReadAnswer().second, "ok");
}

TEST_F(ConnectionsMaxTest, ThePeerWithTheMostConnectionsLosesOne) {
  Start(4);
  auto single = Clients(1, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n", kOtherPeer);
  EXPECT_EQ(single[0]->ReadAnswer().second, "ok");
  const auto many = Clients(20, "");

  ExpectAnswered();

  single[0]->Send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(single[0]->ReadAnswer().second, "ok") << "the other peer's connection lives";
}

TEST_F(ConnectionsMaxTest, WaitsForAPlaceWhileAllAreStreams) {
  Start(2);
  const auto streaming = Clients(2, "GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  for (const auto& client : streaming) client->ReadUntil("first");
  RawClient third(server_->port());
  third.Send(kProbe);

  EndStream(0);

  EXPECT_THAT(third.ReadAll(), StartsWith("HTTP/1.1 200 "));
  EndStream(1);
  EXPECT_THAT(streaming[1]->ReadUntil("0\r\n\r\n"), testing::EndsWith("0\r\n\r\n"));
}

TEST_F(ConnectionsMaxTest, StopsWhileAClientWaitsForAPlace) {
  Start(1);
  RawClient stream(server_->port());
  stream.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  stream.ReadUntil("first");
  RawClient waiting(server_->port());
  waiting.Send(kProbe);

  server_->Stop();

  EXPECT_EQ(waiting.ReadAll(), "");
}

}  // namespace
}  // namespace httpserver

// SPDX-License-Identifier: Apache-2.0
// Clients that are idle, slow, silent or many must not keep a Server from its other clients.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/httpserver/testing/raw_client.h"

namespace capstan::httpserver {
namespace {

using ::testing::StartsWith;

constexpr std::uint32_t kOtherPeer = (127U << 24U) + 2;
constexpr char kProbe[] = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

// Responds to "/livez" at once, to "/large" with more than sockets buffer, and keeps the exchanges
// of "/stream".
class ConnectionsMaxTest : public ::testing::Test {
 protected:
  void Start(std::size_t connections_max, std::chrono::milliseconds replace_after = {}) {
    Start({.connections_max = connections_max, .replace_after = replace_after});
  }
  void Start(ServerOptions options) {
    options.name = "test-server";
    server_ = std::make_unique<Server>(
        std::move(options), [this](const Request& request, std::shared_ptr<Exchange> exchange) {
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
  // Returns `count` clients of one peer that each sent `bytes`.
  std::vector<std::unique_ptr<RawClient>> Clients(int count, std::string_view bytes,
                                                  std::uint32_t from = INADDR_LOOPBACK) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<RawClient>(server_->port(), 4096, from));
      clients.back()->Send(bytes);
    }
    return clients;
  }
  void ExpectResponse() {
    EXPECT_THAT(Get(server_->port(), "/livez"), StartsWith("HTTP/1.1 200 "));
  }
  void EndStream(std::size_t index) {
    std::latch done(1);
    ASSERT_TRUE(server_->Post([&] {
      streams_[index]->End();
      done.count_down();
    }));
    done.wait();
  }

  std::vector<std::shared_ptr<Exchange>> streams_;  // used on the server's thread; outlives it
  std::unique_ptr<Server> server_;
};

TEST_F(ConnectionsMaxTest, RespondsWhileOnePeerHoldsManyIdleConnections) {
  Start(64);
  const auto silent = Clients(100, "");
  const auto idle = Clients(100, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");

  ExpectResponse();
}

TEST_F(ConnectionsMaxTest, RespondsWhileOnePeerSendsManyRequestsSlowly) {
  Start(64);
  const auto slow = Clients(200, "GET /livez HTTP/1.1\r\nX-Slow: ");
  for (const auto& client : slow) client->Send("x");

  ExpectResponse();
}

TEST_F(ConnectionsMaxTest, RespondsWhileOnePeerReadsNoResponse) {
  Start(8);
  const auto greedy = Clients(20, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");

  ExpectResponse();
}

TEST_F(ConnectionsMaxTest, ClientHasTimeForItsRequestWhileManyOthersConnect) {
  Start(4, std::chrono::hours(1));
  RawClient probe(server_->port());
  const auto others = Clients(20, "");

  probe.Send(kProbe);

  EXPECT_THAT(probe.ReadAll(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ConnectionsMaxTest, RespondsToClientThatReconnects) {
  Start(4);
  for (int round = 0; round < 50; ++round) {
    const auto idle = Clients(8, "");
    ExpectResponse();
  }
}

TEST_F(ConnectionsMaxTest, ClosesConnectionThatWaitedLongest) {
  Start(2);
  RawClient first(server_->port());
  first.Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.ReadAnswer().second, "ok");
  RawClient second(server_->port());
  second.Send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(second.ReadAnswer().second, "ok");
  first.Send("GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.ReadAnswer().second, "ok");

  ExpectResponse();

  EXPECT_TRUE(second.ClosedByServer());
  first.Send("GET /4 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(first.ReadAnswer().second, "ok");
}

TEST_F(ConnectionsMaxTest, ClosesConnectionOfPeerWithMostConnections) {
  Start(4);
  auto single = Clients(1, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n", kOtherPeer);
  EXPECT_EQ(single[0]->ReadAnswer().second, "ok");
  const auto many = Clients(20, "");

  ExpectResponse();

  single[0]->Send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(single[0]->ReadAnswer().second, "ok") << "closed the other peer's connection";
}

TEST_F(ConnectionsMaxTest, NewClientWaitsWhileAllConnectionsAreStreams) {
  Start(2);
  const auto streaming = Clients(2, "GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  for (const auto& client : streaming) client->ReadUntil("first");
  RawClient third(server_->port());
  third.Send(kProbe);

  EndStream(0);

  EXPECT_THAT(third.ReadAll(), StartsWith("HTTP/1.1 200 "));
  EndStream(1);
  EXPECT_THAT(streaming[1]->ReadUntil("0\r\n\r\n"), ::testing::EndsWith("0\r\n\r\n"));
}

TEST_F(ConnectionsMaxTest, StopsWhileClientWaits) {
  Start(1);
  RawClient stream(server_->port());
  stream.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  stream.ReadUntil("first");
  RawClient waiting(server_->port());
  waiting.Send(kProbe);

  server_->Stop();

  EXPECT_EQ(waiting.ReadAll(), "");
}

// The next client is accepted at once, and does not wait until an older one may be replaced.
TEST_F(ConnectionsMaxTest, RespondsAtOnceWhileManyClientsSendNothing) {
  Start(
      {.connections_max = 4, .silent_connections_max = 16, .replace_after = std::chrono::hours(1)});
  const auto silent = Clients(200, "");

  ExpectResponse();
}

TEST_F(ConnectionsMaxTest, RespondsAtOnceWhileOnePeerSendsOneByteOnManyConnections) {
  Start(4, std::chrono::hours(1));
  const auto slow = Clients(100, "G");

  ExpectResponse();
}

TEST_F(ConnectionsMaxTest, RespondsAtOnceToAnotherPeerThanTheOneThatReadsNoResponse) {
  Start(4, std::chrono::hours(1));
  const auto greedy = Clients(20, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n", kOtherPeer);

  ExpectResponse();
}

TEST_F(ConnectionsMaxTest, ClosesSilentConnectionOfPeerWithMostOfThem) {
  Start({.connections_max = 4, .silent_connections_max = 4});
  auto single = Clients(1, "", kOtherPeer);
  const auto many = Clients(20, "");

  ExpectResponse();

  single[0]->Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(single[0]->ReadAnswer().second, "ok");
}

TEST_F(ConnectionsMaxTest, ClosesClientThatSendsNothingForTooLong) {
  Start({.read_timeout = std::chrono::milliseconds(50)});
  RawClient silent(server_->port());

  EXPECT_TRUE(silent.ClosedByServer());
}

TEST_F(ConnectionsMaxTest, ClosesSlowReaderAboveTheLimitOfUnsentBytes) {
  Start({.connections_max = 8, .unsent_bytes_max = 40U << 20U});
  auto greedy = Clients(2, "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  EXPECT_GT(greedy[1]->ReadAll().size(), 32U << 20U);
  EXPECT_LT(greedy[0]->ReadAll().size(), 32U << 20U);
}

TEST_F(ConnectionsMaxTest, RespondsWithoutAFreeFileDescriptor) {
  Start(ServerOptions{});
  const auto silent = Clients(8, "");
  ExpectResponse();  // the silent ones are accepted
  // UBSan opens a pipe when it checks the first object of a class. Later no pipe can be opened, so
  // it checks the classes of errors that the server uses now.
  ASSERT_TRUE(boost::system::error_code(EMFILE, boost::system::system_category()).failed());
  ASSERT_TRUE(boost::system::error_code(EMFILE, boost::system::generic_category()).failed());
  ASSERT_TRUE(boost::system::error_code(boost::asio::error::eof).failed());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  int last = 0;
  for (int fd = 0; fd < 4096; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) last = fd;
  }
  std::vector<int> fillers;
  do fillers.push_back(dup(0));
  while (fillers.back() < last);
  rlimit limit = before;
  limit.rlim_cur = static_cast<rlim_t>(fillers.back()) + 2;  // one more, for the client
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);

  ExpectResponse();

  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const int fd : fillers) close(fd);
}

}  // namespace
}  // namespace capstan::httpserver

// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/channels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ChannelsTest : public ::testing::Test {
 protected:
  LoopbackServer Serve(LoopbackServer::Handler handler) const {
    return LoopbackServer(std::move(handler), &tls_);
  }
  std::unique_ptr<HttpTransport> Connect(const LoopbackServer& server) const {
    return NewHttpTransport({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}).value();
  }

  const testing::KeyPair ca_ = NewCa();
  const std::shared_ptr<Http2Script> script_ = std::make_shared<Http2Script>();
  const LoopbackServer::Tls tls_{.server = testing::MakeLocalhostCertificate(ca_).value(),
                                 .http2 = script_};
};

TEST_F(ChannelsTest, OpensOneConnectionForConcurrentFirstRequests) {
  constexpr int kRequests = 30;
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server);
  std::latch start(kRequests);
  std::vector<std::future<std::string>> requests;
  requests.reserve(kRequests);
  for (int i = 0; i < kRequests; ++i) {
    requests.push_back(std::async(std::launch::async, [&] {
      start.arrive_and_wait();
      return Fetch(*transport, {.target = "/"});
    }));
  }

  for (auto& request : requests) EXPECT_EQ(request.get(), "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(ChannelsTest, SharesFailureToConnectWithWaitingRequests) {
  const LoopbackServer::Tls other{.server = testing::MakeLocalhostCertificate(NewCa("x")).value(),
                                  .http2 = script_};
  LoopbackServer server(ReplyOk, &other);
  auto transport = Connect(server);
  std::vector<std::future<std::string>> requests;
  for (int i = 0; i < 10; ++i) {
    requests.push_back(
        std::async(std::launch::async, [&] { return Fetch(*transport, {.target = "/"}); }));
  }

  for (auto& request : requests) EXPECT_EQ(request.get(), "<Certificate>");
}

TEST_F(ChannelsTest, WaitsOnOneConnectionForServerThatAllowsNoStreams) {
  script_->max_streams = 0;
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server);
  std::vector<std::future<std::string>> requests;
  for (int i = 0; i < 10; ++i) {
    requests.push_back(std::async(std::launch::async, [&] {
      return Fetch(*transport, {.target = "/", .answer_timeout = milliseconds(200)});
    }));
  }

  for (auto& request : requests) EXPECT_EQ(request.get(), "<DeadlineExceeded>");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(ChannelsTest, FailsWhenServerGoesAwayBeforeFirstRequest) {
  script_->goes_away = true;
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server);

  EXPECT_EQ(Fetch(*transport, {.target = "/", .timeout = seconds(10)}), "<UnexpectedEOF>");
  EXPECT_EQ(server.connections(), 1);
}

// DialTest reaches its server through a proxy, which can hold up a connection.
class DialTest : public ChannelsTest {
 protected:
  // `hold` runs before the proxy connects to the server, with the number of the connection.
  LoopbackServer Proxy(std::function<void(LoopbackConnection&, int number)> hold) {
    return LoopbackServer(
        [this, hold = std::move(hold)](LoopbackConnection& connection, const std::string&) {
          hold(connection, ++held_);
          connection.Write("HTTP/1.1 200 OK\r\n\r\n");
          connection.RelayTo(server_.port());
        });
  }
  std::unique_ptr<HttpTransport> Connect(const LoopbackServer& proxy, Http2 http2 = Http2::kAuto,
                                         const TransportOptions& options = {}) const {
    return NewHttpTransport({.host = "https://localhost:6443",
                             .proxy_url = proxy.url(),
                             .tls = {.ca_data = ca_.cert_pem},
                             .http2 = http2},
                            options)
        .value();
  }

  LoopbackServer server_ = Serve(ReplyOk);
  std::atomic<int> held_{0};
};

TEST_F(DialTest, ConnectionOutlivesDeadlineOfCallerThatOpenedIt) {
  for (const Http2 http2 : {Http2::kAuto, Http2::kOff}) {
    std::latch go_on(1);
    LoopbackServer proxy = Proxy([&](LoopbackConnection&, int) { go_on.wait(); });
    auto transport = Connect(proxy, http2);

    EXPECT_EQ(Fetch(*transport, {.target = "/", .answer_timeout = kShort}), "<DeadlineExceeded>");
    go_on.count_down();

    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    EXPECT_EQ(proxy.connections(), 1);
  }
}

TEST_F(DialTest, TriesAnotherConnectionWhileFirstIsSilent) {
  for (const Http2 http2 : {Http2::kAuto, Http2::kOff}) {
    held_ = 0;
    LoopbackServer proxy = Proxy([](LoopbackConnection& connection, int number) {
      if (number == 1) connection.AwaitClose();
    });
    auto transport = Connect(proxy, http2, {.unresponsive_after = milliseconds(20)});

    EXPECT_EQ(Fetch(*transport, {.target = "/", .answer_timeout = seconds(5)}), "ok");
    EXPECT_GE(proxy.connections(), 2);
  }
}

TEST_F(DialTest, OpensBoundedNumberOfConnectionsToSilentServer) {
  for (const Http2 http2 : {Http2::kAuto, Http2::kOff}) {
    LoopbackServer proxy =
        Proxy([](LoopbackConnection& connection, int) { connection.AwaitClose(); });
    auto transport = Connect(proxy, http2, {.unresponsive_after = milliseconds(1)});

    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(Fetch(*transport, {.target = "/", .answer_timeout = milliseconds(20)}),
                "<DeadlineExceeded>");
    }
    EXPECT_LE(proxy.connections(), 3);
  }
}

}  // namespace
}  // namespace capstan::transport

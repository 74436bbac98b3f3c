// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/http1_transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <vector>

#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

// Http1TransportTest tests connections that carry one request at a time.
class Http1TransportTest : public HttpTransportTest {};

INSTANTIATE_TEST_SUITE_P(Transports, Http1TransportTest,
                         Built({Tested::kHttp1, Tested::kCpprest, Tested::kCpprestTls}), NameOf);

TEST_P(Http1TransportTest, ReusesConnectionOfFinishedRequestsOnly) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200, "Content-Length: 100000\r\n");
    connection.Write(std::string(100000, 'x'));
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/1"}).size(), 100000U);
  EXPECT_EQ(Fetch(*transport, {.target = "/2"}).size(), 100000U);
  EXPECT_EQ(server.connections(), 1);
  {
    auto abandoned = transport->RoundTrip({}, {.target = "/3"});
    ASSERT_TRUE(abandoned.has_value());
  }
  EXPECT_EQ(Fetch(*transport, {.target = "/4"}).size(), 100000U);
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(Http1TransportTest, RetriesGetWhenKeptConnectionBreaks) {
  std::atomic<int> requested{0};
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    const bool breaks = request.find("/close") != std::string::npos && requested++ == 0;
    if (!breaks) ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "ok");

  EXPECT_EQ(requested, 2);
  EXPECT_EQ(server.connections(), 2);
}

TEST_P(Http1TransportTest, FailsWhenNewConnectionBreaks) {
  LoopbackServer server = Serve([](LoopbackConnection&, const std::string&) {});
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "<UnexpectedEOF>");
  EXPECT_EQ(server.requests(), 1);
}

TEST_P(Http1TransportTest, RetriesOnlyGet) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/close") == std::string::npos) ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    for (const char* body : {"", "{}"}) {
      ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");
      const int before = server.requests();

      EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/close", .body = body}),
                "<UnexpectedEOF>");

      EXPECT_EQ(server.requests(), before + 1) << method << body;
    }
  }
}

TEST_P(Http1TransportTest, DoesNotReuseClosedConnection) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server.url());
  for (const char* method : {"GET", "POST"}) {
    ASSERT_EQ(Fetch(*transport, {.target = "/close"}), "ok");
    ASSERT_TRUE(server.AwaitOpen(0));

    EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/close"}), "ok") << method;
    ASSERT_TRUE(server.AwaitOpen(0));
  }
  EXPECT_EQ(server.requests(), 4);
}

TEST_P(Http1TransportTest, DoesNotRetryWhenServerIsSilent) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/silence") == std::string::npos) return ReplyOk(connection, request);
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(
      Fetch(*transport, {.target = "/silence", .answer_timeout = std::chrono::milliseconds(200)}),
      "<DeadlineExceeded>");

  EXPECT_EQ(server.requests(), 2);
}

TEST_P(Http1TransportTest, ReturnsConnectionAfterTransportIsDestroyed) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server.url());
  auto first = transport->RoundTrip({}, {.target = "/"});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ((*first)->Read().value(), "ok");
  first->reset();
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 1);

  auto last = transport->RoundTrip({}, {.target = "/"});
  ASSERT_TRUE(last.has_value());
  transport.reset();
  EXPECT_EQ(ReadAll(**last), "ok");
  last->reset();

  EXPECT_TRUE(server.AwaitOpen(0));
}

TEST_P(Http1TransportTest, ClosesConnectionThatServerDoesNotKeep) {
  const std::vector<std::string> responses = {
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
  };
  for (const std::string& response : responses) {
    LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
      connection.Write(response);
      connection.AwaitClose();
    });
    auto transport = Connect(server.url());

    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    EXPECT_TRUE(server.AwaitOpen(0)) << response;
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    EXPECT_EQ(server.connections(), 2) << response;
  }
}

// Bytes after the body are not the response to any request.
TEST_P(Http1TransportTest, ClosesConnectionWithBytesAfterResponse) {
  LoopbackServer server =
      Serve(Replying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"
                     "Content-Length: 4\r\n\r\nevil"));
  auto transport = Connect(server.url());

  for (int i = 0; i < 3; ++i) EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  // cpprestsdk drops the bytes that have arrived with the response.
  EXPECT_EQ(server.connections(), IsCpprest() ? 1 : 3);
}

TEST_P(Http1TransportTest, ClosesConnectionAfterIdleTimeout) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server.url(), {.idle_connection_timeout = std::chrono::milliseconds(0)});

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  if (IsCpprest()) {
    EXPECT_EQ(server.connections(), 1) << "cpprestsdk closes it after 30 to 60 s";
    return;
  }
  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(server.AwaitOpen(1)) << "the first was not closed";
}

TEST_P(Http1TransportTest, KeepsAtMost25IdleConnections) {
  constexpr int kAtOnce = 30;
  std::latch all(kAtOnce);
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/together") != std::string::npos) all.arrive_and_wait();
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());
  std::vector<std::future<std::string>> requests;
  requests.reserve(kAtOnce);
  for (int i = 0; i < kAtOnce; ++i) {
    requests.push_back(
        std::async(std::launch::async, [&] { return Fetch(*transport, {.target = "/together"}); }));
  }
  for (auto& request : requests) EXPECT_EQ(request.get(), "ok");

  EXPECT_TRUE(server.AwaitOpen(IsCpprest() ? kAtOnce : 25));
}

TEST_P(Http1TransportTest, RejectsHeadOfMegabyte) {
  LoopbackServer server =
      Serve(Replying("HTTP/1.1 200 OK\r\nX-Long: " + std::string(std::size_t{1} << 20U, 'x') +
                     "\r\nContent-Length: 2\r\n\r\nok"));
  auto transport = Connect(server.url());

  const std::string got = Fetch(*transport, {.target = "/"});

  EXPECT_EQ(got, IsCpprest() ? "ok" : "<Transport>");
}

}  // namespace
}  // namespace capstan::transport

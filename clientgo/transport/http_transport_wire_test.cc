// SPDX-License-Identifier: Apache-2.0
// What HttpTransport sends, and what it makes of the bytes that a server sends: chunk sizes, half
// responses, unusual heads. Where cpprestsdk differs, a test asserts the limit that decision 23
// lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "capstan/transport/http_transport.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using std::chrono::seconds;

class HttpWireTest : public HttpTransportTest {};

INSTANTIATE_TEST_SUITE_P(Transports, HttpWireTest, EachTransportAndCpprestTls(), NameOf);

// Returns bytes of which no two equal pieces follow each other.
std::string Text(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i * i + i / 256) % 26);
  return text;
}

TEST_P(HttpWireTest, ReadsChunksOfAnySize) {
  std::string text;
  std::vector<std::string> chunks;
  for (const std::size_t size : {1U, 511U, 512U, 513U, 65535U, 65536U, 65537U, 300000U, 2U}) {
    chunks.push_back(Text(size));
    text += chunks.back();
  }
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    for (const std::string& chunk : chunks) connection.WriteChunk(chunk);
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Fetch(*transport, {.target = "/"}) == text);
}

TEST_P(HttpWireTest, ReturnsHugeChunkInPieces) {
  const std::string huge = Text(std::size_t{32} << 20U);
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk(huge);
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/"});
  ASSERT_TRUE(response.has_value()) << response.error().message;

  const std::string first((*response)->Read().value());

  if (IsCpprest()) {
    EXPECT_EQ(first.size(), huge.size()) << "cpprestsdk holds the whole chunk in memory";
  } else {
    EXPECT_LE(first.size(), std::size_t{4} << 20U);
  }
  EXPECT_TRUE(first + ReadAll(**response) == huge);
}

TEST_P(HttpWireTest, ReturnsBytesBeforeTheirBlockIsComplete) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200, "Content-Length: 8\r\n");
    connection.Write("half");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/"});
  ASSERT_TRUE(response.has_value()) << response.error().message;

  if (IsCpprest()) {
    EXPECT_EQ((*response)->Read(kShort).error().reason, ErrorReason::kDeadlineExceeded);
  } else {
    EXPECT_EQ((*response)->Read().value(), "half");
  }
}

TEST_P(HttpWireTest, ReportsUnexpectedEofWhenHeadBreaks) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 200 OK\r\nContent-Le");
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "<UnexpectedEOF>");
  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/close"}), "<UnexpectedEOF>");
  EXPECT_EQ(server.requests(), 2);
}

TEST_P(HttpWireTest, ReportsUnexpectedEofWhenServerResets) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/body") != std::string::npos) {
      connection.WriteHead(200);
      connection.WriteChunk("half");
    }
    connection.ResetWhenClosed();
    if (GetParam() == Tested::kHttp2) connection.Disconnect();
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "<UnexpectedEOF>");
  // A reset may overtake bytes.
  EXPECT_THAT(Fetch(*transport, {.target = "/close/body"}),
              ::testing::AnyOf("<UnexpectedEOF>", "half<UnexpectedEOF>"));
}

TEST_P(HttpWireTest, SendsHeadersOfEachRequestOnSharedConnection) {
  std::vector<std::string> requests;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    requests.push_back(request);
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());

  for (const char* token : {"one", "two"}) {
    const std::string bearer = std::string("Bearer ") + token;
    EXPECT_EQ(Fetch(*transport, {.target = "/", .headers = {{"Authorization", bearer}}}), "ok");
  }

  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(requests, ElementsAre(HasHeader("Authorization", "Bearer one"),
                                    HasHeader("Authorization", "Bearer two")));
}

TEST_P(HttpWireTest, SendsHeaderThatOccursTwice) {
  std::string seen;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    seen = request;
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());

  const auto response = transport->RoundTrip(
      {}, {.target = "/", .headers = {{"Impersonate-Group", "dev"}, {"Impersonate-Group", "ops"}}});

  if (IsCpprest()) {  // it would send the group "dev, ops"
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_EQ(response.error().message,
              "cpprestsdk cannot send more than one header Impersonate-Group");
    EXPECT_EQ(server.requests(), 0);
    return;
  }
  ASSERT_TRUE(response.has_value());
  EXPECT_THAT(seen, HasHeader("Impersonate-Group", "dev"));
  EXPECT_THAT(seen, HasHeader("Impersonate-Group", "ops"));
}

TEST_P(HttpWireTest, ReturnsHeaderThatOccursTwice) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200,
                         "Warning: 299 - \"a\"\r\nWarning: 299 - \"b\"\r\nContent-Length: 0\r\n");
  });
  auto transport = Connect(server.url());
  const auto response = transport->RoundTrip({}, {.target = "/"});
  ASSERT_TRUE(response.has_value());

  std::vector<std::string> values;
  for (const auto& [name, value] : (*response)->headers()) {
    if (EqualIgnoringCase(name, "Warning")) values.push_back(value);
  }

  if (IsCpprest()) {
    EXPECT_THAT(values, ElementsAre("299 - \"a\", 299 - \"b\""));
  } else {
    EXPECT_THAT(values, ElementsAre("299 - \"a\"", "299 - \"b\""));
  }
}

TEST_P(HttpWireTest, AnswersRequestAfterInterimResponse) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/interim") != std::string::npos) {
      connection.Write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
    }
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/interim"}), IsCpprest() ? "<Transport>" : "ok");

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), IsCpprest() ? 2 : 1);
}

TEST_P(HttpWireTest, ReturnsRedirectWithoutFollowingIt) {
  LoopbackServer server =
      Serve(Replying("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"));
  auto transport = Connect(server.url());

  const auto response = transport->RoundTrip({}, {.target = "/"});

  ASSERT_TRUE(response.has_value());
  EXPECT_EQ((*response)->status(), 302);
  EXPECT_EQ(server.requests(), 1);
}

TEST_P(HttpWireTest, SendsLargeBody) {
  const std::string body = Text(3000000);
  bool same = false;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    same = request.substr(request.find("\r\n\r\n") + 4) == body;
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/", .body = body}), "ok");

  EXPECT_TRUE(same);
}

TEST_P(HttpWireTest, AnswerTimeoutEndsWaitForHead) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/silence") == std::string::npos) return ReplyOk(connection, request);
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  const auto response = transport->RoundTrip(
      {}, {.target = "/silence", .answer_timeout = std::chrono::milliseconds(200)});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(response.error().message, HasSubstr("no response from " + HostPort(server.url())));
  EXPECT_THAT(response.error().message, HasSubstr("(waiting for the response)"));
}

TEST_P(HttpWireTest, DialTimeoutEndsConnecting) {
  const DroppingListener dropping;
  auto transport = Connect(scheme() + HostPort(dropping.url()), {.dial = {.timeout = kShort}});

  const auto response = transport->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kTransport);
  EXPECT_THAT(response.error().message, HasSubstr("connect: connection timed out"));
}

TEST_P(HttpWireTest, ResponseOutlivesTransport) {
  std::promise<void> gone;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    gone.get_future().wait();
    connection.WriteChunk("later");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ((*response)->Read().value(), "event");

  transport.reset();
  gone.set_value();

  EXPECT_EQ((*response)->Read().value(), "later");
  response->reset();
  EXPECT_TRUE(server.AwaitOpen(0));
}

TEST_P(HttpWireTest, AbandonedResponseEndsOnServerToo) {
  std::promise<void> closed;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    while (connection.WriteChunk(std::string(65536, 'x'))) {
    }
    closed.set_value();
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());
  ASSERT_TRUE((*response)->Read().has_value());

  response->reset();

  EXPECT_EQ(closed.get_future().wait_for(seconds(10)), std::future_status::ready);
}

TEST_P(HttpWireTest, SharesOneConnectionForWatchesOverHttp2Only) {
  constexpr int kWatches = 5;
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  std::vector<std::unique_ptr<HttpResponse>> watches;
  for (int i = 0; i < kWatches; ++i) {
    auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ((*response)->Read().value(), "event");
    watches.push_back(std::move(*response));
  }

  const bool http2 = GetParam() == Tested::kHttp2;
  EXPECT_EQ(server.connections(), http2 ? 1 : kWatches);
  EXPECT_EQ(server.http2_connections(), http2 ? 1 : 0);
  for (const auto& watch : watches) EXPECT_EQ(watch->CanSuspend(), http2);
}

// Reports whether the kernel sends keepalive probes on this process's connection to the port.
bool HasKeepalive(int port) {
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in6 peer{};  // both families have the port in the same place
    socklen_t size = sizeof(peer);
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (ntohs(peer.sin6_port) != port) continue;
    int on = 0;
    size = sizeof(on);
    getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size);
    return on != 0;
  }
  return false;
}

TEST_P(HttpWireTest, DetectsDeadPeerByKeepalive) {
  LoopbackServer server = Serve(ReplyOk);
  const std::string port = std::to_string(server.port());
  {
    auto transport = Connect(scheme() + "127.0.0.1:" + port);
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    EXPECT_TRUE(HasKeepalive(server.port()));
  }
  ASSERT_TRUE(server.AwaitOpen(0));

  auto by_name = Connect(scheme() + "localhost:" + port);
  EXPECT_EQ(Fetch(*by_name, {.target = "/"}), "ok");
  EXPECT_EQ(HasKeepalive(server.port()), !IsCpprest());
}

}  // namespace
}  // namespace capstan::transport

// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/http_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <future>
#include <latch>
#include <vector>

#include "clientgo/transport/socket.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_P(HttpTransportTest, SendsMethodTargetHeadersAndBody) {
  std::promise<std::string> seen;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    seen.set_value(request);
    connection.WriteHead(201, "Content-Length: 2\r\nX-Answer: yes\r\n");
    connection.Write("ok");
  });
  auto transport = Connect(server.url() + "/prefix/");

  auto response = transport->RoundTrip({}, {.method = "PATCH",
                                            .target = "/api/v1/x?labelSelector=a%3Db%2Cc&watch=1",
                                            .headers = {{"Content-Type", "application/json"}},
                                            .body = "{}"});

  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->status(), 201);
  EXPECT_EQ(FindHeader((*response)->headers(), "x-answer"), "yes");
  EXPECT_EQ(ReadAll(**response), "ok");
  const std::string request = seen.get_future().get();
  EXPECT_THAT(request, ::testing::StartsWith(
                           "PATCH /prefix/api/v1/x?labelSelector=a%3Db%2Cc&watch=1 HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasHeader("Content-Type", "application/json"));
  EXPECT_THAT(request, HasHeader("Accept-Encoding", "identity"));
  EXPECT_THAT(request, ::testing::EndsWith("\r\n\r\n{}"));
}

TEST_P(HttpTransportTest, RejectsCompressedResponse) {
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200, "Content-Encoding: gzip\r\nContent-Length: 2\r\n");
    connection.Write("\x1f\x8b");
  });
  auto transport = Connect(server.url());

  auto response = transport->RoundTrip({}, {.target = "/api/v1/secrets"});

  ASSERT_FALSE(response.has_value());
  EXPECT_THAT(response.error().message, HasSubstr("encoded as gzip, which was not requested"));
}

TEST_P(HttpTransportTest, ReturnsChunkBeforeNextOneIsSent) {
  std::promise<void> read;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("first");
    read.get_future().wait();
    connection.WriteChunk("second");
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());

  auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ((*response)->Read().value(), "first");
  read.set_value();

  EXPECT_EQ(ReadAll(**response), "second");
}

TEST_P(HttpTransportTest, ReadsOneByteChunks) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + i % 26);
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    for (const char c : text) connection.WriteChunk(std::string_view(&c, 1));
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());

  EXPECT_TRUE(Fetch(*transport, {.target = "/"}) == text);
}

TEST_P(HttpTransportTest, ReportsUnexpectedEofWhenBodyBreaks) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    const bool chunked = request.find("/close/chunked") != std::string::npos;
    if (request.find("/close/head") != std::string::npos) return;
    connection.WriteHead(200, chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 9\r\n");
    if (chunked) connection.WriteChunk("half");
    if (!chunked) connection.Write("half");
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close/chunked"}), "half<UnexpectedEOF>");
  // cpprestsdk returns a block of the body once it is complete.
  EXPECT_EQ(Fetch(*transport, {.target = "/close/length"}),
            IsCpprest() ? "<UnexpectedEOF>" : "half<UnexpectedEOF>");
  EXPECT_EQ(Fetch(*transport, {.target = "/close/head"}), "<UnexpectedEOF>");
}

TEST_P(HttpTransportTest, ReportsUnexpectedEofAfterIdleTimeout) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(
      Fetch(*transport, {.target = "/", .idle_timeout = milliseconds(50), .long_running = true}),
      "event<UnexpectedEOF>");
}

TEST_P(HttpTransportTest, ReportsConnectionRefusedWhenNobodyListens) {
  std::string url;
  {
    LoopbackServer gone = Serve([](LoopbackConnection&, const std::string&) {});
    url = gone.url();
  }
  auto transport = Connect(url);

  auto response = transport->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason,
            IsCpprest() ? ErrorReason::kTransport : ErrorReason::kConnectionRefused);
  EXPECT_THAT(response.error().message, HasSubstr(HostPort(url) + ": connect: connection refused"));
}

TEST_P(HttpTransportTest, NamesUnknownHost) {
  auto transport = Connect(scheme() + "no-such-host.invalid:6443");

  auto response = transport->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kNoSuchHost);
  EXPECT_THAT(response.error().message, HasSubstr("no-such-host.invalid:6443: lookup"));
}

TEST_P(HttpTransportTest, StopEndsSilentWatchOnServerToo) {
  std::promise<bool> closed;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    closed.set_value(connection.AwaitClose());
  });
  auto transport = Connect(server.url());
  std::stop_source stop;
  auto response = transport->RoundTrip(stop.get_token(), {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());
  auto read = std::async(std::launch::async, [&] { return ReadAll(**response); });

  stop.request_stop();

  EXPECT_EQ(read.get(), "<Canceled>");
  EXPECT_EQ(closed.get_future().wait_for(seconds(10)), std::future_status::ready);
}

TEST_P(HttpTransportTest, StopEndsWaitForHead) {
  std::promise<void> requested;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    requested.set_value();
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] {
    auto response = transport->RoundTrip(stop.get_token(), {.target = "/"});
    return response ? ErrorReason::kUnknown : response.error().reason;
  });
  requested.get_future().wait();

  stop.request_stop();

  EXPECT_EQ(result.get(), ErrorReason::kCanceled);
}

TEST_P(HttpTransportTest, StopsHundredWatchesAtOnce) {
  constexpr int kWatches = 100;
  std::latch closed(kWatches);
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    connection.AwaitClose();
    closed.count_down();
  });
  auto transport = Connect(server.url());
  std::stop_source stop;
  std::latch reading(kWatches);
  std::vector<std::future<std::string>> watches;
  for (int i = 0; i < kWatches; ++i) {
    watches.push_back(std::async(std::launch::async, [&] {
      auto response = transport->RoundTrip(stop.get_token(), {.target = "/", .long_running = true});
      if (!response || response->get()->Read().value_or("") != "event") {
        reading.count_down();
        return std::string("no event");
      }
      reading.count_down();
      return ReadAll(**response);
    }));
  }
  reading.wait();

  stop.request_stop();

  for (auto& watch : watches) EXPECT_EQ(watch.get(), "<Canceled>");
  closed.wait();  // every socket, too
}

// Returns the bytes allocated from arenas and mapped for big blocks. With a sanitizer it returns 0,
// because a sanitizer keeps freed memory.
std::size_t HeapBytesInUse() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

TEST_P(HttpTransportTest, StalledReaderStopsTheServer) {
  constexpr std::size_t kChunk = 16384;
  constexpr std::size_t kTotal = 64U << 20U;
  std::atomic<std::size_t> sent{0};
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    const std::string chunk(kChunk, 'x');
    while (sent < kTotal && connection.WriteChunk(chunk)) sent += kChunk;
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());
  std::size_t received = (*response)->Read().value().size();
  const std::size_t before = HeapBytesInUse();

  // The server is blocked when the count stays the same.
  std::size_t last = 0;
  Mutex mu;
  CondVar never;
  for (int same = 0; same < 5; same = sent == last ? same + 1 : 0) {
    last = sent;
    MutexLock lock(mu);
    never.WaitUntil(mu, {}, std::chrono::steady_clock::now() + milliseconds(20),
                    [] { return false; });
  }

  EXPECT_LT(sent, kTotal / 4) << "the socket's buffers hold a few MiB at most";
  EXPECT_LT(HeapBytesInUse(), before + (std::size_t{8} << 20U));
  for (;;) {
    auto bytes = (*response)->Read();
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
    if (bytes->empty()) break;
    received += bytes->size();
  }
  EXPECT_EQ(received, kTotal);
  EXPECT_LT(HeapBytesInUse(), before + (std::size_t{16} << 20U));
}

TEST_P(HttpTransportTest, StopReleasesServerFromStalledReader) {
  std::promise<void> closed;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    const std::string chunk(65536, 'x');
    while (connection.WriteChunk(chunk)) {
    }
    closed.set_value();
  });
  auto transport = Connect(server.url());
  std::stop_source stop;
  auto response = transport->RoundTrip(stop.get_token(), {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());
  ASSERT_TRUE((*response)->Read().has_value());  // the reader has a chunk

  stop.request_stop();

  auto bytes = (*response)->Read();
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().reason, ErrorReason::kCanceled);
  EXPECT_EQ(closed.get_future().wait_for(seconds(10)), std::future_status::ready);
}

TEST_P(HttpTransportTest, AcceptsHostWithoutScheme) {
  LoopbackServer server = Serve(Replying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  auto transport = Connect("127.0.0.1:" + std::to_string(server.port()));

  EXPECT_TRUE(transport->RoundTrip({}, {.target = "/"}).has_value());
}

TEST_P(HttpTransportTest, SkipsInterimResponses) {
  const std::string interim =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
  LoopbackServer server = Serve(
      Replying(interim + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Final: yes\r\n\r\nok"));
  auto transport = Connect(server.url());

  auto response = transport->RoundTrip({}, {.method = "POST", .target = "/", .body = "{}"});

  if (IsCpprest()) {
    ASSERT_FALSE(response.has_value());
    EXPECT_THAT(response.error().message, HasSubstr("does not support the interim response 100"));
    return;
  }
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->status(), 201);
  EXPECT_EQ(FindHeader((*response)->headers(), "X-Final"), "yes");
  EXPECT_EQ(FindHeader((*response)->headers(), "Link"), "");
  EXPECT_EQ(ReadAll(**response), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(HttpTransportTest, RejectsRequestWithLineBreakInHeaderOrTarget) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server.url());
  const std::vector<HttpRequest> requests = {
      {.target = "/", .headers = {{"User-Agent", "me\r\nAuthorization: Bearer x"}}},
      {.target = "/", .headers = {{"User-Agent", "me\nAuthorization: Bearer x"}}},
      {.target = "/", .headers = {{"X\r\nAuthorization", "Bearer x"}}},
      {.target = "/", .headers = {{"X", std::string("a\0b", 3)}}},
      {.target = "/ HTTP/1.1\r\nX: y"},
      {.target = "/a b"},
      {.method = "GET / HTTP/1.1\r\n", .target = "/"},
  };
  for (const HttpRequest& request : requests) {
    EXPECT_EQ(Fetch(*transport, request), "<InvalidArgument>") << request.target;
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST_P(HttpTransportTest, ReadsNoBodyAfterStatusWithoutOne) {
  const std::vector<std::string> responses = {
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\nETag: \"x\"\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  };
  for (const std::string& response : responses) {
    LoopbackServer server = Serve(Replying(response));
    auto transport = Connect(server.url());

    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "") << response;
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "") << response;
    EXPECT_EQ(server.connections(), 1) << response;
  }
}

TEST_P(HttpTransportTest, ReadsNoBodyAfterHeadRequest) {
  LoopbackServer server = Serve(Replying("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.method = "HEAD", .target = "/"}), "");
  EXPECT_EQ(Fetch(*transport, {.method = "HEAD", .target = "/"}), "");

  EXPECT_EQ(server.connections(), 1);
}

TEST_P(HttpTransportTest, TimeoutLimitsBody) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/half") == std::string::npos) return ReplyOk(connection, request);
    connection.WriteHead(200);
    connection.WriteChunk("half");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");  // the timeout is not for the TLS handshake

  EXPECT_EQ(Fetch(*transport, {.target = "/half", .timeout = milliseconds(200)}),
            "half<DeadlineExceeded>");
}

TEST_P(HttpTransportTest, AnswerTimeoutDoesNotLimitBody) {
  std::promise<void> passed;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/slow") == std::string::npos) return ReplyOk(connection, request);
    connection.WriteHead(200);
    connection.WriteChunk("first ");
    passed.get_future().wait();
    connection.WriteChunk("second");
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");  // the timeout is not for the TLS handshake
  auto response =
      transport->RoundTrip({}, {.target = "/slow", .answer_timeout = milliseconds(400)});
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->Read().value(), "first ");
  const DroppingListener dropping;
  ASSERT_FALSE(Dialer().Dial({dropping.endpoint()}, {.timeout = milliseconds(450)},
                             Clock::TimePoint::max()));

  passed.set_value();

  EXPECT_EQ(ReadAll(**response), "second");
}

TEST_P(HttpTransportTest, ReadEndsAfterMaxSilence) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());

  EXPECT_EQ((*response)->Read(std::chrono::minutes(1)).value(), "event");
  const auto silent = (*response)->Read(kShort);

  ASSERT_FALSE(silent.has_value());
  EXPECT_EQ(silent.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(silent.error().message, HasSubstr(HostPort(server.url())));
}

TEST_P(HttpTransportTest, IdleTimeoutDoesNotLimitWaitForResponse) {
  std::promise<void> passed;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/slow") != std::string::npos) {
      passed.get_future().wait();
      return ReplyOk(connection, request);
    }
    connection.WriteHead(200);
    connection.WriteChunk("some");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  auto slow = std::async(std::launch::async, [&] {
    return Fetch(*transport, {.target = "/slow", .idle_timeout = kShort});
  });
  // Other requests take longer than the idle timeout meanwhile.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Fetch(*transport, {.target = "/stops", .idle_timeout = kShort}),
              "some<UnexpectedEOF>");
  }

  passed.set_value();

  EXPECT_EQ(slow.get(), "ok");
}

INSTANTIATE_TEST_SUITE_P(Transports, HttpTransportTest, EachTransportAndCpprestTls(), NameOf);

}  // namespace
}  // namespace capstan::transport

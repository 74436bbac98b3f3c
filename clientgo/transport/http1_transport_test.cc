// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http1_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <future>
#include <latch>
#include <vector>

#include "clientgo/transport/testing/http1_fixture.h"

namespace clientgo::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Http1TransportTest, SendsMethodTargetHeadersAndBody) {
  std::promise<std::string> seen;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
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
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept-Encoding: identity\r\n"));
  EXPECT_THAT(request, ::testing::EndsWith("\r\n\r\n{}"));
}

TEST(Http1TransportTest, RejectsCompressedResponse) {
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200, "Content-Encoding: gzip\r\nContent-Length: 2\r\n");
    connection.Write("\x1f\x8b");
  });
  auto transport = Connect(server.url());

  auto response = transport->RoundTrip({}, {.target = "/api/v1/secrets"});

  ASSERT_FALSE(response.has_value());
  EXPECT_THAT(response.error().message, HasSubstr("encoded as gzip, which was not requested"));
}

TEST(Http1TransportTest, ReturnsChunkBeforeNextOneIsSent) {
  std::promise<void> read;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1TransportTest, ReadsOneByteChunks) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + i % 26);
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    for (const char c : text) connection.WriteChunk(std::string_view(&c, 1));
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());

  EXPECT_TRUE(Fetch(*transport, {.target = "/"}) == text);
}

TEST(Http1TransportTest, ReportsUnexpectedEofWhenBodyBreaks) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    const bool chunked = request.find("/close/chunked") != std::string::npos;
    if (request.find("/close/head") != std::string::npos) return;
    connection.WriteHead(200, chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 9\r\n");
    if (chunked) connection.WriteChunk("half");
    if (!chunked) connection.Write("half");
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close/chunked"}), "half<UnexpectedEOF>");
  EXPECT_EQ(Fetch(*transport, {.target = "/close/length"}), "half<UnexpectedEOF>");
  EXPECT_EQ(Fetch(*transport, {.target = "/close/head"}), "<UnexpectedEOF>");
}

TEST(Http1TransportTest, ReportsUnexpectedEofAfterIdleTimeout) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(
      Fetch(*transport, {.target = "/", .idle_timeout = milliseconds(50), .long_running = true}),
      "event<UnexpectedEOF>");
}

TEST(Http1TransportTest, ReportsConnectionRefusedWhenNobodyListens) {
  std::string url;
  {
    LoopbackServer gone([](LoopbackConnection&, const std::string&) {});
    url = gone.url();
  }
  auto transport = Connect(url);

  auto response = transport->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kConnectionRefused);
  EXPECT_THAT(response.error().message, HasSubstr(url.substr(7) + ": connect: connection refused"));
}

TEST(Http1TransportTest, NamesUnknownHost) {
  auto transport = Connect("http://no-such-host.invalid:6443");

  auto response = transport->RoundTrip({}, {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kNoSuchHost);
  EXPECT_THAT(response.error().message, HasSubstr("no-such-host.invalid:6443: lookup"));
}

TEST(Http1TransportTest, ReusesConnectionOfFinishedRequestsOnly) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1TransportTest, StopEndsSilentWatchAndClosesItsConnection) {
  std::promise<bool> closed;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1TransportTest, StopEndsWaitForHead) {
  std::promise<void> requested;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1TransportTest, StopsHundredWatchesAtOnce) {
  constexpr int kWatches = 100;
  std::latch closed(kWatches);
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1TransportTest, StalledReaderStopsTheServer) {
  constexpr std::size_t kChunk = 16384;
  constexpr std::size_t kTotal = 64U << 20U;
  std::atomic<std::size_t> sent{0};
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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
  util::Mutex mu;
  util::CondVar never;
  for (int same = 0; same < 5; same = sent == last ? same + 1 : 0) {
    last = sent;
    util::MutexLock lock(mu);
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

TEST(Http1TransportTest, StopReleasesConnectionOfStalledReader) {
  std::promise<void> closed;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1TransportTest, RejectsHostWithoutScheme) {
  auto scheme = NewHttp1Transport({.host = "10.0.0.1:6443"});
  ASSERT_FALSE(scheme.has_value());
  EXPECT_EQ(scheme.error().reason, ErrorReason::kInvalidArgument);
}

TEST(Http1ReuseTest, RetriesGetWhenKeptConnectionBreaks) {
  std::atomic<int> requested{0};
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
    const bool breaks = request.find("/close") != std::string::npos && requested++ == 0;
    if (!breaks) ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "ok");

  EXPECT_EQ(requested, 2);
  EXPECT_EQ(server.connections(), 2);
}

TEST(Http1ReuseTest, FailsWhenNewConnectionBreaks) {
  LoopbackServer server([](LoopbackConnection&, const std::string&) {});
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "<UnexpectedEOF>");
  EXPECT_EQ(server.requests(), 1);
}

TEST(Http1ReuseTest, RetriesOnlyGet) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/close") == std::string::npos) ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    const int before = server.requests();

    EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/close", .body = "{}"}),
              "<UnexpectedEOF>");

    EXPECT_EQ(server.requests(), before + 1) << method;
  }
}

TEST(Http1ReuseTest, DoesNotReuseClosedConnection) {
  LoopbackServer server(ReplyOk);
  auto transport = Connect(server.url());
  for (const char* method : {"GET", "POST"}) {
    ASSERT_EQ(Fetch(*transport, {.target = "/close"}), "ok");
    ASSERT_TRUE(server.AwaitOpen(0));

    EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/close"}), "ok") << method;
    ASSERT_TRUE(server.AwaitOpen(0));
  }
  EXPECT_EQ(server.requests(), 4);
}

TEST(Http1ReuseTest, DoesNotRetryWhenServerIsSilent) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/silence") == std::string::npos) return ReplyOk(connection, request);
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(
      Fetch(*transport, {.target = "/silence", .answer_timeout = std::chrono::milliseconds(20)}),
      "<DeadlineExceeded>");

  EXPECT_EQ(server.requests(), 2);
}

TEST(Http1ReuseTest, ReturnsConnectionAfterTransportIsDestroyed) {
  LoopbackServer server(ReplyOk);
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

TEST(Http1ReuseTest, ClosesConnectionThatServerDoesNotKeep) {
  const std::vector<std::string> responses = {
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
      // Bytes after the body are not the response to any request.
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: "
      "4\r\n\r\nevil",
  };
  for (const std::string& response : responses) {
    LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
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

TEST(Http1ReuseTest, ClosesConnectionAfterIdleTimeout) {
  LoopbackServer server(ReplyOk);
  auto transport = Connect(Config{.host = server.url()},
                           {.idle_connection_timeout = std::chrono::milliseconds(0)});

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(server.AwaitOpen(1)) << "the first was not closed";
}

TEST(Http1ReuseTest, KeepsAtMost25IdleConnections) {
  constexpr int kAtOnce = 30;
  std::latch all(kAtOnce);
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
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

  EXPECT_TRUE(server.AwaitOpen(25));
}

}  // namespace
}  // namespace clientgo::transport

// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/http2_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/testing/gzip.h"
#include "clientgo/transport/compression.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Response = std::unique_ptr<HttpResponse>;

class Http2TransportTest : public ::testing::Test {
 protected:
  LoopbackServer Serve(LoopbackServer::Handler handler) const {
    return LoopbackServer(std::move(handler), &tls_);
  }
  std::unique_ptr<HttpTransport> Connect(const LoopbackServer& server,
                                         const TransportOptions& options = {}) const {
    return NewHttpTransport({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}, options)
        .value();
  }
  // Opens a watch and reads its first event.
  static Response Watch(HttpTransport& transport) {
    auto response = transport.RoundTrip({}, {.target = "/watch", .long_running = true});
    EXPECT_TRUE(response.has_value()) << response.error().message;
    if (!response) return nullptr;
    EXPECT_EQ((*response)->Read().value_or("nothing"), "event");
    return std::move(*response);
  }

  const testing::KeyPair ca_ = NewCa();
  const std::shared_ptr<Http2Script> script_ = std::make_shared<Http2Script>();
  const LoopbackServer::Tls tls_{.server = testing::MakeLocalhostCertificate(ca_).value(),
                                 .http2 = script_};
};

// A watch gets one event and stays open. Other requests get "ok".
void ServeWatch(LoopbackConnection& connection, const std::string& request) {
  if (request.find("/watch") == std::string::npos) return ReplyOk(connection, request);
  connection.WriteHead(200);
  connection.WriteChunk("event");
  connection.AwaitClose();
}

TEST_F(Http2TransportTest, SharesOneConnectionForWatchesAndRequests) {
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server);
  std::vector<Response> watches;

  for (int i = 0; i < 20; ++i) watches.push_back(Watch(*transport));
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/", .body = "{}"}), "ok");
  }

  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(server.http2_connections(), 1);
}

TEST_F(Http2TransportTest, StalledReaderHoldsBackNoOtherStream) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/flood") == std::string::npos) return ReplyOk(connection, request);
    connection.WriteHead(200);
    while (connection.WriteChunk(std::string(16384, 'x'))) {
    }
  });
  auto transport = Connect(server);
  std::vector<Response> stalled;
  for (int i = 0; i < 10; ++i) {
    auto response = transport->RoundTrip({}, {.target = "/flood", .long_running = true});
    ASSERT_TRUE(response.has_value());
    // Grows the window of the stream, so that the stalled ones hold as much as they can.
    for (std::size_t read = 0; read < std::size_t{16} * 1024 * 1024;) {
      read += (*response)->Read().value().size();
    }
    stalled.push_back(std::move(*response));
  }

  for (int i = 0; i < 100; ++i) EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http2TransportTest, SendsBodyLargerThanServersWindow) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    const std::string size = std::to_string(request.size() - request.find("\r\n\r\n") - 4);
    connection.WriteHead(200, "Content-Length: " + std::to_string(size.size()) + "\r\n");
    connection.Write(size);
  });
  auto transport = Connect(server);

  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/", .body = std::string(3000000, 'x')}),
            "3000000");
}

TEST_F(Http2TransportTest, OpensAnotherConnectionForMoreStreamsThanServerAllows) {
  script_->max_streams = 2;
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server);
  std::vector<Response> watches;

  for (int i = 0; i < 5; ++i) watches.push_back(Watch(*transport));
  EXPECT_EQ(server.connections(), 3);
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 3);

  watches.erase(watches.begin());
  watches.push_back(Watch(*transport));
  EXPECT_EQ(server.connections(), 3) << "a stream of the first connection was free";
}

TEST_F(Http2TransportTest, FindsStreamForEachOfManyConcurrentWatches) {
  constexpr int kWatches = 60;
  script_->max_streams = 7;
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server);
  std::vector<std::future<Response>> watches;
  watches.reserve(kWatches);
  for (int i = 0; i < kWatches; ++i) {
    watches.push_back(std::async(std::launch::async, [&] { return Watch(*transport); }));
  }
  std::vector<Response> open;
  for (auto& watch : watches) open.push_back(watch.get());

  EXPECT_THAT(open, ::testing::Each(::testing::NotNull()));
  EXPECT_GE(server.connections(), 9);
}

TEST_F(Http2TransportTest, ResendsRequestThatServerRefused) {
  std::atomic<int> refused{0};
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (refused++ % 2 == 0) return connection.Reset(NGHTTP2_REFUSED_STREAM);
    ReplyOk(connection, request);
  });
  auto transport = Connect(server);

  for (const char* method : {"GET", "POST"}) {
    EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/", .body = "{}"}), "ok") << method;
  }
}

TEST_F(Http2TransportTest, GivesUpWhenServerRefusesEveryStream) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string&) {
    connection.Reset(NGHTTP2_REFUSED_STREAM);
  });
  auto transport = Connect(server);

  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/"}), "<UnexpectedEOF>");
  EXPECT_EQ(server.requests(), 5);
}

TEST_F(Http2TransportTest, ResendsRequestBeyondLastStreamOfGoAway) {
  std::atomic<int> requests{0};
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (requests++ == 0) return connection.GoAway(0);
    ReplyOk(connection, request);
  });
  auto transport = Connect(server);

  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/", .body = "{}"}), "ok");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(Http2TransportTest, FinishesStreamsAfterGoAwayAndOpensNewConnection) {
  std::promise<void> away;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/away") != std::string::npos) {
      connection.GoAway();
      return ReplyOk(connection, request);
    }
    if (request.find("/watch") == std::string::npos) return ReplyOk(connection, request);
    connection.WriteHead(200);
    connection.WriteChunk("event");
    away.get_future().wait();
    connection.WriteChunk("later");
    connection.WriteChunk("");
  });
  auto transport = Connect(server);
  auto watch = Watch(*transport);

  EXPECT_EQ(Fetch(*transport, {.target = "/away"}), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 2);
  away.set_value();

  EXPECT_EQ(ReadAll(*watch), "later");
  EXPECT_TRUE(server.AwaitOpen(1)) << "the first connection has no use any more";
}

TEST_F(Http2TransportTest, ResetOfOneStreamLeavesOthers) {
  LoopbackServer server = Serve([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/reset") != std::string::npos) {
      connection.WriteHead(200);
      connection.WriteChunk("half");
      return connection.Reset(NGHTTP2_INTERNAL_ERROR);
    }
    ServeWatch(connection, request);
  });
  auto transport = Connect(server);
  auto watch = Watch(*transport);

  EXPECT_EQ(Fetch(*transport, {.target = "/reset"}), "half<UnexpectedEOF>");

  const auto read = watch->Read(milliseconds(1));
  EXPECT_EQ(read.error().reason, ErrorReason::kDeadlineExceeded) << "the watch has ended";
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http2TransportTest, AbandonedResponseFreesItsStreamOnly) {
  std::promise<void> closed;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    ServeWatch(connection, request);
    if (request.find("/watch") != std::string::npos) closed.set_value();
  });
  auto transport = Connect(server);

  Watch(*transport).reset();

  EXPECT_EQ(closed.get_future().wait_for(seconds(10)), std::future_status::ready);
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 1);
}

constexpr TransportOptions kPingOften{.ping_after = milliseconds(20),
                                      .ping_timeout = milliseconds(300)};

TEST_F(Http2TransportTest, NoticesHungServerByPing) {
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server, kPingOften);
  auto first = Watch(*transport);
  auto second = Watch(*transport);

  script_->hangs = true;

  for (auto* watch : {first.get(), second.get()}) {
    const auto read = watch->Read();
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().reason, ErrorReason::kUnexpectedEof);
    EXPECT_THAT(read.error().message, HasSubstr("the server did not answer a PING within 300ms"));
  }
  script_->hangs = false;
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(Http2TransportTest, KeepsSilentWatchWhoseServerAnswersPings) {
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server, {.ping_after = milliseconds(5), .ping_timeout = seconds(10)});
  auto watch = Watch(*transport);

  while (script_->pings < 5) std::this_thread::yield();

  EXPECT_EQ(watch->Read(milliseconds(1)).error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(server.connections(), 1);
}

// A watch gets one event. "/slow" has no answer, and after "/hang" the connection is silent.
void ServeSlowly(LoopbackConnection& connection, const std::string& request) {
  if (request.find("/slow") != std::string::npos) {
    connection.AwaitClose();
  } else if (request.find("/hang") != std::string::npos) {
    connection.Hang();
  } else {
    ServeWatch(connection, request);
  }
}

TEST_F(Http2TransportTest, KeepsConnectionAfterSlowAnswerOfServerThatAnswersPings) {
  LoopbackServer server = Serve(ServeSlowly);
  auto transport = Connect(server);
  auto watch = Watch(*transport);

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Fetch(*transport, {.target = "/slow", .answer_timeout = kShort}),
              "<DeadlineExceeded>");
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  }

  EXPECT_EQ(server.connections(), 1);
  EXPECT_GT(script_->pings, 0);
  EXPECT_EQ(watch->Read(milliseconds(1)).error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(Http2TransportTest, KeepsConnectionAfterReaderHasWaitedTooLongForBody) {
  LoopbackServer server = Serve(ServeSlowly);
  auto transport = Connect(server);
  auto watch = Watch(*transport);

  EXPECT_EQ(watch->Read(milliseconds(1)).error().reason, ErrorReason::kDeadlineExceeded);

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http2TransportTest, SendsNextRequestOnNewConnectionWhenServerIsSilent) {
  LoopbackServer server = Serve(ServeSlowly);
  auto transport = Connect(server, {.unresponsive_after = milliseconds(5)});
  auto watch = Watch(*transport);

  EXPECT_EQ(Fetch(*transport, {.target = "/hang", .answer_timeout = milliseconds(100)}),
            "<DeadlineExceeded>");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  // A balancer may lead a new connection to another server. On a busy machine that one is late,
  // too.
  EXPECT_GE(server.connections(), 2);
  EXPECT_EQ(watch->Read(milliseconds(1)).error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(Http2TransportTest, RetriesOnlyGetWhenConnectionBreaks) {
  std::atomic<int> broken{0};
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/break") == std::string::npos) return ReplyOk(connection, request);
    if (broken++ % 2 == 0) return connection.Disconnect();
    ReplyOk(connection, request);
  });
  auto transport = Connect(server);
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(Fetch(*transport, {.target = "/break"}), "ok");
  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/break"}), "<UnexpectedEOF>");
}

TEST_F(Http2TransportTest, GivesANewConnectionToItsRequestBeforeItIsIdle) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server, {.idle_connection_timeout = milliseconds(0)});

  for (int request = 0; request < 30; ++request) {
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok") << request;
  }
}

TEST_F(Http2TransportTest, ClosesConnectionWithoutRequestsAfterIdleTimeout) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport = Connect(server, {.idle_connection_timeout = milliseconds(5)});

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_TRUE(server.AwaitOpen(0));
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
}

TEST_F(Http2TransportTest, ResponseOutlivesTransport) {
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server);
  auto watch = Watch(*transport);

  transport.reset();

  EXPECT_EQ(watch->Read(milliseconds(1)).error().reason, ErrorReason::kDeadlineExceeded);
  watch.reset();
  EXPECT_TRUE(server.AwaitOpen(0));
}

TEST_F(Http2TransportTest, UsesHttp1WhenServerDoesNotChooseHttp2) {
  const LoopbackServer::Tls http1{.server = tls_.server};
  LoopbackServer server(ServeWatch, &http1);
  auto transport = Connect(server);
  auto watch = Watch(*transport);

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 2) << "one for the watch, one for the requests";
}

TEST_F(Http2TransportTest, UsesHttp1WhenHttp2IsOff) {
  LoopbackServer server = Serve(ReplyOk);
  auto transport =
      NewHttpTransport(
          {.host = server.url(), .tls = {.ca_data = ca_.cert_pem}, .http2 = Http2::kOff})
          .value();

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.http2_connections(), 0);
}

// CountingWaker counts its calls.
class CountingWaker final : public Waker {
 public:
  void Wake() override {
    MutexLock lock(mu_);
    ++calls_;
    called_.NotifyAll();
  }
  // Blocks until there were `count` calls.
  bool WaitFor(int count) {
    MutexLock lock(mu_);
    return called_.WaitUntil(mu_, {}, std::chrono::steady_clock::now() + seconds(10),
                             [&]() CAPSTAN_REQUIRES(mu_) { return calls_ >= count; });
  }
  int calls() const {
    MutexLock lock(mu_);
    return calls_;
  }

 private:
  mutable Mutex mu_;
  CondVar called_;
  int calls_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

TEST_F(Http2TransportTest, WakesSuspendedReaderOnceForNextBytes) {
  std::latch go_on(1);
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    go_on.wait();
    connection.WriteChunk("more");
    connection.WriteChunk("and more");
    connection.AwaitClose();
  });
  auto transport = Connect(server);
  CountingWaker waker;
  const Response watch = Watch(*transport);
  ASSERT_NE(watch, nullptr);

  EXPECT_TRUE(watch->Suspend(waker).has_value());
  EXPECT_EQ(waker.calls(), 0);
  go_on.count_down();

  EXPECT_TRUE(waker.WaitFor(1));
  EXPECT_FALSE(watch->Suspend(waker).has_value()) << "there are bytes to read";
  std::string read;
  while (read.size() < 12) read += watch->Read().value();
  EXPECT_EQ(read, "moreand more");
  EXPECT_EQ(waker.calls(), 1);
}

TEST_F(Http2TransportTest, WakesSuspendedReaderForDecodedBytes) {
  std::latch go_on(1);
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200, "Content-Encoding: gzip\r\n");
    connection.WriteChunk(testing::Gzip("event"));
    go_on.wait();
    const std::string more = testing::Gzip("more");
    constexpr std::size_t kHeaderBytes = 10;  // nothing can be decoded from them
    connection.WriteChunk(more.substr(0, kHeaderBytes));
    connection.WriteChunk(more.substr(kHeaderBytes));
    connection.AwaitClose();
  });
  auto transport = Connect(server);
  CountingWaker waker;
  auto encoded = transport->RoundTrip(
      {}, {.target = "/watch", .long_running = true, .compression = Compression::kOn});
  ASSERT_TRUE(encoded.has_value());
  const Response watch = DecodeBody(std::move(*encoded), "server");
  EXPECT_EQ(watch->Read().value(), "event");

  int calls = 0;
  ASSERT_TRUE(watch->CanSuspend());
  EXPECT_TRUE(watch->Suspend(waker).has_value());
  go_on.count_down();
  do {
    ASSERT_TRUE(waker.WaitFor(++calls));
  } while (watch->Suspend(waker));

  std::string read;
  while (read.size() < 4) read += watch->Read().value();
  EXPECT_EQ(read, "more");
}

TEST_F(Http2TransportTest, WakesSuspendedReadersWhenConnectionBreaks) {
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/break") == std::string::npos) return ServeWatch(connection, request);
    connection.Disconnect();
  });
  auto transport = Connect(server);
  CountingWaker waker;
  const Response first = Watch(*transport);
  const Response second = Watch(*transport);
  EXPECT_TRUE(first->Suspend(waker).has_value());
  EXPECT_TRUE(second->Suspend(waker).has_value());

  EXPECT_EQ(Fetch(*transport, {.method = "POST", .target = "/break"}), "<UnexpectedEOF>");

  EXPECT_TRUE(waker.WaitFor(2));
  EXPECT_EQ(first->Read().error().reason, ErrorReason::kUnexpectedEof);
  EXPECT_EQ(second->Read().error().reason, ErrorReason::kUnexpectedEof);
}

TEST_F(Http2TransportTest, StopWakesSuspendedReader) {
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server);
  std::stop_source stop;
  CountingWaker waker;
  auto watch = transport->RoundTrip(stop.get_token(), {.target = "/watch", .long_running = true});
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ((*watch)->Read().value(), "event");
  EXPECT_TRUE((*watch)->Suspend(waker).has_value());

  stop.request_stop();

  EXPECT_TRUE(waker.WaitFor(1));
  EXPECT_FALSE((*watch)->Suspend(waker).has_value());
  EXPECT_EQ((*watch)->Read().error().reason, ErrorReason::kCanceled);
}

TEST_F(Http2TransportTest, SuspensionDoesNotProlongIdleTimeout) {
  LoopbackServer server = Serve(ServeWatch);
  auto transport = Connect(server);
  CountingWaker waker;
  auto watch =
      transport->RoundTrip({}, {.target = "/watch", .idle_timeout = kShort, .long_running = true});
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ((*watch)->Read().value(), "event");

  while (const auto until = (*watch)->Suspend(waker)) {
    EXPECT_LE(*until, std::chrono::steady_clock::now() + kShort);
    std::this_thread::yield();
  }

  EXPECT_EQ((*watch)->Read().error().reason, ErrorReason::kUnexpectedEof);
  EXPECT_EQ(waker.calls(), 0);
}

}  // namespace
}  // namespace capstan::transport

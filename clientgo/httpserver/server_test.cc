// SPDX-License-Identifier: Apache-2.0
#include "capstan/httpserver/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "capstan/clock.h"
#include "capstan/testing/eventually.h"
#include "clientgo/httpserver/testing/raw_client.h"

namespace capstan::httpserver {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Responds with the request's method, path and body, and keeps the exchange of "/stream".
class ServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}) {
    options.name = "test-server";
    server_ = std::make_unique<Server>(
        std::move(options), [this](const Request& request, std::shared_ptr<Exchange> exchange) {
          if (request.path == "/stream") {
            exchange->OnClose([this] { closed_.count_down(); });
            exchange->Begin(200, "application/json");
            exchange->Write("first");
            stream_.set_value(std::move(exchange));
          } else if (request.path != "/dropped") {
            exchange->Respond(200, "text/plain",
                              request.method + " " + request.path + " " + request.body);
          }
        });
    const auto started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }

  RawClient StartAndConnect(ServerOptions options = {}) {
    Start(std::move(options));
    return RawClient(server_->port());
  }

  // Requests "/stream" and returns its exchange.
  std::shared_ptr<Exchange> OpenStream(RawClient& client) {
    client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    return stream_.get_future().get();
  }
  // Runs `task` on the server's thread and waits for it.
  void OnServer(std::function<void()> task) {
    std::latch done(1);
    ASSERT_TRUE(server_->Post([&] {
      task();
      done.count_down();
    }));
    done.wait();
  }

  // These outlive the server, whose handler uses them.
  std::promise<std::shared_ptr<Exchange>> stream_;
  std::latch closed_{1};
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, RespondsToRequestsOfOneConnection) {
  RawClient client = StartAndConnect();

  client.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().second, "GET /a ");
  client.Send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(client.ReadAnswer().second, "POST /b body");
}

TEST_F(ServerTest, RespondsToPipelinedRequestsInOrder) {
  RawClient client = StartAndConnect();

  client.Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HT");
  EXPECT_EQ(client.ReadAnswer().second, "GET /1 ");
  EXPECT_EQ(client.ReadAnswer().second, "GET /2 ");
  client.Send("TP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().second, "GET /3 ");
}

TEST_F(ServerTest, ReadsChunkedBodyByteByByte) {
  RawClient client = StartAndConnect();

  const std::string request =
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const char byte : request) client.Send(std::string_view(&byte, 1));

  EXPECT_EQ(client.ReadAnswer().second, "POST /c abc");
}

TEST_F(ServerTest, RespondsToHeadWithoutBody) {
  RawClient client = StartAndConnect();

  client.Send("HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  const std::string response = client.ReadAll();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_EQ(response.substr(response.size() - 4), "\r\n\r\n");
}

TEST_F(ServerTest, ClosesAfterHttp10Request) {
  RawClient client = StartAndConnect();

  client.Send("GET /old HTTP/1.0\r\n\r\n");

  EXPECT_THAT(client.ReadAll(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, RespondsToClientThatHasFinishedSending) {
  RawClient client = StartAndConnect();

  client.Send("GET /last HTTP/1.1\r\nHost: x\r\n\r\n");
  client.ShutdownSend();

  EXPECT_THAT(client.ReadAll(), HasSubstr("GET /last "));
}

TEST_F(ServerTest, ClosesWhenHandlerDropsExchange) {
  RawClient client = StartAndConnect();

  client.Send("GET /dropped HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, ClosesWhenHeaderIsIncompleteTooLong) {
  Start({.read_timeout = milliseconds(50)});
  RawClient slow(server_->port());
  RawClient silent(server_->port());

  slow.Send("GET / HTTP/1.1\r\nX-Slow: ");

  EXPECT_TRUE(slow.ClosedByServer());
  EXPECT_TRUE(silent.ClosedByServer());
}

// As on a machine that does not run the server's thread for a while.
TEST_F(ServerTest, RespondsToRequestThatArrivedBeforeTheServerNoticesItsDeadline) {
  constexpr milliseconds kTimeout(500);
  RawClient client = StartAndConnect({.read_timeout = kTimeout});
  client.Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HT");
  client.ReadAnswer();

  OnServer([&] {
    client.Send("TP/1.1\r\nHost: x\r\n\r\n");
    const auto end = Clock::Real().After(kTimeout);
    EXPECT_TRUE(testing::Eventually([&] { return Clock::Real().Now() >= end; }));
  });

  EXPECT_EQ(client.ReadAnswer().second, "GET /2 ");
}

TEST_F(ServerTest, ClosesConnectionThatIsIdleTooLong) {
  RawClient client = StartAndConnect({.idle_timeout = milliseconds(50)});

  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.ReadAnswer();

  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, RejectsHugeHeader) {
  RawClient client = StartAndConnect({.header_bytes_max = 4096});

  client.Send("GET / HTTP/1.1\r\nX-Huge: " + std::string(1 << 20, 'x'));

  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerTest, RejectsTooLargeBodyWithAndWithoutLength) {
  Start({.body_bytes_max = 1000});
  RawClient announced(server_->port());
  RawClient chunked(server_->port());

  announced.Send("POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'x'));
  chunked.Send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" +
               std::string(100000, 'x'));

  EXPECT_THAT(announced.ReadAll(), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(chunked.ReadAll(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, AcceptsALargerBodyForAPathWithALimitOfItsOwn) {
  Start({.body_bytes_max = 1000, .body_bytes_max_by_path = {{"/large", 200000}}});
  const std::string body(100000, 'x');
  const auto answer = [&](const std::string& path, const std::string& framed) {
    RawClient client(server_->port());
    client.Send("POST " + path + " HTTP/1.1\r\nConnection: close\r\n" + framed);
    return client.ReadAll();
  };
  const std::string announced = "Content-Length: 100000\r\n\r\n" + body;
  const std::string chunked =
      "Transfer-Encoding: chunked\r\n\r\n186a0\r\n" + body + "\r\n0\r\n\r\n";

  EXPECT_THAT(answer("/large?q=1", announced), HasSubstr("POST /large " + body));
  EXPECT_THAT(answer("/large", chunked), HasSubstr("POST /large " + body));
  EXPECT_THAT(answer("/large/", announced), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer("/other", chunked), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer("/large", "Content-Length: 200001\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, RejectsMalformedRequest) {
  Start();
  for (const char* garbage :
       {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET /%zz HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    RawClient client(server_->port());
    client.Send(garbage);
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 400 ")) << garbage;
  }
}

TEST_F(ServerTest, StreamsChunks) {
  RawClient client = StartAndConnect();
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto exchange = stream_.get_future().get();

  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.ReadChunk(), "first");
  OnServer([&] { exchange->Write("second"); });
  EXPECT_EQ(client.ReadChunk(), "second");
  OnServer([&] { exchange->End(); });
  EXPECT_EQ(client.ReadChunk(), "");
  closed_.wait();
  EXPECT_EQ(client.ReadAnswer().second, "GET /next ");
}

TEST_F(ServerTest, NoticesClientThatLeavesSilentStream) {
  RawClient client = StartAndConnect();
  const auto exchange = OpenStream(client);
  client.ReadUntil("first");

  client.Close();

  closed_.wait();  // nothing was written, so only a read notices it
  OnServer([&] {
    exchange->Write("nobody listens");
    EXPECT_EQ(exchange->PendingBytes(), 0U);
  });
}

TEST_F(ServerTest, CountsPendingBytesOfSlowClient) {
  Start();
  RawClient client(server_->port(), 4096);
  const auto exchange = OpenStream(client);
  constexpr std::size_t kBytes = 32U << 20U;

  OnServer([&] { exchange->Write(std::string(kBytes, 'x')); });

  OnServer([&] { EXPECT_GT(exchange->PendingBytes(), kBytes / 2); });
  OnServer([&] { exchange->Abort(); });
  closed_.wait();
  EXPECT_LT(client.ReadAll().size(), kBytes);
}

TEST_F(ServerTest, CallsWhenDrainedAfterAllIsWritten) {
  Start();
  RawClient client(server_->port(), 4096);
  const auto exchange = OpenStream(client);
  int drained = 0;

  OnServer([&] {
    exchange->Write(std::string(32U << 20U, 'x'));
    exchange->WhenDrained([&] {
      ++drained;
      exchange->End();
    });
  });
  OnServer([&] { EXPECT_EQ(drained, 0); });

  EXPECT_GT(client.ReadUntil("0\r\n\r\n").size(), 32U << 20U);
  closed_.wait();
  EXPECT_EQ(drained, 1);
}

TEST_F(ServerTest, ServesTheNextRequestWhenAResponseEndsBeforeItIsDrained) {
  RawClient client = StartAndConnect();
  const auto exchange = OpenStream(client);
  client.Send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  int drained = 0;

  OnServer([&] {
    exchange->WhenDrained([&] { ++drained; });
    exchange->End();
  });

  client.ReadUntil("0\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().second, "GET /next ");
  EXPECT_EQ(drained, 1);
}

TEST_F(ServerTest, ClosesWhenClientReadsNothing) {
  Start({.idle_timeout = milliseconds(100)});
  RawClient client(server_->port(), 4096);
  const auto exchange = OpenStream(client);

  OnServer([&] { exchange->Write(std::string(32U << 20U, 'x')); });

  closed_.wait();
}

TEST_F(ServerTest, TruncatesResponseAfterWrittenBytes) {
  RawClient client = StartAndConnect();
  const auto exchange = OpenStream(client);

  OnServer([&] {
    exchange->Write(std::string(1U << 20U, 'x'));
    exchange->Truncate();
  });

  const std::string response = client.ReadAll();
  EXPECT_GT(response.size(), 1U << 20U);
  EXPECT_EQ(response.substr(response.size() - 3), "x\r\n");  // a whole chunk, but no last chunk
}

TEST_F(ServerTest, StopClosesStreamsAndRejectsTasks) {
  RawClient client = StartAndConnect();
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  auto exchange = stream_.get_future().get();
  server_->PostAfter(std::chrono::hours(1), [] { FAIL() << "the server is stopped"; });

  server_->Stop();

  closed_.wait();
  EXPECT_TRUE(client.ClosedByServer());
  EXPECT_FALSE(server_->Post([] { FAIL() << "the server is stopped"; }));
  server_.reset();
  exchange->Write("outlives the server");
}

TEST_F(ServerTest, DrainClosesIdleConnectionsAndRefusesNewOnes) {
  Start();
  RawClient idle(server_->port());
  idle.Send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(idle.ReadAnswer().second, "GET /idle ");
  std::promise<void> drained;

  server_->Drain([&] { drained.set_value(); });

  drained.get_future().wait();
  EXPECT_TRUE(idle.ClosedByServer());
  EXPECT_FALSE(RawClient(server_->port()).connected());
}

TEST_F(ServerTest, DrainWaitsForResponsesAndRequestsThatHaveBegun) {
  Start();
  RawClient streaming(server_->port());
  streaming.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  auto exchange = stream_.get_future().get();
  RawClient sending(server_->port());
  sending.Send("POST /begun HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1");
  std::latch drained(1);
  // The server has read the first part of the request once it answers a later one.
  RawClient later(server_->port());
  later.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(later.ReadAnswer().second, "GET /later ");

  server_->Drain([&] { drained.count_down(); });

  OnServer([&] { EXPECT_FALSE(drained.try_wait()); });
  sending.Send("2");
  const auto [head, body] = sending.ReadAnswer();
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(body, "POST /begun 12");
  OnServer([&] {
    exchange->End();
    exchange.reset();
  });
  EXPECT_TRUE(streaming.ReadUntil("0\r\n\r\n").ends_with("0\r\n\r\n"));
  streaming.Close();
  sending.Close();
  drained.wait();
}

TEST_F(ServerTest, DrainAnswersTheFirstRequestOfANewConnection) {
  Start();
  RawClient fresh(server_->port());
  RawClient later(server_->port());  // once it has an answer, the server has accepted both
  later.Send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(later.ReadAnswer().second, "GET /later ");
  std::promise<void> drained;

  server_->Drain([&] { drained.set_value(); });

  EXPECT_TRUE(later.ClosedByServer());
  fresh.Send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(fresh.ReadAll(), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Connection: close")));
  fresh.Close();
  drained.get_future().wait();
}

TEST_F(ServerTest, DrainClosesConnectionWhoseResponseIsNotYetSent) {
  RawClient client = StartAndConnect();
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  auto exchange = stream_.get_future().get();
  OnServer([&] {
    exchange->Write(std::string(32U << 20U, 'x'));
    exchange->End();
    exchange.reset();
  });
  std::latch drained(1);

  server_->Drain([&] { drained.count_down(); });

  EXPECT_GT(client.ReadUntil("0\r\n\r\n").size(), 32U << 20U);
  EXPECT_TRUE(client.ClosedByServer());
  client.Close();
  drained.wait();
}

TEST_F(ServerTest, PostAfterRunsInOrderOfDelays) {
  Start();
  std::promise<std::string> order;
  auto text = std::make_shared<std::string>();

  server_->PostAfter(milliseconds(20), [&order, text] { order.set_value(*text + "later"); });
  server_->PostAfter(milliseconds(1), [text] { *text += "sooner "; });

  EXPECT_EQ(order.get_future().get(), "sooner later");
}

TEST_F(ServerTest, NamesAddressInUseAndFix) {
  Start();
  Server second({.name = "second", .port = server_->port()}, [](const Request&, auto) {});

  const auto started = second.Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_EQ(started.error().message,
            "cannot listen on 127.0.0.1:" + std::to_string(server_->port()) +
                ": address already in use; stop the process that listens there, or choose another "
                "port (0: any free one)");
}

TEST_F(ServerTest, RejectsInvalidAddress) {
  Server server({.name = "test", .address = "no such host"}, [](const Request&, auto) {});

  const auto started = server.Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("cannot listen on \"no such host\""));
}

TEST_F(ServerTest, AllAddressesIncludeIpv4) {
  RawClient client = StartAndConnect({.address = ""});

  client.Send("GET /v4 HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(client.ReadAnswer().second, "GET /v4 ");
}

// As net.Listen("tcp", "0.0.0.0:9402") in Go.
TEST_F(ServerTest, UnspecifiedAddressOfEitherFamilyIncludesIpv4AndIpv6) {
  for (const char* address : {"", "0.0.0.0", "::", "[::]"}) {
    Start({.address = address});
    RawClient v4(server_->port());
    v4.Send("GET /v4 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(v4.ReadAnswer().second, "GET /v4 ") << address;

    RawClient v6(server_->port(), in6addr_loopback);
    v6.Send("GET /v6 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(v6.ReadAnswer().second, "GET /v6 ") << address;
  }
}

}  // namespace
}  // namespace capstan::httpserver

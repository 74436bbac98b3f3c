// SPDX-License-Identifier: Apache-2.0
#include "httpserver/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>

#include "httpserver/raw_client.h"

namespace httpserver {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

// Answers with what it was asked, and keeps the exchange of "/stream" for the test.
class ServerTest : public testing::Test {
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

  // Runs `task` on the server's thread and waits for it.
  void OnServer(std::function<void()> task) {
    std::latch done(1);
    ASSERT_TRUE(server_->Post([&] {
      task();
      done.count_down();
    }));
    done.wait();
  }

  // The two outlive the server, whose handler uses them.
  std::promise<std::shared_ptr<Exchange>> stream_;
  std::latch closed_{1};
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersRequestsOfOneConnection) {
  Start();
  RawClient client(server_->port());

  client.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().second, "GET /a ");
  client.Send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(client.ReadAnswer().second, "POST /b body");
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  Start();
  RawClient client(server_->port());

  client.Send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HT");
  EXPECT_EQ(client.ReadAnswer().second, "GET /1 ");
  EXPECT_EQ(client.ReadAnswer().second, "GET /2 ");
  client.Send("TP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().second, "GET /3 ");
}

TEST_F(ServerTest, TakesAChunkedBodyByteByByte) {
  Start();
  RawClient client(server_->port());

  const std::string request =
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const char byte : request) client.Send(std::string_view(&byte, 1));

  EXPECT_EQ(client.ReadAnswer().second, "POST /c abc");
}

TEST_F(ServerTest, AnswersHeadWithoutABody) {
  Start();
  RawClient client(server_->port());

  client.Send("HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_EQ(answer.substr(answer.size() - 4), "\r\n\r\n");
}

TEST_F(ServerTest, ClosesAfterAnHttp10Request) {
  Start();
  RawClient client(server_->port());

  client.Send("GET /old HTTP/1.0\r\n\r\n");

  EXPECT_THAT(client.ReadAll(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, AnswersAClientThatHasFinishedSending) {
  Start();
  RawClient client(server_->port());

  client.Send("GET /last HTTP/1.1\r\nHost: x\r\n\r\n");
  client.ShutdownSend();

  EXPECT_THAT(client.ReadAll(), HasSubstr("GET /last "));
}

TEST_F(ServerTest, ClosesWhenTheHandlerDropsTheExchange) {
  Start();
  RawClient client(server_->port());

  client.Send("GET /dropped HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, ClosesOnAClientThatDoesNotFinishItsHeader) {
  Start({.read_timeout = milliseconds(50)});
  RawClient slow(server_->port());
  RawClient silent(server_->port());

  slow.Send("GET / HTTP/1.1\r\nX-Slow: ");

  EXPECT_TRUE(slow.ClosedByServer());
  EXPECT_TRUE(silent.ClosedByServer());
}

TEST_F(ServerTest, ClosesAConnectionThatIsIdleTooLong) {
  Start({.idle_timeout = milliseconds(50)});
  RawClient client(server_->port());

  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.ReadAnswer();

  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(ServerTest, RefusesAHugeHeader) {
  Start({.header_bytes_max = 4096});
  RawClient client(server_->port());

  client.Send("GET / HTTP/1.1\r\nX-Huge: " + std::string(1 << 20, 'x'));

  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerTest, RefusesATooLargeBodyWhetherAnnouncedOrNot) {
  Start({.body_bytes_max = 1000});
  RawClient announced(server_->port());
  RawClient chunked(server_->port());

  announced.Send("POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'x'));
  chunked.Send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" +
               std::string(100000, 'x'));

  EXPECT_THAT(announced.ReadAll(), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(chunked.ReadAll(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, RefusesWhatIsNotHttp) {
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
  Start();
  RawClient client(server_->port());
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

TEST_F(ServerTest, NoticesAClientThatLeavesASilentStream) {
  Start();
  RawClient client(server_->port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto exchange = stream_.get_future().get();
  client.ReadUntil("first");

  client.Close();

  closed_.wait();  // nothing was written: only reading can tell
  OnServer([&] {
    exchange->Write("nobody listens");
    EXPECT_EQ(exchange->PendingBytes(), 0U);
  });
}

TEST_F(ServerTest, CountsWhatASlowClientDoesNotTake) {
  Start();
  RawClient client(server_->port(), 4096);
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto exchange = stream_.get_future().get();
  constexpr std::size_t kBytes = 32U << 20U;

  OnServer([&] { exchange->Write(std::string(kBytes, 'x')); });

  OnServer([&] { EXPECT_GT(exchange->PendingBytes(), kBytes / 2); });
  OnServer([&] { exchange->Abort(); });
  closed_.wait();
  EXPECT_LT(client.ReadAll().size(), kBytes);
}

TEST_F(ServerTest, AsksForMoreWhenTheSocketHasTakenAll) {
  Start();
  RawClient client(server_->port(), 4096);
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto exchange = stream_.get_future().get();
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

TEST_F(ServerTest, ClosesOnAClientThatTakesNothing) {
  Start({.idle_timeout = milliseconds(100)});
  RawClient client(server_->port(), 4096);
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto exchange = stream_.get_future().get();

  OnServer([&] { exchange->Write(std::string(32U << 20U, 'x')); });

  closed_.wait();
}

TEST_F(ServerTest, TruncatesAnAnswerAfterWhatWasWritten) {
  Start();
  RawClient client(server_->port());
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto exchange = stream_.get_future().get();

  OnServer([&] {
    exchange->Write(std::string(1U << 20U, 'x'));
    exchange->Truncate();
  });

  const std::string answer = client.ReadAll();
  EXPECT_GT(answer.size(), 1U << 20U);
  EXPECT_EQ(answer.substr(answer.size() - 3), "x\r\n");  // whole, and no end of the stream
}

TEST_F(ServerTest, StopClosesStreamsAndRefusesTasks) {
  Start();
  RawClient client(server_->port());
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

TEST_F(ServerTest, PostAfterRunsInOrderOfTheDelays) {
  Start();
  std::promise<std::string> order;
  auto text = std::make_shared<std::string>();

  server_->PostAfter(milliseconds(20), [&order, text] { order.set_value(*text + "later"); });
  server_->PostAfter(milliseconds(1), [text] { *text += "sooner "; });

  EXPECT_EQ(order.get_future().get(), "sooner later");
}

TEST_F(ServerTest, NamesTheAddressThatIsInUseAndTheRemedy) {
  Start();
  Server second({.name = "second", .port = server_->port()}, [](const Request&, auto) {});

  const auto started = second.Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().reason, clientgo::util::ErrorReason::kInvalidArgument);
  EXPECT_EQ(started.error().message,
            "cannot listen on 127.0.0.1:" + std::to_string(server_->port()) +
                ": address already in use; stop the process that listens there, or choose another "
                "port (0: any free one)");
}

TEST_F(ServerTest, RefusesAnAddressThatIsNone) {
  Server server({.name = "test", .address = "no such host"}, [](const Request&, auto) {});

  const auto started = server.Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("cannot listen on \"no such host\""));
}

TEST_F(ServerTest, AllAddressesIncludeIpv4) {
  Start({.address = ""});
  RawClient client(server_->port());

  client.Send("GET /v4 HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(client.ReadAnswer().second, "GET /v4 ");
}

}  // namespace
}  // namespace httpserver

// SPDX-License-Identifier: Apache-2.0
// Which connections serve another request, and that nothing is ever done twice.
#include <future>
#include <latch>
#include <map>
#include <vector>

#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

TEST(Http1ReuseTest, AGetIsRepeatedWhenAKeptConnectionBreaks) {
  std::atomic<int> asked{0};
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
    const bool breaks = request.find("/close") != std::string::npos && asked++ == 0;
    if (!breaks) Answer(connection, request);
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "ok");

  EXPECT_EQ(asked, 2);
  EXPECT_EQ(server.connections(), 2);
}

TEST(Http1ReuseTest, AGetOnAFreshConnectionThatBreaksIsAnError) {
  LoopbackServer server([](LoopbackConnection&, const std::string&) {});
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/close"}), "<UnexpectedEOF>");
  EXPECT_EQ(server.requests(), 1);
}

TEST(Http1ReuseTest, WhatAServerHasSeenIsNotSentTwiceUnlessItIsAQuestion) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/close") == std::string::npos) Answer(connection, request);
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

TEST(Http1ReuseTest, AConnectionThatWasClosedMeanwhileIsNotUsed) {
  LoopbackServer server(Answer);
  auto transport = Connect(server.url());
  for (const char* method : {"GET", "POST"}) {
    ASSERT_EQ(Fetch(*transport, {.target = "/close"}), "ok");
    ASSERT_TRUE(server.AwaitOpen(0));

    EXPECT_EQ(Fetch(*transport, {.method = method, .target = "/close"}), "ok") << method;
    ASSERT_TRUE(server.AwaitOpen(0));
  }
  EXPECT_EQ(server.requests(), 4);
}

TEST(Http1ReuseTest, ASilentServerIsAskedOnceAndNotOnEveryKeptConnection) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/silence") == std::string::npos) return Answer(connection, request);
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  ASSERT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(
      Fetch(*transport, {.target = "/silence", .answer_timeout = std::chrono::milliseconds(20)}),
      "<DeadlineExceeded>");

  EXPECT_EQ(server.requests(), 2);
}

TEST(Http1ReuseTest, AWholeResponseGivesItsConnectionBackEvenToADeadTransport) {
  LoopbackServer server(Answer);
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

TEST(Http1ReuseTest, WhatTheServerDoesNotKeepIsNotKeptHere) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
      // Somebody's bytes after the body: not the answer to any question.
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: "
      "4\r\n\r\nevil",
  };
  for (const std::string& answer : answers) {
    LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
      connection.Write(answer);
      connection.AwaitClose();
    });
    auto transport = Connect(server.url());

    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    EXPECT_TRUE(server.AwaitOpen(0)) << answer;
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
    EXPECT_EQ(server.connections(), 2) << answer;
  }
}

TEST(Http1ReuseTest, AnIdleConnectionIsKeptForAWhileOnly) {
  LoopbackServer server(Answer);
  auto transport = Connect(Config{.host = server.url()},
                           {.idle_connection_timeout = std::chrono::milliseconds(0)});

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(server.AwaitOpen(1)) << "the first was closed, not forgotten";
}

TEST(Http1ReuseTest, NoMoreThanTwentyFiveAreKept) {
  constexpr int kAtOnce = 30;
  std::latch all(kAtOnce);
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/together") != std::string::npos) all.arrive_and_wait();
    Answer(connection, request);
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

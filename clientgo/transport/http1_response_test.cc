// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http1_response.h"

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/transport/testing/loopback_server.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

// Returns the body, or the error's message.
std::string BodyOf(const std::string& bytes, const std::string& target = "/close") {
  LoopbackServer server(Replying(bytes));
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = target});
  if (!response) return response.error().message;
  return ReadAll(**response);
}

TEST(Http1ResponseTest, ReadsBodyWithoutLengthToEndOfConnection) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\n\r\nto the end"), "to the end");
  EXPECT_EQ(BodyOf("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nto the end"), "to the end");
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\n\r\n"), "");
}

TEST(Http1ResponseTest, FailsWhenConnectionEndsAfterInterimResponse) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 100 Continue\r\n\r\n");
  });
  auto transport = Connect(server.url());

  const auto response = transport->RoundTrip({}, {.method = "DELETE", .target = "/close"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kUnexpectedEof);
}

TEST(Http1ResponseTest, LimitsInterimResponses) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    for (const char c : std::string("HTTP/1.1 100 Continue\r\n\r\n")) connection.Write({&c, 1});
    ReplyOk(connection, request);
  });
  EXPECT_EQ(Fetch(*Connect(server.url()), {.target = "/"}), "ok");

  std::string endless;
  for (int i = 0; i < 100; ++i) endless += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_THAT(BodyOf(endless, "/"), HasSubstr("too many 1xx responses"));
}

TEST(Http1ResponseTest, ReadsChunksWithExtensionsAndTrailers) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "2;name=value\r\nab\r\n00001\r\nc\r\n0\r\nX-Trailer: yes\r\n\r\n",
                   "/"),
            "abc");
}

TEST(Http1ResponseTest, FailsOnMalformedChunk) {
  const std::vector<std::string> bodies = {
      "-5\r\nhello\r\n0\r\n\r\n",   "zz\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n",
      "10000000000000000\r\nhello",  // 2^64
      "2\r\nabXX0\r\n\r\n",          // longer than its length
  };
  for (const std::string& body : bodies) {
    std::promise<void> read;
    LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
      connection.WriteHead(200);
      connection.WriteChunk("whole");
      read.get_future().wait();
      connection.Write(body);
      connection.AwaitClose();
    });
    auto transport = Connect(server.url());
    auto response = transport->RoundTrip({}, {.target = "/"});
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ((*response)->Read().value(), "whole");
    read.set_value();

    auto bytes = (*response)->Read();
    if (bytes) bytes = (*response)->Read();

    ASSERT_FALSE(bytes.has_value()) << body;
    EXPECT_EQ(bytes.error().reason, ErrorReason::kTransport);
    EXPECT_THAT(bytes.error().message, HasSubstr("malformed HTTP response: bad chunk")) << body;
  }
}

TEST(Http1ResponseTest, RejectsEndlessChunkExtension) {
  EXPECT_THAT(
      BodyOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(40000, 'x'),
             "/"),
      // Before or after the head has been passed on, as Boost notices it.
      AnyOf(HasSubstr("<Transport>"), HasSubstr("malformed HTTP response: bad chunk")));
}

TEST(Http1ResponseTest, ReadsHugeChunkAsItArrives) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nab"),
            "ab<UnexpectedEOF>");
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nab"),
            "ab<UnexpectedEOF>");
}

TEST(Http1ResponseTest, ExplainsMalformedHead) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nab", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nX-Long: " + std::string(20000, 'x') + "\r\n\r\n", "header limit"},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "bad field"},
      {"HTTP/1.1 2x0 OK\r\n\r\n", "bad status"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "bad version"},
  };
  for (const auto& [response, why] : cases) {
    const std::string message = BodyOf(response, "/");

    EXPECT_THAT(message, HasSubstr(": malformed HTTP response: ")) << response;
    EXPECT_THAT(message, HasSubstr(why));
  }
}

TEST(Http1ResponseTest, AcceptsHeadOfManyKilobytes) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 12; ++i) {
    head += "Audit-Id-" + std::to_string(i) + ": " + std::string(1000, 'x') + "\r\n";
  }
  EXPECT_EQ(BodyOf(head + "Content-Length: 2\r\n\r\nok", "/"), "ok");
}

TEST(Http1ResponseTest, SuggestsHttpsWhenServerSpeaksTls) {
  LoopbackServer server([](LoopbackConnection&, const std::string&) {});
  server.set_greeting(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));  // a fatal alert

  EXPECT_THAT(Get(Config{.host = server.url()}),
              HasSubstr("malformed HTTP response: the server speaks TLS, is it https://?"));
}

TEST_F(TlsTest, SuggestsHttpWhenServerDoesNotSpeakTls) {
  // Go's server replies 400 to a TLS hello; other servers send a greeting.
  LoopbackServer server([](LoopbackConnection&, const std::string&) {});
  server.set_greeting("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request");

  EXPECT_THAT(Get(Config{.host = "https://127.0.0.1:" + std::to_string(server.port()),
                         .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("tls: the server's response is not TLS; is it http://?"));
}

// Returns the error of a request with an answer_timeout of kShort.
Error Late(const Config& config) {
  auto response = Connect(config)->RoundTrip({}, {.target = "/", .answer_timeout = kShort});
  return response ? Error{.message = "it responded"} : response.error();
}

void Hang(LoopbackConnection& connection, const std::string&) { connection.AwaitClose(); }

TEST(Http1DeadlineTest, NamesServerAndStepThatTookTooLong) {
  const DroppingListener dropping;
  LoopbackServer mute(Hang);
  const std::string tls_url = "https://" + HostPort(mute.url());
  struct Case {
    Config config;
    std::string step;
  };
  const std::vector<Case> cases = {
      {{.host = dropping.url()}, "connecting"},
      {{.host = tls_url, .tls = {.insecure_skip_verify = true}}, "TLS handshake"},
      {{.host = "https://api.test:443", .proxy_url = mute.url()}, "the proxy's CONNECT"},
      {{.host = mute.url()}, "waiting for the response"},
  };
  for (const Case& each : cases) {
    const Error error = Late(each.config);

    EXPECT_EQ(error.reason, ErrorReason::kDeadlineExceeded) << each.step;
    EXPECT_THAT(error.message, ::testing::StartsWith("no response from " +
                                                     HostPort(each.config.host) + " within "));
    EXPECT_THAT(error.message, ::testing::EndsWith("ms (" + each.step + ")"));
  }
}

TEST(Http1DeadlineTest, ClosesIdleConnectionsWhenServerDoesNotAnswer) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/hang") != std::string::npos) return Hang(connection, request);
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());
  {
    auto one = transport->RoundTrip({}, {.target = "/"});
    auto two = transport->RoundTrip({}, {.target = "/"});
    ASSERT_TRUE(one && two);
    ReadAll(**one);
    ReadAll(**two);
  }
  ASSERT_EQ(server.connections(), 2);

  EXPECT_EQ(Fetch(*transport, {.target = "/hang", .answer_timeout = kShort}), "<DeadlineExceeded>");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 3) << "a balancer would have led to the same server";
}

TEST(Http1DeadlineTest, KeepsIdleConnectionsWhenServerAnswersOthersMeanwhile) {
  std::promise<void> hangs;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/hang") == std::string::npos) return ReplyOk(connection, request);
    hangs.set_value();
    Hang(connection, request);
  });
  auto transport = Connect(server.url());
  auto hanging = std::async(std::launch::async, [&] {
    return Fetch(*transport, {.target = "/hang", .answer_timeout = std::chrono::seconds(1)});
  });
  hangs.get_future().wait();

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(hanging.get(), "<DeadlineExceeded>");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 2) << "one slow answer does not end other connections";
}

}  // namespace
}  // namespace capstan::transport

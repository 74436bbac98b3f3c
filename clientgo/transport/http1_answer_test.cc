// SPDX-License-Identifier: Apache-2.0
// Answers as servers, proxies and strangers give them: every framing HTTP/1.1 has, and what is
// none.
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

// Answers each request with these bytes; a path with "/close" is followed by the end.
LoopbackServer::Handler Saying(const std::string& bytes) {
  return [bytes](LoopbackConnection& connection, const std::string&) { connection.Write(bytes); };
}

// The body, or why there is none.
std::string BodyOf(const std::string& answer, const std::string& target = "/close") {
  LoopbackServer server(Saying(answer));
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = target});
  if (!response) return response.error().message;
  return ReadAll(**response);
}

TEST(Http1AnswerTest, TheEndOfTheConnectionEndsABodyWithoutALength) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\n\r\nto the end"), "to the end");
  EXPECT_EQ(BodyOf("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nto the end"), "to the end");
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\n\r\n"), "");
}

TEST(Http1AnswerTest, SomeStatusesHaveNoBody) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\nETag: \"x\"\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  };
  for (const std::string& answer : answers) {
    LoopbackServer server(Saying(answer));
    auto transport = Connect(server.url());

    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "") << answer;
    EXPECT_EQ(Fetch(*transport, {.target = "/"}), "") << answer;
    EXPECT_EQ(server.connections(), 1) << answer;
  }
}

TEST(Http1AnswerTest, TheAnswerToHeadHasNoBodyWhateverItAnnounces) {
  LoopbackServer server(Saying("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.method = "HEAD", .target = "/"}), "");
  EXPECT_EQ(Fetch(*transport, {.method = "HEAD", .target = "/"}), "");

  EXPECT_EQ(server.connections(), 1);
}

TEST(Http1AnswerTest, AnInterimAnswerAndThenTheEndIsNoAnswer) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string&) {
    connection.Write("HTTP/1.1 100 Continue\r\n\r\n");
  });
  auto transport = Connect(server.url());

  const auto response = transport->RoundTrip({}, {.method = "DELETE", .target = "/close"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, util::ErrorReason::kUnexpectedEof);
}

TEST(Http1AnswerTest, InterimAnswersAreNotTheAnswer) {
  const std::string interim =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
  LoopbackServer server(
      Saying(interim + "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Final: yes\r\n\r\nok"));
  auto transport = Connect(server.url());

  auto response = transport->RoundTrip({}, {.method = "POST", .target = "/", .body = "{}"});

  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->status(), 201);
  EXPECT_EQ(FindHeader((*response)->headers(), "X-Final"), "yes");
  EXPECT_EQ(FindHeader((*response)->headers(), "Link"), "");
  EXPECT_EQ(ReadAll(**response), "ok");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Http1AnswerTest, InterimAnswersMayComeAloneButNotForEver) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    for (const char c : std::string("HTTP/1.1 100 Continue\r\n\r\n")) connection.Write({&c, 1});
    Answer(connection, request);
  });
  EXPECT_EQ(Fetch(*Connect(server.url()), {.target = "/"}), "ok");

  std::string endless;
  for (int i = 0; i < 100; ++i) endless += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_THAT(BodyOf(endless, "/"), HasSubstr("too many 1xx answers"));
}

TEST(Http1AnswerTest, ChunksMayCarryExtensionsAndTrailers) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "2;name=value\r\nab\r\n00001\r\nc\r\n0\r\nX-Trailer: yes\r\n\r\n",
                   "/"),
            "abc");
}

TEST(Http1AnswerTest, MalformedChunksBreakTheBody) {
  const std::vector<std::string> bodies = {
      "-5\r\nhello\r\n0\r\n\r\n",   "zz\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n",
      "10000000000000000\r\nhello",  // 2^64
      "2\r\nabXX0\r\n\r\n",          // longer than it said
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

TEST(Http1AnswerTest, AChunkExtensionWithoutEndIsNotGathered) {
  EXPECT_THAT(
      BodyOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(40000, 'x'),
             "/"),
      HasSubstr("<Transport>"));
}

TEST(Http1AnswerTest, AHugeChunkIsReadAsItComes) {
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nab"),
            "ab<UnexpectedEOF>");
  EXPECT_EQ(BodyOf("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nab"),
            "ab<UnexpectedEOF>");
}

TEST(Http1AnswerTest, MalformedHeadsAreRefusedInAWord) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nab", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nX-Long: " + std::string(20000, 'x') + "\r\n\r\n", "header limit"},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "bad field"},
      {"HTTP/1.1 2x0 OK\r\n\r\n", "bad status"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "bad version"},
  };
  for (const auto& [answer, why] : cases) {
    const std::string message = BodyOf(answer, "/");

    EXPECT_THAT(message, HasSubstr(": malformed HTTP response: ")) << answer;
    EXPECT_THAT(message, HasSubstr(why));
  }
}

TEST(Http1AnswerTest, AHeadOfManyKilobytesIsTaken) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 12; ++i) {
    head += "Audit-Id-" + std::to_string(i) + ": " + std::string(1000, 'x') + "\r\n";
  }
  EXPECT_EQ(BodyOf(head + "Content-Length: 2\r\n\r\nok", "/"), "ok");
}

TEST(Http1AnswerTest, NoHeaderOrTargetBecomesTwoLines) {
  LoopbackServer server(Answer);
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

TEST(Http1AnswerTest, SaysThatTheServerSpeaksTlsAndTheUrlDoesNot) {
  LoopbackServer server([](LoopbackConnection&, const std::string&) {});
  server.set_greeting(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));  // a fatal alert

  EXPECT_THAT(Ask(Config{.host = server.url()}),
              HasSubstr("malformed HTTP response: the server speaks TLS, is it https://?"));
}

TEST_F(Http1TransportTlsTest, SaysThatTheUrlSpeaksTlsAndTheServerDoesNot) {
  // Go's server answers a TLS hello with 400, others with what they say to anybody.
  LoopbackServer server([](LoopbackConnection&, const std::string&) {});
  server.set_greeting("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request");

  EXPECT_THAT(Ask(Config{.host = "https://127.0.0.1:" + std::to_string(server.port()),
                         .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("tls: the server's answer is not TLS; is it http://?"));
}

}  // namespace
}  // namespace clientgo::transport
